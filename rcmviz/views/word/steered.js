// A place that somebody else sets: a notebook, a lesson, a teacher. Nobody's rerun stands behind it, so it is obeyed at
// once, whatever was sent to Python a moment ago.
//
//   root.dispatchEvent(new CustomEvent("rv-go", { detail: { position: 7, node: "*ol" } }))
//
// What is left out stays; a node of null, or one that the position does not have, is let go.

export const STEERED = "rv-go";

export function steered(view, isShown) {
  view.root.addEventListener(STEERED, ({ detail: { position = view.position, node } }) => {
    view.go(position);
    const held = node !== null && node !== undefined && isShown(view, node) ? node : null;
    if (node !== undefined && held !== view.node) view.select(held);
  });
}
