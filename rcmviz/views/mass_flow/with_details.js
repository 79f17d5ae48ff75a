// The picture of a word and, below it, the player as details: its ranks, trees and heat map, opened by the key d. A
// payload has that of the player as `details`.

import { html } from "../shared/dom.js";
import { drawPlayer } from "../word/player.js";
import { drawPicture } from "./view.js";

const shown = new WeakMap(); // parent → its details: { id, isOpen(), stop() }

function drawWord({ parentElement, data, setStateValue, guest = false, ...host }) {
  const { details, ...picture } = data;
  const end = drawPicture({ parentElement, data: picture, setStateValue, guest, ...host });
  const known = shown.get(parentElement);
  if (details && known?.id !== details.id) {
    const isOpen = known?.isOpen() ?? false;
    known?.stop();
    const root = parentElement.querySelector(":scope > .rv-flow");
    const payload = { ...details, node: data.node ?? details.node };
    shown.set(parentElement, addDetails({ parentElement, root, payload, setStateValue, guest, isOpen }));
  }
  return () => {
    end();
    if (parentElement.querySelector(":scope > .rv-flow")) return; // an earlier call of those that drew it
    shown.get(parentElement)?.stop();
    shown.delete(parentElement);
  };
}

// The player is drawn once it is opened, where the picture stands; keys are its own while it has the focus.
function addDetails({ parentElement, root, payload, setStateValue, guest, isOpen }) {
  const place = html("div", { class: "rv-flow-details-place" });
  const summary = html("summary", {}, "Details: ranks, trees and heat map (d)");
  const node = html("details", { class: "rv-flow-details" }, summary, place);
  const position = () => Number(root.dataset.position) || payload.position;
  let end = null;
  const draw = () => {
    const data = { ...payload, position: position() };
    return drawPlayer({ parentElement: place, data, setStateValue, setTriggerValue: null, guest: true });
  };
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
  // Python, a lesson or a class says which context to hold: that is the player's.
  const held = ({ target, detail }) => {
    if (target !== root || detail.node === undefined) return;
    payload.node = detail.node;
    if (detail.node) node.open = true;
    tell(player(), { node: detail.node });
  };
  node.addEventListener("toggle", opened);
  root.addEventListener("rv-go", held);
  parentElement.addEventListener("rv-place", follow);
  const heard = guest ? parentElement : document;
  heard.addEventListener("keydown", key);
  parentElement.append(node);
  node.open = isOpen || Boolean(payload.node);
  const stop = () => {
    end?.();
    root.removeEventListener("rv-go", held);
    parentElement.removeEventListener("rv-place", follow);
    heard.removeEventListener("keydown", key);
    node.remove();
  };
  return { id: payload.id, isOpen: () => node.open, stop };
}

export default drawWord;
