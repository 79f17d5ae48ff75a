// @ts-check
// The bar below a view: link, code, tables, data, pictures, and help.

import { html, setAttributes, setText } from "./dom.js";
import { makeLinkChoices } from "./copied_link.js";
import { copy, csv, save } from "./download.js";
import { frameOf, isHereOnly, opensOnly } from "./links.js";
import { pictureBelow, savePng, saveSvg } from "./picture.js";
import { canPresent } from "./presenting.js";
import { addToTalk } from "./talk.js";

/** @typedef {[key: string, text: string]} Key */
/** @type {Key} */
const PRESENT_KEY = ["P", "present mode for a projector; PageUp and PageDown step, Esc ends it"];
/** @type {Key} */
const HELP_KEY = ["?", "this help"];
const CODE = "Python code that reproduces this view";
const DATA = "the data of this view";
const LONGEST_TITLE = 40; // characters of a title in the name of a file
const EMBED = "HTML of an iframe with this view";

// The exports of a view:
// file()                      the name of its files, without an ending
// link {title, to()}          if the view has its own link, or `always`; `to` is view.linkTo of a tab
// more {key(), lines()}       elements with further lines of code, which change with the key
// tables [{text, end, rows(), title}]   as CSV; `end` is appended to the name of the file
// picture {title, lines(), drawings()}  the SVG to save: drawings below lines of text (picture.js), whose default
//                             is the payload's title; or the result of `draw()`
// further(say)                custom buttons; `say` shows a message for a moment
// steps                       the noun of its bar's steps, if it has one
// keys, signs [[key, text]]   further entries of the help
/** @type {(view: View & { linkTo?: () => string }, exported: Exported) => Part & { help(): void }} */
export function makeExportBar(view, { file, link, more, tables = [], picture, further, steps, keys = [], signs }) {
  const notice = makeNotice();
  const codeSheet = makeCodeSheet(view, notice, more);
  const present = canPresent(view) ? [PRESENT_KEY] : [];
  const help = signs ? makeHelp([...stepHelp(steps), ...keys, HELP_KEY, ...present], signs) : null;
  const linkTo = link?.to ?? view.linkTo ?? (() => window.location.href);
  const { lines = () => [view.payload.title], drawings = () => [] } = picture;
  const draw = picture.draw ?? (() => pictureBelow(view, lines(), drawings()));
  /** @type {(end: string, type: string, content: string) => void} */
  const text = (end, type, content) => save(new Blob([content], { type }), file() + end);
  const hasLink = link && !view.host.guest && !view.host.inner && (link.always || view.host.trigger);
  /** @type {(text: string, done: string) => Promise<void>} */
  const copied = (text, done) => copy(text, notice.say, warned(done, linkTo()));
  const choices = view.host.trigger ? makeLinkChoices(notice.say) : null;
  const copyLink = async () => {
    await copied(linkTo(), "link copied");
    if (choices && isHereOnly(linkTo()) && !document.querySelector(".rv-class")) choices.open();
  };
  const added = () => {
    const count = addToTalk(view.payload.title || document.title, linkTo());
    notice.say(`view ${count} of your talk (see Lessons)`);
  };
  const buttons = [
    ...(hasLink
      ? [
          quietButton("copy link", copyLink, link.title),
          ...(view.host.trigger ? [quietButton("to my talk", added, "add this view to your talk (Lessons)")] : []),
          quietButton("embed", () => copied(frameOf(view, linkTo()), "iframe copied"), EMBED),
        ]
      : []),
    codeSheet.button,
    ...tables.map(({ text: name = "CSV", end = "", rows, title }) =>
      quietButton(name, () => text(`${end}.csv`, "text/csv", csv(rows())), title),
    ),
    quietButton("JSON", () => text(".json", "application/json", JSON.stringify(view.payload)), DATA),
    quietButton("SVG", () => saveSvg(draw(), `${file()}.svg`), `${picture.title} as SVG`),
    quietButton("PNG", () => savePng(draw(), `${file()}.png`), `${picture.title} as PNG`),
    ...(further?.(notice.say) ?? []),
    help?.button,
  ];
  const bar = html("div", { class: "rv-tools" }, notice.node, buttons);
  const node = html("div", {}, bar, codeSheet.sheet, help?.sheet, choices?.sheet);
  const flip = () => help?.sheet.togglePopover();
  const { layout, follow } = codeSheet;
  return { node, layout, paint: follow, highlight: follow, help: flip };
}

// The keys of a bar, with the noun of its steps.
/** @type {(noun?: string) => [string, string][]} */
function stepHelp(noun) {
  if (!noun) return [];
  return [
    ["← →", `previous, next ${noun}`],
    ["Home End", `first, last ${noun}`],
    ["space", "play, pause"],
  ];
}

// A message, with a warning if the link does not work for others.
/** @type {(done: string, link: string) => string} */
function warned(done, link) {
  const only = opensOnly(link);
  return only ? `${done}: it opens ${only}` : done;
}

// A name for files such as "rcmviz-align-night", without characters that file systems refuse.
/** @type {(view: string, title?: string | null, otherwise?: string) => string} */
export function fileName(view, title, otherwise = "") {
  const short = (title || otherwise).slice(0, LONGEST_TITLE).replace(/[^\p{L}\p{N}]+/gu, "-");
  return ["rcmviz", view, short].filter(Boolean).join("-");
}

/** @type {(text: string, act: (() => void) | null, title?: string | null) => HTMLButtonElement} */
function quietButton(text, act, title) {
  return html("button", { type: "button", class: "rv-button rv-quiet", title, onclick: act }, text);
}

// A message that is shown for a moment.
/** @type {() => { node: HTMLElement, say(text: string): void }} */
function makeNotice() {
  const node = html("span", { class: "rv-said", role: "status" });
  let timer = 0;
  /** @type {(text: string) => void} */
  const say = (text) => {
    setText(node, text);
    clearTimeout(timer);
    timer = setTimeout(() => setText(node, ""), Math.max(2500, 110 * text.length)); // long enough to read
  };
  return { node, say };
}

// The code that reproduces a view, with a button to copy it; hidden if the payload has none.
/**
 * @type {(view: View, notice: { say(text: string): void }, more?: MoreCode) => Opened & { layout(): void, follow():
 *   void }}
 */
function makeCodeSheet(view, notice, more) {
  const [whole, further] = [html("span", {}), html("span", {})];
  const code = html("pre", { class: "rv-code", tabindex: "0" }, whole, further);
  const act = () => copy(code.textContent, notice.say, "code copied");
  const button = html("button", { type: "button", class: "rv-button", onclick: act }, "copy");
  const opened = opening("show code", html("div", { class: "rv-fold-out", hidden: true }, button, code), CODE, follow);
  /** @type {unknown} */
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

// A sheet over the page, visible wherever the page is scrolled; Escape or a click outside closes it.
/** @type {(keys: [string, string][], signs: [string, string][]) => Opened} */
function makeHelp(keys, signs) {
  /** @type {(title: string, entries: [string, string][]) => HTMLElement} */
  const list = (title, entries) => {
    const terms = entries.flatMap(([key, text]) => [html("dt", {}, key), html("dd", {}, text)]);
    return html("div", {}, html("h3", {}, title), html("dl", {}, terms));
  };
  const lists = [list("Keys", keys), list("Marks", signs)];
  const sheet = html("div", { class: "rv-fold-out rv-help", popover: "auto" }, lists);
  const button = setAttributes(quietButton("? keys", null, "keys and marks"), { "aria-expanded": "false" });
  button.popoverTargetElement = sheet;
  /** @type {(event: KeyboardEvent) => void} */
  const close = ({ key }) => key === "Escape" && sheet.hidePopover(); // views also use Escape
  sheet.addEventListener("beforetoggle", ({ newState }) => {
    const open = newState === "open";
    setAttributes(button, { "aria-expanded": open });
    if (open) document.addEventListener("keydown", close, true);
    else document.removeEventListener("keydown", close, true);
  });
  return { button, sheet };
}

// A button that opens and closes a sheet, then calls `then()`.
/** @type {(text: string, sheet: HTMLElement, title: string, then?: () => void) => Opened} */
function opening(text, sheet, title, then = () => {}) {
  const flip = () => {
    sheet.hidden = !sheet.hidden;
    then();
    setAttributes(button, { "aria-expanded": !sheet.hidden });
  };
  const button = setAttributes(quietButton(text, flip, title), { "aria-expanded": "false" });
  return { button, sheet };
}
