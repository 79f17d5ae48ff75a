// @ts-check
// Numbers as text: masses, shares, counts, durations, for all views.

/** @type {(mass: number | null | undefined) => string} */
export function massText(mass) {
  if (mass === null || mass === undefined) return "–";
  if (mass <= 0) return "0";
  if (mass >= 0.9995) return "1";
  if (mass >= 0.00095) return mass.toFixed(3).slice(1);
  return mass.toExponential(0).replace("e-", "e−");
}

/** @type {(value: number | null | undefined, digits?: number) => string} */
export function numberText(value, digits = 2) {
  if (value === null || value === undefined) return "−∞";
  return value
    .toFixed(digits)
    .replace(/^-(0\.?0*)$/, "$1")
    .replace("-", "−");
}

/** @type {(change: number) => string} */
export function signedText(change) {
  return (change > 0 ? "▲ " : "▼ ") + massText(Math.abs(change));
}

/** @type {(count: number) => string} */
export function countText(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

// "1st", "2nd", "3rd", "4th" …
/** @type {(number: number) => string} */
export function ordinalText(number) {
  const teen = number % 100 > 10 && number % 100 < 14;
  return number + ((!teen && { 1: "st", 2: "nd", 3: "rd" }[number % 10]) || "th");
}

// `digits` digits, and one more for each nine after 99 %, to distinguish values close to 1.
/** @type {(share: number, digits?: number) => string} */
export function ninesText(share, digits = 1) {
  if (share >= 1) return "100 %";
  const nines = share > 0.99 ? Math.ceil(-Math.log10(1 - share) - 1e-9) - 2 : 0;
  return (100 * share).toFixed(Math.min(7, digits + nines)) + " %";
}

// To a tenth of a per cent; 0 % and 100 % without it.
/** @type {(share: number) => string} */
export function percentText(share) {
  return (100 * share).toFixed(share >= 0.9995 || share < 0.0005 ? 0 : 1) + " %";
}

// To a tenth below ten per cent, whole above.
/** @type {(share: number) => string} */
export function wholePercentText(share) {
  return (100 * share).toFixed(share > 0.0995 || share === 0 ? 0 : 1) + " %";
}

// "3.4 ms", "120 ms", "1.2 s", "42 s", "10 min", "1.5 h".
/** @type {(seconds: number) => string} */
export function durationText(seconds) {
  if (seconds > 0 && seconds < 1) return `${(1000 * seconds).toFixed(seconds < 0.01 ? 1 : 0)} ms`;
  if (seconds < 90) return `${Number(seconds.toFixed(1))} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** @type {(value: number | null) => string} */
export function natsText(value) {
  return numberText(value, value !== null && Math.abs(value) >= 100 ? 1 : 2);
}
