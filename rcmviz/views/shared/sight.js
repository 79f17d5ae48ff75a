// @ts-check
// Horizontal scrolling of frames.

// Scrolls a frame to the places of interest, to the first one if both do not fit.
/** @type {(frame: Element, place: number, other?: number, around?: number) => void} */
export function bringIntoSight(frame, place, other = place, around = 60) {
  const room = frame.clientWidth;
  const far = Math.abs(other - place) + 2 * around > room;
  const [left, right] = far
    ? [place - around, place + around]
    : [Math.min(place, other) - around, Math.max(place, other) + around];
  if (left < frame.scrollLeft) frame.scrollLeft = left;
  else if (right > frame.scrollLeft + room) frame.scrollLeft = right - room;
}
