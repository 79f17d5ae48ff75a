// What the tree and the candidates share: the pitch of their rows, the scale of their bars, keys and scrolling.

export const ROW = 22; // pixels per row of a tree and of the candidates: one pitch, so that they can be read across

const DECADES = 6; // that a logarithmic scale has room for

// One scale for all lists, so that equal masses have bars of equal length whatever the method or the list; the longest
// is all mass. Each list adds the pixels that its bars have to `view.barRooms`, and the narrowest decides.
export function massScale(view) {
  const room = Math.min(...view.barRooms);
  const fraction = (mass) => (view.scale === "log" ? Math.max(0, 1 + Math.log10(mass) / DECADES) : mass);
  // bars of a mass that is not zero stay visible
  return (mass) => (mass > 0 ? Math.max(1.5, fraction(mass) * room) : 0);
}

// Scroll a panel, never the page, so that a row is seen.
export function showRow(frame, index) {
  if (index < 0) return;
  const top = index * ROW;
  if (top < frame.scrollTop) frame.scrollTop = top;
  else if (top + ROW > frame.scrollTop + frame.clientHeight) frame.scrollTop = top + ROW - frame.clientHeight + 4;
}

// Arrow up and down walk through a list of named rows; Enter lets go.
export function listKeys(view, drawing, rows) {
  drawing.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const list = rows();
    const at = list.findIndex((row) => row.name === view.node);
    const next = list[at < 0 ? 0 : Math.min(list.length - 1, Math.max(0, at + step))];
    if (next && next.name !== view.node) view.select(next.name, view.run);
    event.preventDefault();
  });
}
