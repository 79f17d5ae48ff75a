// A place set from outside: by a notebook, a lesson, a teacher. It comes without a rerun, so it is obeyed at
// once, whatever was sent to Python a moment ago.
//
//   root.dispatchEvent(new CustomEvent("rv-go", { detail: { position: 7, node: "*ol" } }))
//
// Omitted fields stay; a node of null, or one that the position does not have, is released. `reveal` (true, false)
// and `mass` ("forward", "posterior") say how it is looked at.

export function steered(view, isShown) {
  view.root.addEventListener("rv-go", ({ detail }) => {
    const { position = view.position, node, reveal, mass } = detail;
    if (reveal !== undefined && reveal !== view.reveal) view.setReveal(reveal); // Python hears of each of them
    if (mass !== undefined) view.setMass(mass);
    view.go(position);
    const held = node && isShown(view, node) ? node : null;
    if (node !== undefined && held !== view.node) view.select(held);
  });
}
