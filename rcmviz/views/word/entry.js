// The player alone, as Streamlit loads it.

import { drawPlayer } from "./player.js";

export default drawPlayer;
