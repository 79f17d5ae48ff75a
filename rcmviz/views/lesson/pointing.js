// Targets of a step: from a name, `candidate consi of 2`, to the elements on the page.

const OF_RUN = /^(.*\S)\s+of\s+([1-9])$/;
const queryAll = (selector) => [...document.querySelectorAll(selector)];
const unquote = (text) => text.replace(/^["“](.*)["”]$/, "$1");
const textOf = (node) => node.textContent.trim().toLowerCase();
const DETAILS = new Set("context candidate letter readout term card verdict heatmap panel gold".split(" "));
const VIEW = ".rv-player:not(.rv-lesson)";

// By kind of target: the elements of a name. Elements of a method have its number, from 1.
const KINDS = {
  context: findName(".rv-tree .rv-row"),
  candidate: findName(".rv-candidate"),
  poster: () => queryAll(`${VIEW} .rv-flow-poster`),
  letter: (name) => queryAll(`${VIEW} .rv-cell[data-cell="${CSS.escape(name)}"]`),
  position: () => firstSeen(".rv-flow-phases", ".rv-current"),
  readout: (name) => queryAll(`${VIEW} [data-readout="${CSS.escape(name)}"]`),
  term: (name) => queryAll(`${VIEW} .rv-sum-terms [data-term="${CSS.escape(name)}"]`),
  budget: () => firstSeen(".rv-flow-budget", ".rv-budget-line"),
  gold: () => firstSeen(".rv-flow-label.rv-flow-gold", ".rv-gold-mark").map((mark) => mark.closest(".rv-row") ?? mark),
  transport: () => firstSeen(".rv-flow-nav", ".rv-transport"),
  strip: () => firstSeen(".rv-flow-timeline", ".rv-heat-frame"),
  card: () => queryAll(`${VIEW} .rv-detail`),
  verdict: () => queryAll(`${VIEW} .rv-blame`),
  heatmap: () => queryAll(`${VIEW} .rv-heat-frame`),
  panel: (name) => findByText(`${VIEW} .rv-panel-title`, name).map((title) => title.closest(".rv-panel")),
  widget: (name) =>
    orFold(findByText("[data-testid=stWidgetLabel]", name).map((label) => label.closest(".stElementContainer"))),
  button: (name) => orFold(findByText("[data-testid=stMain] button, .rv-player button", name)),
  slider: (name) => findByLabel(`${VIEW} :is(.rv-scrubber, .rv-flow-timeline)`, name),
  tab: (name) => findByText("[role=tab], .rv-tab", name),
  curve: findMarked("curve"),
  row: findMarked("row"),
  word: findMarked("word"),
  line: findMarked("line"),
  cell: findMarked("cell"),
  arc: findMarked("arc"),
  node: findMarked("node"),
  sign: findMarked("sign"),
  method: findMarked("method"),
  mark: (name) => queryAll(`.rv-figure [data-mark="${CSS.escape(name)}"]`),
  css: (selector) => (isSelector(selector) ? queryAll(selector) : []),
};

// Elements that views mark as targets, `data-point="row F"`; with a number, those of one method.
function findMarked(kind) {
  return (name, run) => {
    const point = `[data-point="${CSS.escape(`${kind} ${name}`)}"]`;
    return queryAll(run === null ? `${VIEW} ${point}` : `${VIEW} [data-run="${run - 1}"] ${point}`);
  };
}

// The name in the picture if it is written there now, else in the rows of the player.
function findName(rows) {
  return (name, run) => {
    const panel = run === null ? "" : `.rv-flow-panel:nth-child(${run})`;
    const at = document.querySelector(".rv-flow")?.dataset.position;
    const labels = [`follow ${name}`, `${name}: follow or change`].map((text) => `[aria-label="${CSS.escape(text)}"]`);
    const label = `${panel} .rv-flow-label[data-at="${at}"]:is(${labels})`;
    const of = run === null ? "" : `[data-run="${run - 1}"]`;
    return firstSeen(label, `${rows}[data-name="${CSS.escape(name)}"]${of}`);
  };
}

// What a number is about: a mark of a figure, else a candidate or context, of its method if several have it.
function aboutOf(text) {
  const [owner, name] = text.split(/ (.*)/);
  const ways = [() => KINDS.mark(name), () => KINDS.candidate(name, null), () => KINDS.context(name, null)];
  const found = ways.map((find) => find()).find((nodes) => nodes.length) ?? [];
  const own = found.filter((node) => node.closest(`.rv-m-${CSS.escape(owner)}`));
  return own.length ? own : found;
}

// The visible elements of the first selector that has some.
function firstSeen(...selectors) {
  const matchingNodes = selectors.map((selector) => queryAll(`${VIEW} ${selector}`).filter(isSeen));
  return matchingNodes.find((nodes) => nodes.length) ?? [];
}

// Elements by their text: the name itself, else a text that begins with it, else one that contains it: "Budget" is not
// "Budget 2" if both exist, and "Candidates" finds "286 candidates, by rank".
function findByText(selector, name) {
  const wanted = name.toLowerCase();
  const seen = queryAll(selector).filter(isSeen);
  const found = (fits) => seen.filter((node) => fits(textOf(node)));
  const ways = [(text) => text === wanted, (text) => text.startsWith(wanted), (text) => text.includes(wanted)];
  return ways.map(found).find((nodes) => nodes.length) ?? [];
}

// On a phone settings are folded into a line, which is then the target.
function orFold(nodes) {
  return nodes.length ? nodes : queryAll(".rv-fold");
}

// Elements without text, by their label.
function findByLabel(selector, name) {
  const label = (node) => node.getAttribute("aria-label").toLowerCase();
  return queryAll(selector).filter((node) => label(node).includes(name.toLowerCase()));
}

function isSelector(text) {
  try {
    document.createDocumentFragment().querySelector(text);
    return true;
  } catch {
    return false;
  }
}

function isSeen(node) {
  const { width, height } = node.getBoundingClientRect();
  return width + height > 0 && node.checkVisibility({ visibilityProperty: true });
}

// Whether a target is in the player, which is drawn once the details of the picture are open.
export function isDetail(target) {
  const [kind] = target.trim().split(/\s+/);
  return DETAILS.has(kind) && elementsOf(target).length === 0;
}

// The visible elements of a target; none if the view does not have it (yet).
export function elementsOf(target) {
  const [kind, ...words] = target.trim().split(/\s+/);
  const rest = words.join(" ");
  const [, name, run] = rest.match(OF_RUN) ?? [null, rest, null];
  const find = kind === "about" ? aboutOf : KINDS[kind];
  return find ? find(unquote(name), run === null ? null : Number(run)).filter((node) => node && isSeen(node)) : [];
}
