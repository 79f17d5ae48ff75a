// What the threshold does to each method, in numbers; which words it answers wrongly and which it refuses; the way out.

const TILES = 60; // drawn at once
const CELL = 20; // pixels of a letter across

function makeCards(view) {
  const cards = view.methods.map((method, m) => makeCard(view, method, m));
  return { node: html("div", { class: "rv-methods" }, cards.map((card) => card.node)),
    layout: () => cards.forEach((card) => card.layout()), paint: () => cards.forEach((card) => card.paint()) };
}

const BARS = [["right", "answered, right"], ["wrong", "answered, wrong"], ["refusedRight", "refused, would be right"], ["refusedWrong", "refused, would be wrong"]];

function makeCard(view, method, m) {
  const name = html("button", { type: "button", class: "rv-focus rv-method", onclick: () => view.move({ focus: m }), title: "show its words below" }, `${method.mark} ${method.name}`);
  const answered = html("span", { class: "rv-big" });
  const facts = ["right", "wrong", "precision", "surest"].map(() => html("dd", {}));
  const bars = BARS.map(([kind, title]) => html("span", { class: "rv-part rv-" + kind, title }));
  const note = html("p", { class: "rv-note" });
  const node = html("section", { class: `rv-panel rv-card ${method.className}`, "aria-label": method.name },
    html("div", { class: "rv-card-head" }, name, answered), html("div", { class: "rv-parts", "aria-hidden": "true" }, bars),
    html("dl", { class: "rv-facts-row" }, ["right", "wrong", "precision", "confidence ≥"].map((term, k) => html("div", {}, html("dt", {}, term), facts[k]))), note);

  function layout() {
    setText(note, ceilingSentence(view, method));
    setAttributes(name, { "aria-pressed": m === view.place.focus });
    toggle(node, "rv-now", m === view.place.focus);
  }

  function paint() {
    const now = view.standings[m];
    answered.replaceChildren(html("b", {}, countText(now.answered)), ` of ${countText(view.N)} answered · ${percentText(now.share, 0)}`);
    const shown = [countText(now.right), countText(now.wrong), now.precision === null ? "–" : percentText(now.precision), now.threshold === null ? "–" : percentText(now.threshold)];
    facts.forEach((fact, k) => setText(fact, shown[k]));
    toggle(facts[1], "rv-bad", now.wrong > 0);
    const widths = [now.right, now.wrong, now.refusedRight, now.refused - now.refusedRight];
    bars.forEach((bar, k) => { bar.style.flexGrow = widths[k]; bar.style.display = widths[k] ? "" : "none"; });
  }

  return { node, layout, paint };
}

function ceilingSentence(view, method) {
  const { answered, wrong, precision } = ceilingOf(method);
  const { output } = termsOf(view);
  if (precision >= TARGET) {
    const best = method.answered[RULES.precision.cut(method, TARGET)] / view.N;
    return `99 % right can be had for ${percentText(best)} of the ${output}s.`;
  }
  const why = method.kind === "beam" ? " What it has dropped it cannot doubt." : "";
  return `Never gets past ${percentText(precision)} once a fifth is answered: of its surest ${countText(answered)} ${output}s ${countText(wrong)} ${wrong === 1 ? "is" : "are"} wrong.${why}`;
}

const SORTS = {
  surest: ["surest first", (method) => (a, b) => method.confidence[b] - method.confidence[a]],
  least: ["least sure first", (method) => (a, b) => method.confidence[a] - method.confidence[b]],
  longest: ["longest first", (method, gold) => (a, b) => gold[b].length - gold[a].length],
  order: ["in their order", () => (a, b) => a - b],
};

// The words of one side of the threshold, right or wrong, as the method in focus reads them.
function makeWall(view, side) {
  const usual = side === "answered" ? "wrong" : "right";
  let kind = usual;
  let most = TILES;
  const choice = segmented(`which of the ${side}`, [["wrong", ""], ["right", ""]], () => kind, (chosen) => { kind = chosen; most = TILES; paint(); });
  const [wrong, right] = choice.node.children;
  const sort = html("select", { class: "rv-speed", "aria-label": `order of the ${side}`, onchange: () => view.move({ sort: sort.value }) },
    Object.entries(SORTS).map(([name, [text]]) => html("option", { value: name }, text)));
  const { node, body, heading } = panel("", "rv-wall", choice.node, sort);
  const tiles = html("div", { class: "rv-tiles rv-scroll", tabindex: "0", role: "group" });
  body.append(tiles);

  function paint() {
    const { method, now } = inFocus(view);
    const some = side === "answered" ? { all: now.answered, wrong: now.wrong, right: now.right } : { all: now.refused, right: now.refusedRight, wrong: now.refused - now.refusedRight };
    setText(heading, `${side === "answered" ? "Answered" : "Refused"} by ${method.name}`);
    setText(wrong, side === "answered" ? `wrong: ${countText(some.wrong)}` : `wrong anyway: ${countText(some.wrong)}`);
    setText(right, side === "answered" ? `right: ${countText(some.right)}` : `right in truth: ${countText(some.right)}`);
    choice.paint();
    sort.value = view.place.sort;
    setAttributes(tiles, { "aria-label": heading.textContent + ", " + kind });
    const words = chosenWords(view, method, now.answered, side, kind);
    const rest = words.length - most;
    const more = rest > 0 ? html("button", { type: "button", class: "rv-button", onclick: () => { most += 5 * TILES; paint(); } }, `${countText(rest)} more`) : null;
    const none = words.length ? null : html("p", { class: "rv-empty" }, "none");
    tiles.replaceChildren(...words.slice(0, most).map((word) => tileOf(view, word)), ...[more, none].filter(Boolean));
  }

  return { node, layout() {}, paint };
}

function inFocus(view) {
  const m = view.place.focus;
  return { m, method: view.methods[m], now: view.standings[m] };
}

function chosenWords(view, method, answered, side, kind) {
  const among = side === "answered" ? method.order.slice(0, answered) : method.order.slice(answered);
  const words = among.filter((word) => (method.decoded[word] === null) === (kind === "right"));
  return words.sort(SORTS[view.place.sort][1](method, view.payload.gold));
}

// A tile is made once per word and method; sliding only moves it in and out.
function tileOf(view, word) {
  const { m } = inFocus(view);
  if (!view.tiles[m].has(word)) view.tiles[m].set(word, makeTile(view, m, word));
  return view.tiles[m].get(word);
}

function makeTile(view, m, word) {
  const { payload } = view;
  const method = view.methods[m];
  const gold = payload.gold[word];
  const decoded = method.decoded[word] || gold;
  const sure = percentText(method.confidence[word]);
  const names = (labels) => spell(view, labels.filter((y) => y >= 0));
  const said = `${method.name} reads ${names(decoded)}, gold ${names(gold)}, confidence ${sure}`;
  const shown = payload.images ? writtenTile(view, word, gold, decoded) : spelledTile(view, gold, decoded);
  const parts = [shown, html("span", { class: "rv-sure" }, sure)];
  if (!payload.links || !view.host.trigger) return html("div", { class: "rv-tile", role: "img", "aria-label": said }, parts);
  const open = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a new tab or window is the browser's business
    event.preventDefault();
    view.host.trigger("word", { word, method: m });
  };
  return html("a", { class: "rv-tile", href: `step?${payload.links[word]}&${method.query}`, "aria-label": `${said}; open in Step`, title: "step through it", onclick: open }, parts);
}

// Pixels above, what was read and what was written below, letter under letter.
function writtenTile(view, word, gold, decoded) {
  const { images, size: [rows, columns], labels } = view.payload;
  const height = (CELL / (columns + 2)) * rows;
  const cells = gold.map((y, i) => {
    const right = y === decoded[i];
    const middle = (i + 0.5) * CELL;
    return [svg("text", { class: right ? "rv-read" : "rv-read rv-wrong", x: middle, y: height + 15 }, labels[decoded[i]]),
      right ? null : svg("text", { class: "rv-gold", x: middle, y: height + 31 }, y < 0 ? "?" : labels[y])];
  });
  const lines = gold.some((y, i) => y !== decoded[i]) ? 36 : 20;
  return svg("svg", { width: gold.length * CELL, height: height + lines, "aria-hidden": "true" },
    svg("path", { class: "rv-ink", d: pixels(images[word], gold.length, rows, columns), transform: `scale(${CELL / (columns + 2)})`, "shape-rendering": "crispEdges" }), cells.flat());
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
  const read = decoded.map((y, i) => html("span", { class: y === gold[i] ? "rv-read" : "rv-read rv-wrong" }, labels[y] + " "));
  const written = gold.map((y, i) => html("span", { class: y === decoded[i] ? "rv-dim" : "rv-gold" }, (y < 0 ? "?" : labels[y]) + " "));
  return html("span", { class: "rv-spelled", "aria-hidden": "true" }, html("span", {}, read), html("span", {}, written));
}

const COLUMNS = [["accuracy", "accuracy"], ["recall_99", "recall @ 99 %"], ["recall_95", "recall @ 95 %"], ["area", "area"], ["calibration_error", "calibration error"], ["mean_confidence", "mean confidence"]];

function makeNumbers(view) {
  const number = (value) => massText(value);
  const head = html("tr", {}, html("th", { scope: "col" }, "method"), COLUMNS.map(([, text]) => html("th", { scope: "col" }, text)));
  const rows = view.methods.map((method) => html("tr", { class: method.className }, html("th", { scope: "row", class: "rv-method" }, `${method.mark} ${method.name}`),
    COLUMNS.map(([name]) => {
      const [value, low, high] = method.score[name];
      return html("td", {}, number(value), html("span", { class: "rv-interval" }, `${number(low)} – ${number(high)}`));
    })));
  const { node, body } = panel("The same in numbers", "rv-numbers");
  body.append(html("div", { class: "rv-table", tabindex: "0", role: "group", "aria-label": "numbers of each method" }, html("table", {}, html("thead", {}, head), html("tbody", {}, rows))),
    html("p", { class: "rv-more" }, `Below each number its 95 % interval (bootstrap over the ${termsOf(view).output}s). Recall: the largest share answered with that precision. Area: mean precision over all shares. Calibration error: ten bins of equal mass.`));
  return { node, layout() {}, paint() {} };
}

function makeBar(view) {
  const { said, tell } = makeSaid();
  const file = () => `rcmviz-precision-${(view.payload.title || "words").replace(/[^\p{L}\p{N}]+/gu, "-")}`;
  const text = (name, type, content) => save(new Blob([content], { type }), name);
  const link = view.host.trigger ? quietButton("copy link", () => copy(linkTo(view), tell, "link copied"), "a link to exactly this threshold") : null;
  const node = html("div", { class: "rv-tools" }, said, link,
    quietButton("words (CSV)", () => text(file() + "-words.csv", "text/csv", csv(wordRows(view))), "every word, what each method reads and how sure it is"),
    quietButton("curves (CSV)", () => text(file() + "-curves.csv", "text/csv", csv(curveRows(view))), "every threshold of every method"),
    quietButton("JSON", () => text(file() + ".json", "application/json", JSON.stringify(view.payload)), "the data of this view"),
    quietButton("SVG", () => saveSvg(chartPicture(view), file() + ".svg"), "the chart as SVG"), quietButton("PNG", () => savePng(chartPicture(view), file() + ".png"), "the chart as PNG"));
  return { node, layout() {}, paint() {} };
}

function wordRows(view) {
  const { gold } = view.payload;
  const names = (labels) => spell(view, labels.filter((y) => y >= 0));
  const head = ["number", "gold", ...view.methods.flatMap(({ name }) => [`${name} decoded`, `${name} confidence`, `${name} answered`])];
  const answered = view.methods.map((method, m) => new Set(method.order.slice(0, view.standings[m].answered)));
  return [head, ...gold.map((truth, word) => [word, names(truth), ...view.methods.flatMap((method, m) =>
    [names(method.decoded[word] || truth), method.confidence[word], Number(answered[m].has(word))])])];
}

function curveRows(view) {
  const rows = view.methods.flatMap((method) => method.threshold.map((threshold, k) =>
    [method.name, threshold, method.answered[k], method.right[k], method.answered[k] / view.N, method.right[k] / method.answered[k]]));
  return [["method", "confidence at least", "answered", "right", "share answered", "precision"], ...rows];
}

// The chart with a legend, as one SVG that needs no style sheet.
function chartPicture(view) {
  const { drawing } = view.parts.chart;
  const [width, height] = ["width", "height"].map((name) => Number(drawing.getAttribute(name)));
  const background = plainColor(getComputedStyle(view.root).getPropertyValue("--rv-bg").trim() || "white");
  const legend = view.methods.map((method, m) => {
    const line = wordDrawing(`${method.mark} ${method.name}: ${spoken(view).split("; ")[m].slice(method.name.length + 1)}`, view.parts.cards.node, 12, 44 + 18 * m);
    return setAttributes(line, { fill: plainColor(getComputedStyle(view.root.querySelector(`.rv-card.${method.className} .rv-focus`)).color) });
  });
  const top = 44 + 18 * view.methods.length;
  const title = wordDrawing(`${view.payload.title} · ${RULES[view.place.by].label} ${percentText(view.place.at)}`, view.parts.cards.node, 12, 22);
  return svg("svg", { xmlns: SVG_SPACE, width, height: height + top }, svg("rect", { width: "100%", height: "100%", fill: background }), title, legend,
    setAttributes(withStyles(drawing), { x: 0, y: top, width, height }));
}
