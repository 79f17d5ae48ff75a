// Parts of sums: terms, and their code.
//
// A term is {key, sign, share | factor | plain, name, code, light}: `share` the log of a share, `factor` a log that is
// shown as its exponential, `plain` a number; `light` is its part of the picture: names of `rows` and
// `candidates` of the position, `cells` of the output, `readout`.

const UNSAID = { code: "", light: {} };

export const share = (key, sign, log, said) => ({ key, sign, share: log, ...UNSAID, ...said });
export const factor = (key, sign, log, said) => ({ key, sign, factor: log, ...UNSAID, ...said });
export const plainTerm = (key, sign, number, said) => ({ key, sign, plain: number, ...UNSAID, ...said });

// A log of the payload, which has null for −∞.
export const logOf = (value) => value ?? -Infinity;

export function logSum(logs) {
  const highest = Math.max(...logs);
  return highest === -Infinity ? highest : highest + Math.log(logs.reduce((sum, x) => sum + Math.exp(x - highest), 0));
}

export const rangeOf = (first, last) => Array.from({ length: Math.max(0, last - first + 1) }, (_, k) => first + k);

// How the code calls the lattice and the trace of a run, and what it asks them for.
export function codeOf(view, r) {
  const [lattice, trace] = view.payload.settings?.variables?.[r] || ["lattice", "trace"];
  return {
    lattice,
    trace,
    context: (i, name) => `${lattice}.find(${i}, ${JSON.stringify(name)})`,
    parent: (i, { from, cutFrom }) => cutFrom ?? `${lattice}.find(${i - 1}, ${JSON.stringify(from)})`,
    column: (i) => `${lattice}.column(${i})`,
    allMass: (i) => `${trace}.log_mass_of(${i})`,
    rootWeight: `${trace}.settings["root_weight"]`,
  };
}
