// Numbers of a text and what they are about light up together: a ring shows the mark of a number under the pointer, and
// the numbers of a mark under the pointer are highlighted.

import { toggle } from "../shared/dom.js";
import { elementsOf } from "./pointing.js";

const VALUES = ".rv-value[data-about]";

// The target of a number about `[owner, name]`.
export const targetOf = ([owner, name]) => `about ${owner} ${name}`;

// Watches the page for a dock; returns a function that ends it.
export function linkNumbers(root) {
  const hear = ({ target }) => {
    for (const value of root.querySelectorAll(VALUES)) {
      const marks = elementsOf(value.dataset.about);
      toggle(value, "rv-lit", target instanceof Node && marks.some((mark) => mark.contains(target)));
    }
  };
  document.addEventListener("pointerover", hear);
  return () => document.removeEventListener("pointerover", hear);
}
