// The readings of a pass of the training, symbol by symbol.

const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

export function unpackPass(pass) {
  return {
    ...pass,
    sure: bytesOf(pass.sure),
    shares: bytesOf(pass.shares),
    matrix: bytesOf(pass.matrix),
    pins: new Map(pass.pins),
  };
}

// The drawn pass of a method, null before the first one.
export function passOf(view, method) {
  return method.passes[Math.min(view.position, method.passes.length) - 1] ?? null;
}

// The pins at the shown pass of a method; at the latest pass, the current pins.
export function pinsAt(view, method, pass) {
  return !pass || (view.position >= view.last && !method.old) ? view.pins : pass.pins;
}

// {label, sure} of a symbol under a method, label null before the first pass.
export function readingOf(view, method, symbol) {
  const pass = passOf(view, method);
  const pins = pinsAt(view, method, pass);
  if (pins.has(symbol)) return { label: pins.get(symbol), sure: 1, pinned: true };
  return pass
    ? { label: pass.guess[symbol], sure: pass.sure[symbol] / 255, pinned: false }
    : { label: null, sure: 0, pinned: false };
}

export function isWrong(view, symbol, label) {
  return view.mistakes && view.payload.key !== null && label !== null && view.payload.key[symbol] !== label;
}
