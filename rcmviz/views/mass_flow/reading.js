// The present input: the picture of the position, its likely labels, the phase, and one sentence about the step.

import { html, setAttributes, svg } from "../shared/dom.js";
import { countText } from "../shared/numbers.js";
import { shareText } from "./bar_names.js";
import { END, phaseNames } from "./phases.js";
import { writePieces } from "./pieces.js";
import { rightFateText, followStory, sentenceOf } from "./sentences.js";

const LEAST = 0.25; // share that fills the height at least, so that a flat row looks flat

// The pixels of a picture as one path.
export function inkOf(rows, attributes = {}) {
  const dots = rows.flatMap((row, y) =>
    [...row].map((pixel, x) => (pixel === "1" ? `M${x} ${y}h1.02v1.02h-1.02z` : "")),
  );
  const viewBox = `0 0 ${rows[0].length} ${rows.length}`;
  return svg(
    "svg",
    { viewBox, "aria-hidden": "true", ...attributes },
    svg("path", { class: "rv-flow-ink", d: dots.join("") }),
  );
}

export function makeReading(view) {
  const picture = html("div", { class: "rv-flow-picture" });
  const looks = html("div", { class: "rv-flow-looks", role: "img" });
  const phases = html("ol", { class: "rv-flow-phases" });
  const sentence = html("p", { class: "rv-flow-sentence", "aria-live": "polite" });
  const aside = html("p", { class: "rv-flow-aside", "aria-live": "polite" });
  const text = html("div", { class: "rv-flow-words" }, phases, sentence, aside);
  const node = html("div", { class: "rv-flow-now" }, picture, looks, text);
  const stop = html("button", { type: "button", onclick: () => view.follow(null) }, "stop following");
  let [said, read] = ["", 0];

  function layout() {
    [said, read] = ["", 0];
  }

  function paint() {
    const { i, phase } = view.where();
    if (said === `${i} ${phase}`) return;
    said = `${i} ${phase}`;
    if (read !== i) showInput(i);
    read = i;
    showPhases(i, phase);
    writePieces(sentence, sentenceOf(view, i, phase));
    const story = view.followed ? followStory(view) : rightFateText(view, i, phase);
    writePieces(aside, story);
    aside.classList.toggle("rv-flow-gold", !view.followed);
    if (view.followed) aside.append(stop);
  }

  function showInput(i) {
    const { images, tokens, looks: all, labels, unit } = view.payload;
    picture.hidden = !images && !tokens;
    if (images) picture.replaceChildren(inkOf(images[i - 1]));
    else if (tokens)
      picture.replaceChildren(html("b", { title: tokens[i - 1] }, view.fitText(tokens[i - 1], 14 * view.fontSize())));
    const row = all?.[i - 1] ?? [];
    looks.hidden = !row.length;
    const most = Math.max(row[0]?.[1] ?? 0, LEAST);
    looks.replaceChildren(
      ...row.map(([y, p]) => {
        const bar = html("i", { style: `height: ${(100 * p) / most}%` });
        return html("div", { class: "rv-flow-look" }, bar, html("span", {}, [...labels[y]].slice(0, 6).join("")));
      }),
    );
    const heard = row.map(([y, p]) => `${labels[y]} ${shareText(p)}`).join(", ");
    setAttributes(looks, { "aria-label": `what this ${unit} looks like: ${heard}` });
  }

  function showPhases(i, phase) {
    const { unit, T, kind } = view.payload;
    const isEnd = kind === "ctc" && i === T;
    const place = `${countText(i)} of ${countText(kind === "ctc" ? T - 1 : T)}`;
    const where = isEnd ? `End of ${countText(T - 1)} ${unit}s` : `${unit[0].toUpperCase()}${unit.slice(1)} ${place}`;
    const buttons = phaseNames(view, i).map((name, k) => {
      const act = () => view.glide(4 * (i - 1) + k + END);
      const button = html(
        "button",
        { type: "button", "aria-current": k === phase ? "step" : null, onclick: act },
        name,
      );
      return html("li", {}, button);
    });
    phases.replaceChildren(html("li", { class: "rv-dim" }, where), ...buttons);
  }

  return { node, layout, paint, sentence: () => sentence.textContent };
}
