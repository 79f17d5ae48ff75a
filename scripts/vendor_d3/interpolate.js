// In place of d3-interpolate, which brings colours and strings along: our scales lead from numbers to numbers.

export function interpolateNumber(a, b) {
  return (t) => a * (1 - t) + b * t;
}

export { interpolateNumber as interpolate };

export function interpolateRound(a, b) {
  return (t) => Math.round(a * (1 - t) + b * t);
}

export function piecewise() {
  throw new Error("scales of several pieces are not part of this build");
}
