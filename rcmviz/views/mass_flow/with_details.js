// The picture of a word and, below it, the player as details: its ranks, trees and heat map, opened by the key d. A
// payload has that of the player as `player`; runs that the picture cannot draw are shown by the player alone.

import { html } from "../shared/dom.js";
import { read } from "../shared/view.js";
import { drawPlayer } from "../word/player.js";
import { drawPicture } from "./view.js";

const PLACE = ["position", "node", "strips", "reveal", "details"]; // what a page says of both in one payload
const LOOKS = ["node", "reveal"]; // of the player's place, what the link of both says
const OPENING = ["node", "quiz", "stage", "reveal"]; // parameters of a link that only the player understands
const PLAYERS = ["f", "p", "l", "v"]; // keys that mean something to the player alone
const KEY = "rv-flow-details"; // whether this tab has the details open

const words = new WeakMap(); // parent → its drawing

function drawWord({ parentElement, data, ...host }) {
  const { player, ...picture } = read(data);
  const word = words.get(parentElement) ?? { end: null, alone: null, details: null };
  words.set(parentElement, word);
  const details = placeDetails(player, picture);
  picture.whatIf = (host.setTriggerValue && !host.guest && whatIfOf(player)) || null;
  if (picture.runs) {
    word.alone?.stop();
    word.alone = null;
    word.end = drawPicture({ parentElement, data: picture, ...host });
    word.details ??= addDetails(parentElement, picture, host);
    word.details.update(details, picture.details !== false);
  } else {
    endPicture(word);
    word.alone ??= addPlayer(parentElement);
    word.alone.draw({ ...host, data: details });
  }
  const call = Symbol("call");
  word.call = call;
  return () => {
    if (word.call !== call) return;
    endPicture(word);
    word.alone?.stop();
    words.delete(parentElement);
  };
}

// What the picture needs to know to change a run and to compare it with the one before; null if nothing can be changed.
function whatIfOf({ settings }) {
  return settings.edits ? { edits: settings.edits, of: settings.editsOf } : null;
}

function endPicture(word) {
  word.details?.stop();
  word.end?.();
  Object.assign(word, { end: null, details: null });
}

const placeDetails = (details, all) => ({
  ...details,
  ...Object.fromEntries(PLACE.filter((name) => name in all).map((name) => [name, all[name] ?? details[name]])),
});

function addPlayer(parentElement, className = "rv-flow-alone") {
  const place = html("div", { class: className });
  let end = null;
  parentElement.append(place);
  return {
    place,
    root: () => place.querySelector(":scope > .rv-player"),
    draw: (given) => (end = drawPlayer({ ...given, parentElement: place })),
    stop() {
      end?.();
      place.remove();
    },
  };
}

// The player is drawn once it is opened, where the picture stands; keys are its own while it has the focus. It tells
// neither Python nor the link where it stands: the picture does.
function addDetails(parentElement, { id }, host) {
  const root = parentElement.querySelector(":scope > .rv-flow");
  const summary = html("summary", {}, "Details: ranks, trees and heat map (d)");
  const node = html("details", { class: "rv-flow-details" }, summary);
  const player = addPlayer(node, "rv-flow-details-place");
  const isOurs = Boolean(host.setTriggerValue);
  const known = { id, payload: null, isWanted: null };
  const position = () => Number(root.dataset.position) || known.payload.position;
  const dispatch = (view, name, detail) => view?.dispatchEvent(new CustomEvent(name, { detail }));
  const draw = () => {
    const data = { ...known.payload, position: position() };
    player.draw({ ...host, setStateValue: null, data, inner: true });
  };
  const onToggle = () => {
    if (node.open && !player.root()) draw();
    if (isOurs) window.sessionStorage.setItem(KEY, node.open ? "1" : "");
  };
  const open = () => {
    node.open = true;
    if (!player.root()) draw();
  };
  // Each follows the other; of the two only the picture says to others where it stands.
  const follow = (event) => {
    const { target, detail } = event;
    const at = Number(detail.pos);
    if (target === root) {
      const there = Number(player.root()?.dataset.position ?? at);
      if (there !== at) dispatch(player.root(), "rv-go", { position: at });
      return;
    }
    event.stopPropagation();
    dispatch(root, "rv-held", Object.fromEntries(LOOKS.map((name) => [name, detail[name] ?? null])));
    if (position() !== at) dispatch(root, "rv-go", { position: at });
  };
  // Python, a lesson or a class says which context to hold and how to look at it: that is the player's.
  const onSteer = ({ detail: { node: held, ...looks } }) => {
    if (held) {
      known.payload = { ...known.payload, node: held };
      open();
    }
    if (player.root() && (held !== undefined || "reveal" in looks || "mass" in looks))
      dispatch(player.root(), "rv-go", { position: position(), node: held, ...looks });
  };
  const onAsk = ({ type, detail }) => {
    if (type === "rv-quiz-ask") open();
    dispatch(player.root(), type, detail);
  };
  const onQuiz = () => player.root().focus({ preventScroll: true });
  const key = (event) => {
    const isTyping = event.target.matches?.("input,textarea,select") || event.target.isContentEditable;
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping || event.defaultPrevented) return;
    if (player.place.contains(event.target)) return;
    if (event.key === "q") onAsk({ type: player.root()?.dataset.quiz ? "rv-quiz-end" : "rv-quiz-ask", detail: {} });
    if (node.open && PLAYERS.includes(event.key)) press(player.root(), event.key);
    if (event.key !== "d") return;
    node.open = !node.open;
    if (node.open) summary.scrollIntoView({ block: "start" });
  };
  const heard = host.guest ? parentElement : document;
  const hears = [
    [node, "toggle", onToggle],
    [root, "rv-go", onSteer],
    [root, "rv-details", open],
    ...["ask", "reveal", "bars", "end"].map((what) => [root, `rv-quiz-${what}`, onAsk]),
    [parentElement, "rv-place", follow],
    [player.place, "rv-quiz-asked", onQuiz],
    [heard, "keydown", key],
  ];
  for (const [target, name, act] of hears) target.addEventListener(name, act);
  parentElement.append(node);
  return {
    update(payload, isWanted) {
      const isFirst = known.payload === null;
      known.payload = payload;
      if (isFirst) node.open = isOpenAtFirst(payload, isOurs);
      else if (isWanted !== known.isWanted) node.open = isWanted; // the switch of the page
      known.isWanted = isWanted;
      if (player.root()) draw();
    },
    stop() {
      for (const [target, name, act] of hears) target.removeEventListener(name, act);
      player.stop();
      node.remove();
    },
  };
}

const press = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));

function isOpenAtFirst(payload, isOurs) {
  const link = new URLSearchParams(window.location.search);
  if (payload.node) return true;
  return isOurs && (window.sessionStorage.getItem(KEY) === "1" || OPENING.some((name) => link.has(name)));
}

export default drawWord;
