// Field: a Markov field over a whole text, one tab at a time. A tab is a module that says what it draws of its payload
// and which keys it has (shared/tabbed.js).

import { blank } from "./blank.js";
import { learning } from "./learning.js";
import { lifting } from "./lifting.js";
import { neighbours } from "./neighbours.js";
import { tagging } from "./tagging.js";
import { tabbed } from "../shared/tabbed.js";

export default tabbed("rv-player rv-learning rv-mrf", { blank, learning, lifting, neighbours, tagging });
