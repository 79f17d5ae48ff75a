// The mixture of policies before each iteration, as bars.

import { policyName } from "./rollouts.js";
import { html, setAttributes } from "../shared/dom.js";
import { wholePercentText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";
import { telling } from "../shared/words.js";

export function makeMixture(view) {
  const { iterations } = view.payload;
  const box = panel("Who acts", "rv-mixture-panel");
  telling(box.heading, "mixture: every decision is made by one of these policies, drawn with these probabilities.");
  const rows = iterations.map((iteration, k) => rowOf(view, iteration, k));
  box.body.append(
    ...rows.map(({ node }) => node),
    html("p", { class: "rv-more" }, "Probability that each policy acts at a position."),
  );
  const paint = () => rows.forEach((row) => row.paint());
  return { node: box.node, layout() {}, paint, highlight() {} };
}

function rowOf(view, { name, mixture }, k) {
  const segments = mixture
    .filter(([, share]) => share > 0.0005)
    .map(([policy, share]) => {
      const said = `${policyName(policy)} ${wholePercentText(share)}`;
      const segment = html(
        "span",
        { class: "rv-share-of", title: said },
        share > 0.2 ? said : share > 0.05 && policy ? String(policy) : "",
      );
      segment.style.width = `${100 * share}%`;
      segment.dataset.policy = policy === 0 ? "oracle" : policy % 2 ? "odd" : "even";
      return segment;
    });
  const node = html(
    "button",
    {
      type: "button",
      class: "rv-mixture-row",
      "data-point": `row iteration ${k + 1}`,
      onclick: () => view.put({ iteration: k, action: null }),
    },
    html("span", {}, name),
    html("span", { class: "rv-mixture-bar" }, segments),
  );
  return { node, paint: () => setAttributes(node, { "aria-pressed": view.iteration === k }) };
}
