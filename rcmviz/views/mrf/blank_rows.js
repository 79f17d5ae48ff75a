// The words listed for the present blank, with or without a changed neighbour.

import { html } from "../shared/dom.js";

export const ROWS = 10;

export const slotName = ({ side, back }) => `${side === "left" ? "−" : "+"}${back}`;
export const isSameSlot = (one, other) => one.side === other.side && one.back === other.back;
export const code = (text) => html("code", { class: "rv-name" }, text);

export const edgeName = (slot) => (slot.side === "left" ? "start" : "end"); // where the sentence ends before a slot

// The probability of a full bar: the largest that any list can have.
export function highestProbability({ p, variants, following }) {
  return Math.max(...p, ...variants.flatMap((one) => one.p), ...(following?.words ?? []).map(([, share]) => share));
}

// Rows of the present list, the likeliest first: {word, p, before, cells} with a cell per neighbour.
export function rowsOf(view) {
  const { payload, swap } = view;
  const now = swap ?? payload;
  return payload.words
    .map((word, w) => ({
      word,
      p: now.p[w],
      before: payload.p[w],
      node: payload.node[w],
      cells: payload.slots.map((slot, s) => {
        const before = payload.edges[s][w];
        return { now: swap && isSameSlot(slot, swap) ? swap.edge[w] : before, before };
      }),
    }))
    .sort((one, other) => other.p - one.p)
    .slice(0, ROWS);
}

export const pickedRow = (view) => {
  const rows = rowsOf(view);
  return rows.find(({ word }) => word === view.pick) ?? rows[0];
};
