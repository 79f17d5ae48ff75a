// The keypad of a phone: keys typed by mouse, finger or keyboard are sent to Python after a pause. Letters may be
// typed too; they become keys. It stays while everything else is redrawn, so that the field keeps the focus.

import { html } from "../shared/dom.js";
import { atRest, isWaiting } from "../shared/rest.js";

const ECHO = 6000; // milliseconds for which a message from Python may be an echo of one sent from here
const TYPED = 450; // milliseconds without a key before a message is decoded

export function makeKeypad(view, { message, keys }) {
  const field = html("input", {
    class: "rv-message",
    "aria-label": "message, as digits or as text",
    placeholder: "3637 843 …",
    spellcheck: "false",
    autocomplete: "off",
    oninput: () => announce(keypad, field.value, TYPED),
    onchange: () => announce(keypad, field.value, 0),
  });
  const press = (text, label, act, className = "") =>
    html("button", { type: "button", class: `rv-key ${className}`, "aria-label": label, onclick: act }, text);
  const type = (key) => write(keypad, asKeys(keypad, field.value) + key);
  const pads = keys.map(([key, letters]) =>
    press([html("b", {}, key), html("small", {}, letters)], `${key} ${letters}`.trim(), () => type(key)),
  );
  const bottom = [
    press("clear", "clear", () => write(keypad, "")),
    press("space", "space", () => type(" ")),
    press("⌫", "take back", () => erase(keypad)),
  ];
  const node = html(
    "section",
    { class: "rv-panel rv-keypad", "aria-label": "keypad" },
    field,
    html("div", { class: "rv-keys" }, pads, bottom),
  );
  const keypad = {
    view,
    node,
    field,
    letters: Object.fromEntries(keys.flatMap(([key, letters]) => [...letters].map((letter) => [letter, key]))),
    keys: keys.map(([key]) => key),
    sent: [],
  };
  field.value = message;
  return keypad;
}

function write(keypad, message) {
  keypad.field.value = message;
  announce(keypad, message, TYPED);
}

function erase(keypad) {
  write(keypad, [...keypad.field.value].slice(0, -1).join(""));
}

function announce(keypad, message, rest) {
  const send = () => {
    if (keypad.sent.at(-1)?.[0] === message) return;
    keypad.sent.push([message, Date.now()]);
    keypad.view.host.setState("message", message);
  };
  atRest(keypad, keypad.node, send, rest);
}

// A key pressed after letters turns these into keys too.
function asKeys({ letters }, text) {
  return /\p{L}/u.test(text)
    ? [...text.toLowerCase()].map((sign) => letters[sign] || (/[\d\s*#]/.test(sign) ? sign : "*")).join("")
    : text;
}

// Python's keys replace the typed ones unless they are an echo, or the user is typing.
export function hear(keypad, { message }) {
  keypad.sent = keypad.sent.filter(([, when]) => Date.now() - when < ECHO);
  const echo = keypad.sent.some(([sent]) => sent === message);
  if (!echo && !isWaiting(keypad) && keypad.field.value !== message) keypad.field.value = message;
}

// Digits typed while no other control takes them.
export function keypadSteps(view) {
  const { keypad } = view;
  if (!keypad) return {};
  const steps = Object.fromEntries(
    keypad.keys.map((key) => [key, () => write(keypad, asKeys(keypad, keypad.field.value) + key)]),
  );
  return { ...steps, Backspace: () => erase(keypad) };
}
