// Small tools that every panel uses: elements, numbers as text, names of contexts, and the shared view.
// The .js files of this folder are joined by component.py into one module, in the order that it lists.

const SVG_SPACE = "http://www.w3.org/2000/svg";
const FATES = ["kept", "merged", "joined", "dropped"];
const FATE_MARKS = ["●", "↳", "∪", "✕"];
const ROW = 22; // pixels per row of a tree and of the candidates: one pitch, so that they can be read across
const GLYPH = 7.9; // width of a monospaced character at 13 px

function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name.startsWith("aria-") && typeof value === "boolean") node.setAttribute(name, value); // "false" says something
    else if (value === false || value === null || value === undefined) node.removeAttribute(name);
    else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value === true ? "" : value);
  }
  return node;
}

// Text always arrives as text nodes: labels such as <s> must not become elements.
function html(tag, attributes, ...children) {
  const node = setAttributes(document.createElement(tag), attributes);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

function svg(tag, attributes, ...children) {
  const node = setAttributes(document.createElementNS(SVG_SPACE, tag), attributes);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

function setContent(node, ...children) {
  node.replaceChildren(...children);
  return node;
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function toggle(node, name, on) {
  if (node.classList.contains(name) !== Boolean(on)) node.classList.toggle(name, Boolean(on));
}

// A list of elements made once and used again: grows when more are needed, hides what is left over.
function pool(parent, make) {
  const made = [];
  return (count) => {
    while (made.length < count) {
      made.push(make(made.length));
      parent.append(made[made.length - 1].node);
    }
    made.forEach((part, k) => { part.node.style.display = k < count ? "" : "none"; });
    return made.slice(0, count);
  };
}

function massText(mass) {
  if (mass === null || mass === undefined) return "–";
  if (mass <= 0) return "0";
  if (mass >= 0.9995) return "1";
  if (mass >= 0.00095) return mass.toFixed(3).slice(1);
  return mass.toExponential(0).replace("e-", "e−");
}

function numberText(value, digits = 2) {
  return value === null || value === undefined ? "−∞" : value.toFixed(digits).replace("-", "−");
}

function signedText(change) {
  return (change > 0 ? "▲ " : "▼ ") + massText(Math.abs(change));
}

function countText(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

function spell(view, labels) {
  const names = labels.map((y) => view.payload.labels[y]);
  return names.join(names.every((name) => name.length === 1) ? "" : " ");
}

// "*ol": one star for what is forgotten, none for a complete history, the root is "*".
function contextName(view, labels, length, position) {
  const head = length < position || !length ? "*" : "";
  return head + (labels.length < length ? "…" : "") + spell(view, labels);
}

// A name that is too wide keeps its end: the labels nearest to the position say most.
function fitted(name, width) {
  const room = Math.max(2, Math.floor(width / GLYPH));
  const points = [...name];
  return points.length <= room ? name : "…" + points.slice(points.length - room + 1).join("");
}

// Text with `names` between backticks, the names in the monospaced face.
function withNames(text) {
  return text.split("`").map((part, k) => (k % 2 ? html("code", { class: "rv-name" }, part) : part));
}

function barFraction(view, mass) {
  if (!mass || mass <= 0) return 0;
  return view.scale === "log" ? Math.max(0, 1 + Math.log10(mass) / 6) : Math.min(1, mass);
}

// Bars of a mass that is not zero stay visible.
function barWidth(view, mass, width) {
  return mass > 0 ? Math.max(1.5, barFraction(view, mass) * width) : 0;
}

// Only handwriting has letters and words; other problems have labels and outputs.
function termsOf(view) {
  return view.payload.images ? { label: "letter", output: "word" } : { label: "label", output: "output" };
}

function methodClass(run) {
  return { rcms: "rv-m-rcms", beam: "rv-m-beam", exact: "rv-m-exact" }[run.method] || "rv-m-other";
}

const METHOD_MARKS = { rcms: "●", beam: "▲", exact: "■" };

function methodMark(run) {
  return METHOD_MARKS[run.method] || "◆";
}

function panel(title, className, ...tools) {
  const heading = html("h2", { class: "rv-panel-title" }, title);
  const head = html("div", { class: "rv-panel-head" }, heading, html("div", { class: "rv-panel-tools" }, tools));
  const body = html("div", { class: "rv-panel-body" });
  return { node: html("section", { class: "rv-panel " + className }, head, body), heading, head, body };
}

function segmented(label, choices, current, choose) {
  const buttons = choices.map(([value, text]) =>
    html("button", { type: "button", class: "rv-segment", onclick: () => choose(value) }, text));
  const node = html("div", { class: "rv-segmented", role: "group", "aria-label": label }, buttons);
  const paint = () => buttons.forEach((button, k) => button.setAttribute("aria-pressed", choices[k][0] === current()));
  paint();
  return { node, paint };
}

// Mixed colours are reported as color(srgb …), which drawing programs do not read.
function plainColor(value) {
  return value.replace(/color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)/g, (_, r, g, b, alpha) =>
    `rgba(${[r, g, b].map((part) => Math.round(part * 255)).join(",")},${alpha || 1})`);
}

// The theme decides between two palettes by how dark the background is, whoever sets it.
function findTheme(view) {
  const probe = html("span", { class: "rv-probe" });
  view.root.append(probe);
  const [r, g, b] = (plainColor(getComputedStyle(probe).backgroundColor).match(/[\d.]+/g) || [255, 255, 255]).map(Number);
  probe.remove();
  setAttributes(view.root, { "data-theme": 0.3 * r + 0.59 * g + 0.11 * b < 128 ? "dark" : "light" });
}

const NARROW = 640;

function sizeClass(width) {
  return width < NARROW ? "narrow" : width < 1000 ? "medium" : "wide";
}

// Colour and mark follow the kind of method; a second one of a kind takes what is left over.
function dressMethods(methods) {
  const looks = [["rv-m-rcms", "●", ""], ["rv-m-beam", "▲", "7 4"], ["rv-m-exact", "■", "2 3"], ["rv-m-other", "◆", "9 3 2 3"],
    ["rv-m-fifth", "✚", "1 4"]];
  const slots = { rcms: 0, beam: 1, model: 1, exact: 2, forced: 2, hybrid: 3, target: 4 };
  const free = [3, 2, 1, 0, 4];
  const take = (slot) => free.splice(free.indexOf(slot), 1)[0];
  const chosen = methods.map((method) => (free.includes(slots[method.kind]) ? take(slots[method.kind]) : null));
  methods.forEach((method, m) => { [method.className, method.mark, method.dash] = looks[chosen[m] ?? take(free[0])]; });
}

// A view has a root, a host and a width, and says how it does three things: load(payload), build() its elements for it,
// repaint(due). What follows is the life that all views share.

const REST = 300; // milliseconds of rest before a place is told to Python or written to the link
const DEPTH = { highlight: 0, paint: 1, layout: 2 }; // how deep a change goes

// Functions whose first argument is the view, as methods of the view.
function giveMethods(view, functions) {
  for (const [name, act] of Object.entries(functions)) view[name] = (...given) => act(view, ...given);
}

// All changes of one frame are painted once, as deep as the deepest of them; a test reads from rv-step how long a step
// took until it was on the screen.
function changed(view, how = "paint") {
  view.due = Math.max(view.due ?? -1, DEPTH[how]);
  if (view.waiting) return;
  view.waiting = true;
  const start = performance.now();
  requestAnimationFrame(() => {
    const { due } = view;
    Object.assign(view, { due: -1, waiting: false });
    if (!view.root.isConnected) return;
    view.repaint(due);
    if (due > DEPTH.highlight) requestAnimationFrame(() => performance.measure("rv-step", { start, end: performance.now() }));
  });
}

function paintParts(parts, due) {
  for (const part of Object.values(parts)) {
    if (due === DEPTH.layout) part.layout();
    if (due === DEPTH.highlight) part.highlight();
    else part.paint();
  }
}

function renew(view, payload) {
  view.load(payload);
  view.build();
  changed(view, "layout");
}

function fit(view) {
  const width = view.root.clientWidth;
  if (!width || width === view.width) return;
  view.width = width;
  setAttributes(view.root, { "data-size": sizeClass(width) });
  changed(view, "layout");
}

// Once a view is at rest, its link says where: the browser's own business. An exported file has no link to speak of.
function settleLink(view, linkTo) {
  clearTimeout(view.settling);
  if (!view.host.trigger || view.playing) return;
  view.settling = setTimeout(() => {
    if (view.root.isConnected) window.history.replaceState(window.history.state, "", linkTo(view));
  }, REST);
}

// The present address with these parameters; null takes one away.
function linkWith(values) {
  const link = new URL(window.location.href);
  for (const [name, value] of Object.entries(values)) {
    if (value === null) link.searchParams.delete(name);
    else link.searchParams.set(name, value);
  }
  return link.href;
}

// Streamlit gives a page's name and its parameters an entry of the history each, in either order, so that one step back
// would lead to the same page again. The second of the two takes the place of the first instead.
function keepHistoryShort() {
  const { history, location } = window;
  if (history.pushState.isShort) return;
  const push = history.pushState.bind(history);
  let pushed = null;
  history.pushState = (state, title, address) => {
    const next = new URL(address ?? "", location.href);
    const fresh = location.href === pushed;
    const here = next.pathname === location.pathname;
    const begins = fresh && here && !location.search; // /align, then /align?word=…
    const moves = fresh && !here && next.search && next.search === location.search; // /step?word=…, then /align?word=…
    if (begins || moves) history.replaceState(state, title, address);
    else push(state, title, address);
    pushed = begins || moves ? null : next.href;
  };
  history.pushState.isShort = true;
}

// The first drawing waits for a width. `keys` hears every key of the page; `stop` ends all that outlives an element.
function begin(view, payload, keys = null) {
  if (view.host.trigger) keepHistoryShort();
  view.load(payload);
  view.build();
  findTheme(view);
  const watch = new ResizeObserver(() => fit(view));
  watch.observe(view.root);
  fit(view);
  document.addEventListener("keydown", keys);
  view.stop = () => {
    watch.disconnect();
    clearInterval(view.timer);
    clearTimeout(view.settling);
    document.removeEventListener("keydown", keys);
  };
  return view;
}

// What Streamlit or an exported file calls with each new payload: one view per element. `start(root, payload, host)`
// makes it, `update(view, payload)` brings it news.
function mounting(className, start, update) {
  const views = new WeakMap();
  return ({ parentElement, data, setStateValue, setTriggerValue }) => {
    const host = { setState: setStateValue, trigger: setTriggerValue };
    const found = parentElement.querySelector(`:scope > .${className.replaceAll(" ", ".")}`);
    const root = found ?? parentElement.appendChild(html("div", { class: className }));
    const view = views.get(root);
    if (view) {
      Object.assign(view.host, host);
      update(view, data);
    } else {
      views.set(root, start(root, data, host));
    }
    return () => {
      views.get(root)?.stop?.();
      views.delete(root);
      root.remove();
    };
  };
}
