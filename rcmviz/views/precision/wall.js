// Which words a method answers and which it refuses, as tiles.

import { html, setAttributes, setText, svg } from "../shared/dom.js";
import { spell } from "../shared/names.js";
import { countText, ninesText } from "../shared/numbers.js";
import { panel, segmented } from "../shared/parts.js";

const TILES = 60; // drawn at once
const CELL = 20; // pixels of a letter across

const SORTS = {
  surest: ["surest first", (method) => (a, b) => method.confidence[b] - method.confidence[a]],
  least: ["least sure first", (method) => (a, b) => method.confidence[a] - method.confidence[b]],
  longest: ["longest first", (method, gold) => (a, b) => gold[b].length - gold[a].length],
  order: ["in their order", () => (a, b) => a - b],
};

// The words of one side of the threshold, right or wrong, as the method in focus reads them.
export function makeWall(view, side) {
  const usual = side === "answered" ? "wrong" : "right";
  let kind = usual;
  let most = TILES;
  const choice = segmented(
    `which of the ${side}`,
    [
      ["wrong", ""],
      ["right", ""],
    ],
    () => kind,
    (chosen) => {
      kind = chosen;
      most = TILES;
      paint();
    },
  );
  const [wrong, right] = choice.node.children;
  const sort = html(
    "select",
    { class: "rv-speed", "aria-label": `order of the ${side}`, onchange: () => view.move({ sort: sort.value }) },
    Object.entries(SORTS).map(([name, [text]]) => html("option", { value: name }, text)),
  );
  const { node, body, heading } = panel("", "rv-wall", choice.node, sort);
  const tiles = html("div", { class: "rv-tiles rv-scroll", tabindex: "0", role: "group" });
  body.append(tiles);

  function paint() {
    const { method, now } = focusedRows(view);
    const some =
      side === "answered"
        ? { all: now.answered, wrong: now.wrong, right: now.right }
        : { all: now.refused, right: now.refusedRight, wrong: now.refused - now.refusedRight };
    setText(heading, `${side === "answered" ? "Answered" : "Refused"} by ${method.name}`);
    const verb = side === "answered" ? "" : "would be ";
    setText(wrong, `${verb}wrong: ${countText(some.wrong)}`);
    setText(right, `${verb}right: ${countText(some.right)}`);
    choice.paint();
    sort.value = view.place.sort;
    setAttributes(tiles, { "aria-label": heading.textContent + ", " + kind });
    const words = chosenWords(view, method, now.answered, side, kind);
    const rest = words.length - most;
    const more =
      rest > 0
        ? html(
            "button",
            {
              type: "button",
              class: "rv-button",
              onclick: () => {
                most += 5 * TILES;
                paint();
              },
            },
            `${countText(rest)} more`,
          )
        : null;
    const none = words.length ? null : html("p", { class: "rv-empty" }, "none");
    tiles.replaceChildren(...words.slice(0, most).map((word) => tileOf(view, word)), ...[more, none].filter(Boolean));
  }

  return { node, layout() {}, paint };
}

function focusedRows(view) {
  const m = view.place.focus;
  return { m, method: view.methods[m], now: view.standings[m] };
}

function chosenWords(view, method, answered, side, kind) {
  const among = side === "answered" ? method.order.slice(0, answered) : method.order.slice(answered);
  const words = among.filter((word) => (method.decoded[word] === null) === (kind === "right"));
  return words.sort(SORTS[view.place.sort][1](method, view.payload.gold));
}

// A tile is made once per word and method; the slider only shows or hides it.
function tileOf(view, word) {
  const { m } = focusedRows(view);
  if (!view.tiles[m].has(word)) view.tiles[m].set(word, makeTile(view, m, word));
  return view.tiles[m].get(word);
}

function makeTile(view, m, word) {
  const { payload } = view;
  const method = view.methods[m];
  const gold = payload.gold[word];
  const decoded = method.decoded[word] || gold;
  const sure = ninesText(method.confidence[word]);
  const names = (labels) =>
    spell(
      view,
      labels.filter((y) => y >= 0),
    );
  const said = `${method.name} reads ${names(decoded)}, gold ${names(gold)}, confidence ${sure}`;
  const shown = payload.images ? writtenTile(view, word, gold, decoded) : spelledTile(view, gold, decoded);
  const parts = [shown, html("span", { class: "rv-sure" }, sure)];
  if (!payload.links || !view.host.trigger)
    return html("div", { class: "rv-tile", role: "img", "aria-label": said }, parts);
  const open = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a new tab or window is the browser's business
    event.preventDefault();
    view.host.trigger("word", { word, method: m });
  };
  return html(
    "a",
    {
      class: "rv-tile",
      href: `step?${payload.links[word]}&${method.query}`,
      "aria-label": `${said}; open in Step`,
      title: "step through it",
      onclick: open,
    },
    parts,
  );
}

// The image above, the answer and the gold below, letter under letter.
function writtenTile(view, word, gold, decoded) {
  const {
    images,
    size: [rows, columns],
    labels,
  } = view.payload;
  const height = (CELL / (columns + 2)) * rows;
  const cells = gold.map((y, i) => {
    const right = y === decoded[i];
    const middle = (i + 0.5) * CELL;
    return [
      svg("text", { class: right ? "rv-read" : "rv-read rv-wrong", x: middle, y: height + 15 }, labels[decoded[i]]),
      right ? null : svg("text", { class: "rv-gold", x: middle, y: height + 31 }, y < 0 ? "?" : labels[y]),
    ];
  });
  const lines = gold.some((y, i) => y !== decoded[i]) ? 36 : 20;
  return svg(
    "svg",
    { width: gold.length * CELL, height: height + lines, "aria-hidden": "true" },
    svg("path", {
      class: "rv-ink",
      d: pixels(images[word], gold.length, rows, columns),
      transform: `scale(${CELL / (columns + 2)})`,
      "shape-rendering": "crispEdges",
    }),
    cells.flat(),
  );
}

function pixels(packed, letters, rows, columns) {
  let d = "";
  for (let bit = 0; bit < letters * rows * columns; bit += 1) {
    if (!((parseInt(packed[bit >> 2], 16) >> (3 - (bit & 3))) & 1)) continue;
    const [letter, place] = [Math.floor(bit / (rows * columns)), bit % (rows * columns)];
    d += `M${letter * (columns + 2) + 1 + (place % columns)} ${Math.floor(place / columns)}h1v1h-1z`;
  }
  return d;
}

function spelledTile(view, gold, decoded) {
  const { labels } = view.payload;
  const read = decoded.map((y, i) =>
    html("span", { class: y === gold[i] ? "rv-read" : "rv-read rv-wrong" }, labels[y] + " "),
  );
  const written = gold.map((y, i) =>
    html("span", { class: y === decoded[i] ? "rv-dim" : "rv-gold" }, (y < 0 ? "?" : labels[y]) + " "),
  );
  return html(
    "span",
    { class: "rv-spelled", "aria-hidden": "true" },
    html("span", {}, read),
    html("span", {}, written),
  );
}
