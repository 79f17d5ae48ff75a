// The sums of a context: its own candidate and what it took in, and its posterior.

import { countText } from "../shared/numbers.js";
import { codeOf, factor, logOf, share, rangeOf } from "./sum_terms.js";
import { carrierTerms, productTerms } from "./sums_of_candidate.js";

const NAMED = 2; // names of what a context took in

// The mass of a context, or of a candidate that is none; null where nothing is known of it.
export function massTerms(view, r, focus) {
  const { position: i } = focus;
  const { T, runs } = view.payload;
  if (i === T || !runs[r].columns[i].sums.own) return null;
  const candidate = focus.candidates[r];
  const isContext = focus.rows[r];
  const silent = candidate && candidate.fate !== 0 && focus.candidate !== undefined; // a twin that another speaks for
  if (candidate && (silent || !isContext)) {
    return [...productTerms(view, r, i, candidate), ...carrierTerms(view, r, i, candidate)];
  }
  return isContext ? forwardTerms(view, r, focus) : null;
}

// (Its own candidate + what it took in) × the weight of the root = its forward mass; the candidate alone where it took
// nothing in.
function forwardTerms(view, r, { position: i, rows, name, candidates }) {
  const run = view.payload.runs[r];
  const { sums } = run.columns[i];
  const { index: place, length } = rows[r];
  const code = codeOf(view, r);
  const here = code.context(i, name);
  const own =
    candidates[r]?.fate === 0 ? productTerms(view, r, i, candidates[r]) : ownTerm(sums, place, name, code.trace, here);
  const taken = sums.taken[place];
  if (!taken) return own;
  const weight = length ? 0 : run.sums.rootWeight;
  const total = `np.logaddexp.reduce(${own.length ? "[mass, *taken]" : "taken"})`;
  return [
    ...own,
    share("taken", own.length ? "+" : "", logOf(taken[1]) - sums.whole, {
      ...absorbedCandidates(view, r, i, name, taken[0]),
      code: `taken = ${code.trace}.log_mass[(${code.trace}.into == ${here}) & ~${code.trace}.kept]`,
    }),
    ...(weight === 0
      ? []
      : [factor("root", "×", logOf(weight), { name: "weight of the root", code: `root = ${code.rootWeight}` })]),
    share("forward", "=", logOf(sums.forward[place]) - sums.whole, {
      name: `forward mass of \`${name}\``,
      code: `forward = ${total}${weight === 0 ? "" : " + root"}`,
      light: { rows: [name] },
    }),
  ];
}

// Its own candidate, of which nothing but the mass was sent.
function ownTerm({ own, whole }, place, name, trace, here) {
  if (own[place] === null) return [];
  const code = `mass = ${trace}.log_mass[(${trace}.into == ${here}) & ${trace}.kept][0]`;
  return [share("mass", "", own[place] - whole, { name: "its own candidate", code, light: { candidates: [name] } })];
}

// The name and the light of the `count` candidates that a context took in.
function absorbedCandidates(view, r, i, context, count) {
  const sources = (view.memory.candidates(r, i) || []).filter((c) => c.fate !== 0 && c.carrier === context);
  const named = sources.slice(0, NAMED).map((c) => "`" + c.name + "`");
  const more = named.length && count > named.length ? ` and ${countText(count - named.length)} more` : "";
  const names = named.length ? named.join(", ") + more : `${countText(count)} candidates`;
  return { name: `took in ${names}`, light: { candidates: sources.map((c) => c.name) } };
}

// Forward × backward ÷ Z.
export function posteriorTerms(view, r, { position: i, rows, name }) {
  if (!rows[r]) return null;
  const place = rows[r].index;
  const { T, runs } = view.payload;
  const { logZ, columns } = runs[r];
  const { whole } = columns[i].sums;
  const [forward, backward] = [logOf(columns[i].sums.forward[place]), logOf(columns[i].sums.backward[place])];
  const here = codeOf(view, r).context(i, name);
  const ahead = ["", ": the last label"][T - i] ?? `: the ${T - i} labels to come`;
  return [
    share("forward", "", forward - whole, {
      name: `forward mass of \`${name}\``,
      code: `forward = post.forward[${here}]`,
      light: { rows: [name], cells: rangeOf(1, i) },
    }),
    factor("backward", "×", backward, {
      name: `backward mass${ahead}`,
      code: `backward = post.backward[${here}]`,
      light: { cells: rangeOf(i + 1, T) },
    }),
    factor("z", "÷", logZ - whole, {
      name: "Z over all mass so far",
      code: "log_z = post.log_z",
      light: { readout: "logz" },
    }),
    share("posterior", "=", forward + backward - logZ, {
      name: `posterior mass of \`${name}\``,
      code: "posterior = np.exp(forward + backward - log_z)",
      light: { rows: [name] },
    }),
  ];
}
