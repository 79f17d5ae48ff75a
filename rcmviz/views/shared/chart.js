// What charts share: round numbers along an axis, labels that do not overlap, a pointer that drags.

export function ticks(low, high, count) {
  const rough = (high - low) / count;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find((factor) => factor * unit >= rough);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.max(0, Math.floor(high / step + 1e-9) - first + 1) }, (_, k) => (first + k) * step);
}

// Labels that would overlap make room for each other, in the order of their heights.
export function spread(wanted, pitch, top, bottom) {
  const order = wanted.map((_, k) => k).sort((a, b) => wanted[a] - wanted[b]);
  const placed = [...wanted];
  order.forEach((k, n) => {
    placed[k] = Math.max(wanted[k], n ? placed[order[n - 1]] + pitch : top);
  });
  for (let n = order.length - 1; n >= 0; n -= 1)
    placed[order[n]] = Math.min(placed[order[n]], bottom - (order.length - 1 - n) * pitch);
  return placed;
}

// Press or drag: `follow` hears where the pointer is.
export function dragged(drawing, follow) {
  drawing.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    drawing.setPointerCapture(event.pointerId);
    follow(event);
  });
  drawing.addEventListener("pointermove", (event) => {
    if (drawing.hasPointerCapture(event.pointerId)) follow(event);
  });
}
