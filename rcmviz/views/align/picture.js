// The alignment as a picture: an edge is as wide as it is probable, the edges of the best alignment are outlined.

import { alignmentOf, edgesOf, keyOf, countShownLetters, meantBelow } from "./edges.js";
import { axisText } from "../shared/chart.js";
import { html, setAttributes, setText, svg } from "../shared/dom.js";
import { stretched } from "../shared/figures.js";
import { visible } from "../shared/names.js";
import { massText } from "../shared/numbers.js";
import { panel } from "../shared/parts.js";
import { bringIntoSight } from "../shared/sight.js";
import { isLow, sizeClass } from "../shared/view.js";

const PICTURE = { height: 218, low: 190, top: 44, bottom: 50, side: 26, widest: 64, least: 0.01, long: 14 };

export function makePicture(view, run) {
  const drawing = svg("svg", { class: "rv-drawing rv-alignment", role: "img" });
  const frame = html(
    "div",
    { class: "rv-strip-frame", tabindex: "0", role: "group", "aria-label": `alignment of ${run.name}` },
    drawing,
  );
  const box = panel("", "rv-align-picture " + run.className);
  setAttributes(box.node, { "data-run": view.runs.indexOf(run) });
  box.body.append(frame);
  const here = svg("g");
  const still = svg("g");
  drawing.append(here, still);
  let at = null;

  function layout() {
    const best = alignmentOf(view, run);
    view.pictureHeight = stretched(drawing, isLow() ? PICTURE.low : PICTURE.height);
    const columns = Math.max(countShownLetters(view, run), view.payload.phones.length);
    const room = panelWidth(view) - 18;
    const pitch = Math.max(30, Math.min(PICTURE.widest, (room - 2 * PICTURE.side) / Math.max(1, columns - 1)));
    const width = Math.max(room, pitch * (columns - 1) + 2 * PICTURE.side);
    at = placesOf(view, (width - pitch * (columns - 1)) / 2, pitch, countShownLetters(view, run));
    const shown = view.asked === "gold" ? `how ${view.payload.meant} is aligned` : "phones and letters";
    setText(box.heading, `${run.mark} ${run.name}: ${shown}`);
    setAttributes(drawing, { width, height: view.pictureHeight, "aria-label": pictureText(view, run, best) });
    if (!best) return still.replaceChildren(...drawPhones(view, at), drawMissing(view, width));
    still.replaceChildren(
      ...drawEdges(view, run, at, best),
      ...drawPhones(view, at),
      ...drawLetters(view, run, at, best),
    );
  }

  function paint() {
    const [a, i] = view.cell();
    if (i > at.letters.length || !alignmentOf(view, run)) return here.replaceChildren();
    bringIntoSight(frame, at.letters[i - 1], at.phones[a - 1]);
    here.replaceChildren(
      ...[
        [at.phones[a - 1], PICTURE.top],
        [at.letters[i - 1], view.pictureHeight - PICTURE.bottom],
      ].map(([x, y], k) =>
        svg("rect", { class: "rv-current", x: x - 17, y: k ? y + 4 : y - 30, width: 34, height: 27, rx: 7 }),
      ),
      svg("line", {
        class: "rv-align-here",
        x1: at.phones[a - 1],
        x2: at.letters[i - 1],
        y1: PICTURE.top,
        y2: view.pictureHeight - PICTURE.bottom,
      }),
    );
  }

  return { node: box.node, layout, paint, highlight() {}, drawing };
}

export function panelWidth(view) {
  return view.runs.length > 1 && sizeClass(view.width) !== "narrow" ? (view.width - 10) / 2 : view.width;
}

// Both rows begin at the same place, so a letter per phone is a straight line down. Rows of a long example end at the
// same place too, or its edges would be ever flatter.
function placesOf(view, left, pitch, letters) {
  const phones = view.payload.phones.length;
  const columns = Math.max(letters, phones);
  const row = (count) =>
    Array.from(
      { length: count },
      (_, k) => left + pitch * k * (columns > PICTURE.long && count > 1 ? (columns - 1) / (count - 1) : 1),
    );
  return { phones: row(phones), letters: row(letters) };
}

function drawEdges(view, run, at, best) {
  const [top, bottom] = [PICTURE.top, view.pictureHeight - PICTURE.bottom];
  const chosen = new Set((best?.edges ?? []).map(([a, i]) => keyOf(a, i)));
  const drawn = edgesOf(view, run).flatMap((row, a) =>
    row
      .map((p, i) => [a, i, p])
      .filter(([, i, p]) => i < at.letters.length && (p >= PICTURE.least || chosen.has(keyOf(a, i)))),
  );
  drawn.sort((one, other) => one[2] - other[2]);
  return drawn.map(([a, i, p]) => {
    const best = chosen.has(keyOf(a, i));
    const line = (name, width) =>
      svg("line", {
        class: name,
        x1: at.phones[a],
        x2: at.letters[i],
        y1: top,
        y2: bottom,
        "stroke-width": width.toFixed(1),
      });
    const group = svg(
      "g",
      {
        class: "rv-align-edge" + (best ? " rv-best" : ""),
        "data-point": `line ${a + 1}.${i + 1}`,
        onclick: () => view.goToCell([a + 1, i + 1]),
      },
      svg("title", {}, `${view.payload.phones[a]} and letter ${i + 1}: ${massText(p)}`),
      line("rv-align-mass", 1 + 9 * p),
      best ? line("rv-align-best", 1.6) : null,
    );
    group.firstElementChild.nextElementSibling.style.strokeOpacity = String(0.16 + 0.62 * p);
    return group;
  });
}

function drawMissing(view, width) {
  const of = view.asked === "gold" ? ` of ${view.payload.meant}` : "";
  const place = { x: width / 2, y: view.pictureHeight / 2 + 8, "text-anchor": "middle" };
  return axisText(`no alignment${of} was kept`, place);
}

function drawPhones(view, at) {
  return view.payload.phones.map((phone, a) =>
    svg("text", { class: "rv-align-phone", x: at.phones[a], y: PICTURE.top - 11, "text-anchor": "middle" }, phone),
  );
}

function drawLetters(view, run, at, best) {
  const y = view.pictureHeight - PICTURE.bottom + 23;
  const meant = meantBelow(view, run);
  return at.letters.flatMap((x, i) => {
    const letter = best?.text[i];
    const text = svg(
      "text",
      { class: "rv-letter" + (letter ? "" : " rv-other"), x, y, "text-anchor": "middle" },
      visible(letter) ?? "·",
    );
    if (letter && view.asked === "model") text.style.fillOpacity = String(0.45 + 0.55 * (best.sure?.[i] ?? 1));
    return [
      text,
      meant?.[i] ? svg("text", { class: "rv-gold", x, y: y + 22, "text-anchor": "middle" }, visible(meant[i])) : null,
    ].filter(Boolean);
  });
}

// The text for screen readers: the edges of the best alignment, phone by phone.
function pictureText(view, run, best) {
  if (!best) return `${run.name}: no alignment`;
  const letters = view.payload.phones.map(
    (phone, a) =>
      `${phone} with ${
        best.edges
          .filter(([b]) => b === a)
          .map(([, i]) => best.text[i])
          .join("") || "nothing"
      }`,
  );
  return `${run.name}, best alignment: ${letters.join(", ")}`;
}
