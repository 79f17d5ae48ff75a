// Field: a Markov field over a whole text, by tabs. A tab is a module that draws its payload
// and declares its keys (shared/tabbed.js).

import { blank } from "./blank.js";
import { learning } from "./learning.js";
import { lifting } from "./lifting.js";
import { neighbours } from "./neighbours.js";
import { tagging } from "./tagging.js";
import { tabbed } from "../shared/tabbed.js";

export default tabbed("rv-player rv-learning rv-mrf", { blank, learning, lifting, neighbours, tagging });
