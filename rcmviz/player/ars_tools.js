// The head of the view: the answer and what it is worth; the readouts of the round; and what can be taken along.

const ROUND_KEYS = [["← →", "previous, next round"], ["Home End", "first, last round"], ["space", "play, pause"], ["v", "along the path, all states"],
  ["Esc", "let go of the state that is held"], ["?", "this help"]];
const ROUND_MARKS = [["w₂(x | h)", "the largest p(x | … h), whatever stands before: what q believes at order 2"], ["hatched", "cost that q left out: p is smaller by so many nats"],
  ["dashed", "states that the rejection of the round adds"], ["height", "how many words a state remembers"], ["✓ ✕", "accepted, rejected"]];

function makeAnswer(view) {
  const words = html("p", { class: "rv-answer-words" });
  const chip = html("span", { class: "rv-chip rv-verdict" });
  const told = html("span", { class: "rv-dim" });
  const node = html("section", { class: "rv-answer", "aria-label": "the answer" }, words, html("p", {}, chip, " ", told));

  function layout() {
    const { payload } = view;
    const found = payload.sequences.words[view.answer] ?? [];
    words.replaceChildren(...found.map((word, i) => answerWord(payload, payload.names[word], i)).filter(Boolean));
    setAttributes(chip, { "data-verdict": payload.mode === "sample" || payload.result.stopped === "proved" ? "accepted" : "rejected" });
    setText(chip, chipText(payload));
    setText(told, resultText(payload));
  }

  return { node, layout, paint() {}, highlight() {} };
}

// A word above its keys, or above its tag; where something else was meant, that stands there too.
function answerWord({ inputs, gold, term }, name, i) {
  if (name === "</s>") return null;
  const wrong = gold[i] && gold[i] !== name;
  const [large, small] = term === "tag" ? [inputs[i], name] : [name, inputs[i]];
  return html("span", { class: "rv-answer-word" }, html("span", { class: wrong ? "rv-wrong-letter" : "" }, large), small ? html("small", {}, small) : null,
    wrong ? html("small", { class: "rv-meant" }, `★ ${gold[i]}`) : null);
}

const STOPPED = { gap: "the gap is small enough", iterations: "all rounds are used up", trials: "all trials are used up", time: "the time is over", room: "there is no room for more states" };

function chipText({ mode, result, rounds }) {
  if (mode === "sample") return `${countText(result.draws)} exact sample${result.draws === 1 ? "" : "s"}`;
  return result.stopped === "proved" ? `✓ proved optimal at round ${countText(rounds.logQ.length)}` : "not proved yet";
}

function resultText({ mode, result, full, cut, rounds }) {
  const size = sizeText(result.states, full);
  const shown = cut ? ` Shown are the first ${countText(rounds.logQ.length)}.` : "";
  const why = STOPPED[result.stopped] ? ` Stopped: ${STOPPED[result.stopped]}.` : "";
  if (mode === "sample") return `from ${countText(result.trials)} trials, ${size}; above: the most probable sequence found.${why}${shown}`;
  if (result.stopped === "proved") return `log score ${nats(result.logScore)}, ${size}.`;
  return `Best so far; ${result.gap === null ? "nothing possible is found yet" : `at most ${nats(result.gap)} nats below the best there is`}; ${size}.${why}${shown}`;
}

// How few states q needs; of a small problem it may have more, for it keeps short memories beside long ones.
function sizeText(states, full) {
  return `${countText(states)} states` + (full > 2 * states ? ` where the full lattice has ${bigText(full)}` : "");
}

function makeRoundReadouts(view) {
  const { mode, order } = view.payload;
  const now = (name) => view.payload.rounds[name][view.now];
  const best = () => view.payload.sequences.logP[view.memory.best(view.now)] ?? null;
  const logZ = () => `${numberText(now("lower"), 1)}…${numberText(now("upper"), 1)}`;
  const closing = mode === "decode" ? ["gap to the best", () => (best() === null ? "∞" : nats(now("logQ") - best()))]
    : ["accepted, last 100", () => percent(view.memory.acceptance100(view.now))];
  const entries = [["log q", () => nats(now("logQ"))], ["log p", () => nats(view.memory.logP(view.now))], closing, ["states after it", () => countText(now("states"))],
    ["log Z", logZ], [`${order}-grams in q`, () => countText(view.payload.rounds.ngrams[order - 1][view.now])]];
  const values = entries.map(([title, read]) => ({ read, title, value: html("dd", {}) }));
  const node = html("dl", { class: "rv-readouts" }, values.map(({ title, value }) => html("div", { class: "rv-readout" }, html("dt", {}, title), value)));
  return { node, layout() {}, paint: () => values.forEach(({ read, value }) => setText(value, read())), highlight() {} };
}

function makeBar(view) {
  const { said, tell } = makeSaid();
  const file = () => `rcmviz-ars-${(view.payload.title || "run").replace(/[^\p{L}\p{N}]+/gu, "-")}`;
  const text = (kind, type, content) => save(new Blob([content], { type }), `${file()}.${kind}`);
  const codeBox = codeSheet(() => view.payload.code, tell, html("pre", { class: "rv-code", tabindex: "0" }, view.payload.code || ""));
  const helpBox = html("div", { class: "rv-sheet rv-help", hidden: true }, helpList("Keys", ROUND_KEYS), helpList("Marks", ROUND_MARKS));
  const code = opening("show code", codeBox, "the lines that reproduce this in a notebook");
  const help = opening("? keys", helpBox, "keys and marks");
  const link = quietButton("copy link", () => copy(linkTo(view), tell, "link copied"), "a link to exactly this round");
  const bar = html("div", { class: "rv-tools" }, said, view.host.trigger ? link : null, view.payload.code ? code.button : null,
    quietButton("CSV", () => text("csv", "text/csv", csv(roundRows(view))), "every round as a row"),
    quietButton("JSON", () => text("json", "application/json", JSON.stringify(view.payload)), "the data of this view"),
    quietButton("SVG", () => saveSvg(wholePicture(view), `${file()}.svg`), "path, states and curves as SVG"),
    quietButton("PNG", () => savePng(wholePicture(view), `${file()}.png`), "path, states and curves as PNG"), help.button);
  return { node: html("div", {}, bar, codeBox, helpBox), layout() {}, paint() {}, highlight() {}, help: help.flip };
}

function roundRows(view) {
  const { payload, memory } = view;
  const { rounds } = payload;
  const positions = Array.from({ length: payload.T }, (_, i) => i);
  const head = ["round", "accepted", "batch", "path", "log q", "log p", "log mass of q", "log mass found", "states", ...rounds.ngrams.map((_, k) => `${k + 1}-grams`),
    ...positions.flatMap((i) => [`order ${i + 1}`, `bound ${i + 1}`, `truth ${i + 1}`])];
  const blank = (value) => value ?? "-inf";
  return [head, ...rounds.logQ.map((logQ, r) => [r + 1, rounds.accepted[r], rounds.batch[r], wordsText(view, memory.words(r)), logQ, blank(memory.logP(r)), rounds.upper[r],
    blank(rounds.lower[r]), rounds.states[r], ...rounds.ngrams.map((counts) => counts[r]),
    ...positions.flatMap((i) => [rounds.order[r][i], blank(rounds.bound[r][i]), blank(memory.truth(r)[i])])])];
}

// Path, states and curves below each other, as one SVG that needs no style sheet.
function wholePicture(view) {
  const { graph, charts } = view.parts;
  const drawings = [graph.strip.drawing, graph.drawing, charts.drawing];
  const sizes = drawings.map((drawing) => ["width", "height"].map((name) => Number(drawing.getAttribute(name))));
  const width = Math.max(...sizes.map(([wide]) => wide));
  const head = [`${view.payload.title} · ${roundWord(view).toLowerCase()} ${view.now + 1} of ${view.memory.R}`, view.parts.told.text()];
  const picture = svg("svg", { xmlns: SVG_SPACE, width, height: sizes.reduce((sum, [, high]) => sum + high, 60) });
  picture.append(svg("rect", { width: "100%", height: "100%", fill: plainColor(getComputedStyle(view.root).getPropertyValue("--rv-bg").trim() || "white") }),
    ...head.map((line, k) => wordDrawing(line, view.parts.told.node, 10, 22 + 20 * k)));
  let y = 56;
  drawings.forEach((drawing, k) => {
    picture.append(setAttributes(withStyles(drawing), { x: 0, y, width: sizes[k][0], height: sizes[k][1] }));
    y += sizes[k][1];
  });
  return picture;
}
