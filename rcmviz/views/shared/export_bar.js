// The bar below a view: the link, the code, tables, data and pictures to take along, and the help.

import { html, setAttributes, setText } from "./dom.js";
import { copy, csv, save } from "./download.js";
import { frameOf, opensOnly } from "./links.js";
import { savePng, saveSvg } from "./picture.js";
import { canPresent } from "./presenting.js";

const PRESENT_KEY = ["P", "present mode: larger, for a projector; PageUp, PageDown step, Esc ends it"];
const EMBED = "the lines that show this view in a web page, an iframe";

// What a view offers, each as it has it:
// file()                      the name of its files, without an ending
// link {to(), title}          shown where the view has a link of its own, or `always`
// more {key(), lines()}       elements with further lines of code, which change with the key
// code, data                  titles of the button that shows payload.code, and of the payload as JSON
// tables [{text, end, rows(), title}]   as CSV; `end` goes behind the name of the file
// picture {draw(), title}     the SVG to save, and what it is of
// keys, signs [[key, text]]   what the help says
export function makeExportBar(view, { file, link, code, more, tables = [], data, picture, keys, signs }) {
  const notice = makeNotice();
  const codeSheet = code ? makeCodeSheet(view, notice, code, more) : null;
  const help = keys ? makeHelp(canPresent(view) ? [...keys, PRESENT_KEY] : keys, signs) : null;
  const text = (end, type, content) => save(new Blob([content], { type }), file() + end);
  const hasLink = link && !view.host.guest && (link.always || view.host.trigger);
  const buttons = [
    ...(hasLink
      ? [
          quietButton("copy link", () => copy(link.to(), notice.say, warned("link copied", link)), link.title),
          quietButton("embed", () => copy(frameOf(view, link.to()), notice.say, warned("iframe copied", link)), EMBED),
        ]
      : []),
    codeSheet?.button,
    ...tables.map(({ text: name = "CSV", end = "", rows, title }) =>
      quietButton(name, () => text(`${end}.csv`, "text/csv", csv(rows())), title),
    ),
    quietButton("JSON", () => text(".json", "application/json", JSON.stringify(view.payload)), data),
    quietButton("SVG", () => saveSvg(picture.draw(), `${file()}.svg`), `${picture.title} as SVG`),
    quietButton("PNG", () => savePng(picture.draw(), `${file()}.png`), `${picture.title} as PNG`),
    help?.button,
  ];
  const bar = html("div", { class: "rv-tools" }, notice.node, buttons);
  const node = codeSheet || help ? html("div", {}, bar, codeSheet?.sheet, help?.sheet) : bar;
  const follow = () => codeSheet?.follow();
  const flip = () => help?.sheet.togglePopover();
  return { node, layout: () => codeSheet?.layout(), paint: follow, highlight: follow, help: flip };
}

// What was done, with a warning where the link leads nowhere for others.
function warned(done, link) {
  const only = opensOnly(link.to());
  return only ? `${done}: it opens ${only}` : done;
}

// "rcmviz-align-night", of a title that a file system takes.
export function fileName(view, title, otherwise = "") {
  return ["rcmviz", view, (title || otherwise).replace(/[^\p{L}\p{N}]+/gu, "-")].filter(Boolean).join("-");
}

function quietButton(text, act, title) {
  return html("button", { type: "button", class: "rv-button rv-quiet", title, onclick: act }, text);
}

// A word that says for a moment what was done.
function makeNotice() {
  const node = html("span", { class: "rv-said", role: "status" });
  let timer = 0;
  const say = (text) => {
    setText(node, text);
    clearTimeout(timer);
    timer = setTimeout(() => setText(node, ""), Math.max(2500, 110 * text.length)); // as long as it takes to read
  };
  return { node, say };
}

// The lines that reproduce a view, and a button to copy them; hidden where a payload has none.
function makeCodeSheet(view, notice, title, more) {
  const [whole, further] = [html("span", {}), html("span", {})];
  const code = html("pre", { class: "rv-code", tabindex: "0" }, whole, further);
  const act = () => copy(code.textContent, notice.say, "code copied");
  const button = html("button", { type: "button", class: "rv-button", onclick: act }, "copy");
  const opened = opening("show code", html("div", { class: "rv-fold-out", hidden: true }, button, code), title, follow);
  let shown = null;

  function layout() {
    opened.button.style.display = view.payload.code ? "" : "none";
    setText(whole, view.payload.code || "");
  }

  function follow() {
    if (!more || opened.sheet.hidden || shown === more.key()) return;
    shown = more.key();
    further.replaceChildren(...more.lines());
  }

  return { ...opened, layout, follow };
}

// Over the page, where it is seen wherever one has scrolled to; Escape or a press beside it closes it.
function makeHelp(keys, signs) {
  const list = (title, entries) => {
    const terms = entries.flatMap(([key, text]) => [html("dt", {}, key), html("dd", {}, text)]);
    return html("div", {}, html("h3", {}, title), html("dl", {}, terms));
  };
  const lists = [list("Keys", keys), list("Marks", signs)];
  const sheet = html("div", { class: "rv-fold-out rv-help", popover: "auto" }, lists);
  const button = setAttributes(quietButton("? keys", null, "keys and marks"), { "aria-expanded": "false" });
  button.popoverTargetElement = sheet;
  const close = ({ key }) => key === "Escape" && sheet.hidePopover(); // views take the key for themselves
  sheet.addEventListener("beforetoggle", ({ newState }) => {
    const open = newState === "open";
    setAttributes(button, { "aria-expanded": open });
    document[open ? "addEventListener" : "removeEventListener"]("keydown", close, true);
  });
  return { button, sheet };
}

// A button that opens and closes a sheet; `then()` is called after that.
function opening(text, sheet, title, then = () => {}) {
  const flip = () => {
    sheet.hidden = !sheet.hidden;
    then();
    setAttributes(button, { "aria-expanded": !sheet.hidden });
  };
  const button = setAttributes(quietButton(text, flip, title), { "aria-expanded": "false" });
  return { button, sheet };
}
