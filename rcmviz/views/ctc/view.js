// Frames: what a classifier with a blank says of them, and what is read, frame by frame.

import { ctc } from "./ctc.js";
import { tabbed } from "../shared/tabbed.js";

export default tabbed("rv-player rv-learning rv-ctc", { ctc });
