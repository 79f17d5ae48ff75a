// The picture of a word and, below it, the player as details: its ranks, trees and heat map, opened by the key d. A
// payload has that of the player as `details`.

import { html } from "../shared/dom.js";
import { drawPlayer } from "../word/player.js";
import { drawPicture } from "./view.js";

const ends = new WeakMap(); // parent → what ends its details

function drawWord({ parentElement, data, guest = false, ...host }) {
  const { details, ...picture } = data;
  const end = drawPicture({ parentElement, data: picture, guest, ...host });
  const root = parentElement.querySelector(":scope > .rv-flow");
  ends.get(parentElement)?.();
  const stop = details ? addDetails(parentElement, root, { ...details, node: data.node ?? details.node }) : null;
  ends.set(parentElement, stop);
  return () => {
    stop?.();
    end();
  };
}

// The player is drawn once it is opened, where the picture stands; keys are its own while it has the focus.
function addDetails(parentElement, root, payload) {
  const place = html("div", { class: "rv-flow-details-place" });
  const summary = html("summary", {}, "Details: ranks, trees and heat map (d)");
  const node = html("details", { class: "rv-flow-details" }, summary, place);
  const position = () => Number(root.dataset.position) || payload.position;
  let end = null;
  const draw = () => drawPlayer({ parentElement: place, data: { ...payload, position: position() }, guest: true });
  const player = () => place.querySelector(":scope > .rv-player");
  const tell = (view, detail) => view?.dispatchEvent(new CustomEvent("rv-go", { detail }));
  const opened = () => {
    if (node.open) end ??= draw();
  };
  // Each follows the other.
  const follow = ({ target, detail }) => {
    const at = Number(detail.pos);
    if (target === root && player() && Number(player().dataset.position) !== at) tell(player(), { position: at });
    if (target === player() && position() !== at) tell(root, { position: at });
  };
  const key = (event) => {
    const isTyping = event.target.matches?.("input,textarea,select") || event.target.isContentEditable;
    if (event.key !== "d" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    if (event.defaultPrevented || place.contains(event.target)) return;
    node.open = !node.open;
    if (node.open) summary.scrollIntoView({ block: "nearest" });
  };
  node.addEventListener("toggle", opened);
  parentElement.addEventListener("rv-place", follow);
  document.addEventListener("keydown", key);
  parentElement.append(node);
  if (payload.node) node.open = true;
  return () => {
    end?.();
    parentElement.removeEventListener("rv-place", follow);
    document.removeEventListener("keydown", key);
    node.remove();
  };
}

export default drawWord;
