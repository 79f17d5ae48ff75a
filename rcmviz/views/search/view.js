// Search: best-first search, learning by its mistakes, learning to search. A tab is a module that says what it draws of
// its payload and which keys it has (shared/tabbed.js).

import { perceptron } from "./perceptron.js";
import { search } from "./search.js";
import { searn } from "./searn.js";
import { tabbed } from "../shared/tabbed.js";

export default tabbed("rv-player rv-learning rv-searching", { perceptron, search, searn });
