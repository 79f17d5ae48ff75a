// Whose mass is it? Mass flows linearly, so a beginning can be dyed: its share of a context is passed on to all that
// extends the context, and diluted where contexts merge. core/inference/followed_mass.py says the same of a lattice.

import { frameLineage } from "./frame_lineage.js";

const areEqual = (one, other) => one.length === other.length && one.every((label, k) => label === other[k]);

/**
 * Follows a whole beginning, or a context such as *ol where `isWhole` is false, or one of frames by its name, through
 * a run.
 *
 * Gives contexts[i][k], the share of each bar that is followed, share(i, part) and end, the share of all mass at the
 * end. A block has the share of its origin; parts of several bars have their mean.
 * @param {any} run
 * @param {{labels: number[], at: number, isWhole: boolean, name?: string}} followed
 */
export function lineage(run, { labels, at, isWhole, name }) {
  if (name) return frameLineage(run, { name, at });
  const contexts = run.columns.map((column) => column.map(() => 0));
  const shown = isWhole ? -1 : run.columns[at].findIndex((bar) => isNamed(bar, labels));
  const { length } = run.steps;
  if (isWhole) contexts[0][0] = 1;

  const starts = (i) => i === at && !isWhole;
  function passedShare(i, part) {
    if (starts(i)) return Number(shown >= 0 ? part.into === shown : part.one !== null && isNamed(part.one, labels));
    if (i <= at && part.one?.label !== labels[i - 1]) return 0;
    if (i < at && !isWhole) return 0;
    return part.origin >= 0 ? contexts[i - 1][part.origin] : meanOf(run, contexts, i);
  }

  const ofOutput = ({ all, ways }) => Number(isWhole ? areEqual(all.slice(0, at), labels) : ways[at] === shown);
  const named = new Map(); // candidate → its parts into outputs by name
  for (const part of run.steps[length - 1].parts) {
    if (!part.one || part.into < 0 || run.columns[length][part.into].isOthers) continue;
    named.set(part.one, [...(named.get(part.one) ?? []), part]);
  }
  function share(i, part) {
    if (i < length || starts(i) || part.into < 0) return passedShare(i, part);
    const outputs = run.columns[length];
    if (!outputs[part.into].isOthers) return ofOutput(outputs[part.into]); // an output is known label by label
    const siblings = named.get(part.one) ?? [];
    const total = siblings.reduce((mass, one) => mass + one.mass, part.mass) * passedShare(i, part);
    const left = siblings.reduce((mass, one) => mass - ofOutput(outputs[one.into]) * one.mass, total);
    return left > 1e-9 * part.mass ? Math.min(1, left / part.mass) : 0; // not what was rounded
  }

  run.steps.forEach(({ parts }, k) => {
    for (const part of parts) {
      if (part.into < 0) continue;
      const bar = run.columns[k + 1][part.into];
      if (bar.mass > 0) contexts[k + 1][part.into] += (share(k + 1, part) * part.mass) / bar.mass;
    }
  });
  const last = run.steps[length - 1].parts.filter((part) => part.into >= 0);
  const end = last.reduce((mass, part) => mass + share(length, part) * part.mass, 0);
  return { labels, at, isWhole, contexts, share, end };
}

const isNamed = (bar, labels) =>
  !bar.isOthers && bar.length === labels.length && areEqual(bar.labels, endOf(labels, bar));
const endOf = (labels, bar) => labels.slice(labels.length - bar.labels.length);

function meanOf(run, contexts, i) {
  const column = run.columns[i - 1];
  const mass = column.reduce((total, bar) => total + bar.mass, 0);
  return mass > 0 ? column.reduce((total, bar, k) => total + bar.mass * contexts[i - 1][k], 0) / mass : 0;
}

// How a run treats the followed context: the position at which it is dropped or lost sight of, what carries it, and how
// much of all mass comes from it in the end.
export function storyOf(run, found) {
  const { labels, at, isWhole, name, contexts, share, end } = found;
  for (let i = 1; isWhole && i <= Math.min(at, run.steps.length - 1); i += 1) {
    const part = run.steps[i - 1].parts.find((one) => share(i, one) > 0);
    if (!part) return { fate: "unknown", position: i, end };
    if (part.into < 0) return { fate: "dropped", position: i, isWhole: i === at, labels: labels.slice(0, i), end };
  }
  const place = contexts[at].findIndex((one) => one > 0);
  if (place < 0) {
    const isDropped = name && run.steps[at - 1].parts.some((part) => share(at, part) > 0);
    return { fate: isDropped ? "dropped" : "missing", position: at, isWhole: true, end };
  }
  const bar = run.columns[at][place];
  const isKept = name ? bar.name === name : isNamed(bar, labels);
  return { fate: isKept ? "kept" : "merged", position: at, bar, end };
}
