// Writes what moves, and only where it has changed: an attribute that is written again is styled and painted again.

/** @param {any} node @param {string} transform */
export function moveTo(node, transform) {
  if (node.rvTransform === transform) return;
  node.rvTransform = transform;
  node.setAttribute("transform", transform);
}

// Nearly invisible parts are removed from painting, from the order of Tab, and from screen readers.
/** @param {any} node @param {number} opacity */
export function fadeTo(node, opacity) {
  const text = opacity.toFixed(3);
  if (node.rvOpacity === text) return;
  node.rvOpacity = text;
  node.style.opacity = text;
  node.style.visibility = opacity < 0.02 ? "hidden" : "";
}

/** @param {any} node @param {boolean} isShown */
export function showIf(node, isShown) {
  if (node.rvShown === isShown) return;
  node.rvShown = isShown;
  node.style.display = isShown ? "" : "none";
}
