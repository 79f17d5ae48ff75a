// What sentences are made of: texts, or [class, text] for a word that is marked.

import { html } from "../shared/dom.js";
import { methodClass } from "../shared/methods.js";

export const name = (text) => ["rv-flow-name", text];
export const methodWord = (run) => [`rv-flow-own ${methodClass(run)}`, run.name];

export function writePieces(host, pieces) {
  const nodes = pieces.map((piece) => {
    if (!Array.isArray(piece)) return document.createTextNode(piece);
    const [className, text] = piece;
    return html(/rv-flow-name|rv-dim/.test(className) ? "span" : "b", { class: className }, text);
  });
  host.replaceChildren(...nodes);
}

// "a, b and c" of pieces.
export function joinPieces(items, word = "and") {
  return items.flatMap((item, k) => {
    const between = !k ? [] : [k === items.length - 1 ? ` ${word} ` : ", "];
    return [...between, ...item];
  });
}
