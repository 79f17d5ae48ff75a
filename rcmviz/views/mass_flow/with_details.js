// The picture of a word and, below it, the player as details: its ranks, trees and heat map, opened by the key d. A
// payload has that of the player as `player`.

import { html } from "../shared/dom.js";
import { read } from "../shared/view.js";
import { drawPlayer } from "../word/player.js";
import { drawPicture } from "./view.js";

const shown = new WeakMap(); // parent → its details: { id, isOpen(), update(), stop() }
const PLACE = ["position", "node", "strips", "reveal"]; // what a page says of both in one payload

function drawWord({ parentElement, data, ...host }) {
  const { player, ...picture } = read(data);
  const end = drawPicture({ parentElement, data: picture, ...host });
  if (player && picture.details !== false) drawDetails(parentElement, placed(player, picture), host);
  return () => {
    end();
    if (parentElement.querySelector(":scope > .rv-flow")) return; // an earlier call of those that drew it
    shown.get(parentElement)?.stop();
    shown.delete(parentElement);
  };
}

const placed = (details, all) => ({
  ...details,
  ...Object.fromEntries(PLACE.filter((name) => name in all).map((name) => [name, all[name] ?? details[name]])),
});

function drawDetails(parentElement, payload, host) {
  const known = shown.get(parentElement);
  if (known?.id === payload.id) {
    known.update(payload);
    return;
  }
  const isOpen = known?.isOpen() ?? false;
  known?.stop();
  const root = parentElement.querySelector(":scope > .rv-flow");
  shown.set(parentElement, addDetails({ parentElement, root, payload, host, isOpen }));
}

// The player is drawn once it is opened, where the picture stands; keys are its own while it has the focus.
function addDetails({ parentElement, root, payload, host, isOpen }) {
  const place = html("div", { class: "rv-flow-details-place" });
  const summary = html("summary", {}, "Details: ranks, trees and heat map (d)");
  const node = html("details", { class: "rv-flow-details" }, summary, place);
  const position = () => Number(root.dataset.position) || payload.position;
  let end = null;
  let now = payload;
  const draw = () => drawPlayer({ ...host, parentElement: place, data: { ...now, position: position() }, inner: true });
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
    now = { ...now, node: detail.node };
    if (detail.node) node.open = true;
    tell(player(), { node: detail.node });
  };
  node.addEventListener("toggle", opened);
  root.addEventListener("rv-go", held);
  parentElement.addEventListener("rv-place", follow);
  const heard = host.guest ? parentElement : document;
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
  // News of the same runs, such as strips of budgets, reach a player that is drawn.
  const update = (news) => {
    now = news;
    if (end) end = draw();
  };
  return { id: payload.id, isOpen: () => node.open, update, stop };
}

export default drawWord;
