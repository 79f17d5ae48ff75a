// Search: best-first search, perceptron, SEARN. Each tab is a module that draws its payload and declares its keys
// (shared/tabbed.js).

import { perceptron } from "./perceptron.js";
import { search } from "./search.js";
import { searn } from "./searn.js";
import { tabbed } from "../shared/tabbed.js";

export default tabbed("rv-player rv-learning rv-searching", { perceptron, search, searn });
