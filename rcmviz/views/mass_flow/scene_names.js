// The names of a scene: of contexts before (left of their bars), of contexts after (with numbers), and of candidates in
// three arrangements, as they grow, are sorted and are cut.

import { setAttributes, svg } from "../shared/dom.js";
import { countText } from "../shared/numbers.js";
import { cutNames, shareText } from "./bar_names.js";
import { addLayer } from "./moves.js";
import { spreadRows, sumOf } from "./geometry.js";

const NEAR = 3; // pixels: a name so near to its bar needs no leader

export function addNames(view, scene) {
  const layer = (kind) => (scene.names[kind] = addLayer(scene.root));
  addContexts({ view, scene, layer: layer("before") }, "before", scene.before);
  addContexts({ view, scene, layer: layer("after") }, "after", scene.after);
  addCandidates({ view, scene, layer: layer("candidate") });
}

const arrange = ({ scene: { g } }, rows) => spreadRows(rows, g.pitch, g.top + g.pitch / 2, g.floor - g.pitch / 2);
const leader = ({ at, y }, from, to) => (Math.abs(at - y) < NEAR ? "" : `M${from} 0L${to} ${(y - at).toFixed(1)}`);
const textAt = (x, anchor, className, ...words) =>
  svg("text", { x, "text-anchor": anchor, class: `rv-flow-halo ${className}` }, ...words);

function nameText({ scene: { g } }, [head, last], x, anchor, isGold) {
  const star = isGold ? (g.narrow ? "★" : "★ ") : "";
  return textAt(x, anchor, "rv-flow-name", star + head, svg("tspan", { class: "rv-flow-new" }, last));
}

function addLabel({ view, scene, layer }, label, isGold, followed, texts) {
  const group = layer.appendChild(svg("g", { class: `rv-flow-label rv-flow-moves${isGold ? " rv-flow-gold" : ""}` }));
  const line = group.appendChild(svg("path", { class: "rv-flow-leader" }));
  group.append(...texts.filter(Boolean));
  scene.labels.push({ ...label, isGold, group, line });
  if (followed) view.makeFollowable(group, scene.run, { ...followed, isButton: true });
}

function addContexts(names, kind, boxes) {
  const { view, scene } = names;
  const { g, i } = scene;
  const isBefore = kind === "before";
  const at = isBefore ? i - 1 : i;
  const x = isBefore ? g.x0 - 10 : g.x2 + g.bar + (g.narrow ? 8 : 12);
  const cut = cutNames(
    view,
    boxes.map((box) => box.bar),
    at,
    g.letters[kind],
  );
  const weight = ({ mass, gold }) => mass + Number(gold > 0);
  const rows = boxes.map(({ bar, y, h, own }, k) => ({ bar, h, own, name: cut[k], y: y + h / 2, weight: weight(bar) }));
  const isShared = ({ bar }) => bar.rest > 0; // the bar of all contexts without one
  const heavy = rows.filter((row) => row.h > 1e-6 && !isShared(row)).sort((a, b) => b.weight - a.weight);
  const some = Math.max(3, Math.min(g.most, heavy.filter(({ h }) => h > 2).length));
  const [named, others] = [heavy.slice(0, some), [...heavy.slice(some), ...rows.filter(isShared)]];
  if (others.length === 1 && !isShared(others[0])) named.push(...others.splice(0));
  if (others.length) {
    const count = sumOf(others, ({ bar }) => bar.rest || 1);
    named.push({ more: count, y: sumOf(others, (row) => row.y) / others.length, weight: 1 });
  }
  for (const { bar, name, own, more, ...row } of arrange(names, named)) {
    if (row.at === null) continue;
    const lead = isBefore ? leader(row, x + 2, x + 9) : leader(row, x - 2, g.x2 + g.bar + 1);
    const label = { kind, y: row.at, leader: lead };
    const anchor = isBefore ? "end" : "start";
    if (more) {
      addLabel(names, label, false, null, [
        textAt(x, anchor, "rv-dim", g.narrow ? `+${more}` : `${countText(more)} more`),
      ]);
      continue;
    }
    const isGold = bar.gold > 0 && at > 0 && !bar.isOthers;
    const number = isBefore ? null : textAt(g.width - 10, "end", "rv-dim");
    const target = at > 0 && !bar.isOthers ? { bar } : null;
    const written = nameText(names, isBefore ? [name.join(""), ""] : name, x, anchor, isGold);
    addLabel(names, { ...label, own, number, mass: bar.mass }, isGold, target, [written, number]);
  }
}

// A name for each candidate with one, and one for all others on either side of the line.
function addCandidates(names) {
  const { view, scene } = names;
  const { g, i, parts } = scene;
  const entries = new Map();
  for (const part of parts) {
    const key = part.one ?? part.kept;
    const entry = entries.get(key) ?? { one: part.one, kept: part.kept, order: part.order, parts: [] };
    entries.set(key, { ...entry, parts: [...entry.parts, part] });
  }
  const list = [...entries.values()];
  const cut = cutNames(
    view,
    list.map(({ one }) => one ?? { isOthers: true }),
    i,
    g.letters.candidate,
  );
  const spots = ["yGroup", "ySort", "yCut"].map((key) => {
    const shown = list.filter(({ one }) => one || key !== "yGroup");
    return arrange(
      names,
      shown.map((entry) => rowOf(entry, key)),
    );
  });
  list.forEach((entry, k) => addCandidate(names, entry, cut[k], spots));
}

function rowOf(entry, key) {
  const [first, last] = [entry.parts[0], entry.parts.at(-1)];
  const weight = entry.one ? entry.one.mass + Number(first.gold > 0) : 1;
  return { entry, y: (first[key] + last[key] + last.h) / 2, weight };
}

function addCandidate(names, entry, cut, spots) {
  const { g, i, step } = names.scene;
  const [group, sort, below] = spots.map((rows) => rows.find((row) => row.entry === entry && row.at !== null));
  if (!sort || !below) return;
  const { one, kept, order } = entry;
  const x = g.x1 - 14;
  const leads = [group ?? sort, sort, below].map((row) => leader(row, x + 2, g.x1 - 1));
  const label = { kind: "candidate", kept, order, ys: [group?.at ?? null, sort.at, below.at], leads };
  const isGold = Boolean(one) && entry.parts.some((part) => part.gold > 0);
  if (!one) {
    const count = sumOf(entry.parts, (part) => part.count);
    const words = g.narrow ? `+${count}` : `${kept ? "" : "…and "}${countText(count)} more`;
    addLabel(names, label, false, null, [textAt(x, "end", "rv-dim", words)]);
    return;
  }
  const share = shareText(one.mass);
  const number = g.narrow ? null : textAt(x, "end", "rv-dim", share);
  const numberWidth = Math.max(g.number, (share.length + 0.5) * g.letter) + 4;
  const written = nameText(names, cut, number ? x - numberWidth : x, "end", isGold);
  addLabel(names, label, isGold, { one, i, total: step.total }, [written, number]);
}

// A leader is redrawn once its name is at rest.
export function setLeader(label, lead) {
  if (label.drawn === lead) return;
  label.drawn = lead;
  setAttributes(label.line, { d: lead });
}
