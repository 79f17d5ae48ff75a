// Writes what moves, and only where it has changed: an attribute that is written again is styled and painted again.

import { svg } from "../shared/dom.js";

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

// A layer that can be taken out of its place in a drawing. (Browsers lay out the content of a group that is not
// displayed.)
/** @param {Element} root @param {Record<string, string>} [attributes] */
export function addLayer(root, attributes) {
  const place = root.appendChild(svg("g"));
  return Object.assign(place.appendChild(svg("g", attributes)), { place, isShown: true });
}

/** @param {any} layer @param {boolean} isShown */
export function showIf(layer, isShown) {
  if (layer.isShown === isShown) return;
  layer.isShown = isShown;
  if (isShown) layer.place.append(layer);
  else layer.remove();
}
