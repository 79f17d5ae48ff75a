// Frames: the scores of a classifier with a blank, and the output, frame by frame.

import { ctc } from "./ctc.js";
import { tabbed } from "../shared/tabbed.js";

export default tabbed("rv-player rv-learning rv-ctc", { ctc });
