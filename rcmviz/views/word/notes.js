// The note on the position, below the bar: a line of one height, so that nothing moves without a note.

import { html, setAttributes, setText } from "../shared/dom.js";

export function makeNotes(view) {
  const { notes } = view.payload;
  const text = html("span", { class: "rv-note-text" });
  const noted = Object.keys(notes).map(Number);
  const links = noted.map((i) =>
    html("button", { type: "button", class: "rv-note-link", onclick: () => view.go(i) }, String(i)),
  );
  const mark = html("span", { "aria-hidden": "true" }, "✎");
  const node = html("p", { class: "rv-note", "aria-live": "polite" }, mark, text, links);

  function paint() {
    const note = notes[view.position];
    setText(text, note || `no note here; there ${noted.length > 1 ? "are notes" : "is one"} on`);
    setAttributes(node, { title: note || null, "data-noted": Boolean(note) });
    links.forEach((link, k) => {
      setAttributes(link, { "aria-current": noted[k] === view.position ? "step" : null });
      link.style.display = view.isOpen(noted[k]) ? "" : "none";
    });
  }

  return { node, layout() {}, paint, highlight() {} };
}
