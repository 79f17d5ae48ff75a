// The mass-flow picture alone, as Streamlit loads it.

import { drawPicture } from "./view.js";

export default drawPicture;
