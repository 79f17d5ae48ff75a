// @ts-check
// What a person can do if a copied link opens on this computer only: keep it for this computer, start a class, or save
// the view as a file.

import { html } from "./dom.js";
import { copy } from "./download.js";

const COMMAND = "rcmviz app --host 0.0.0.0 --class";
const SAVE = '[class*="st-key"][class*="html"] button'; // "Save as HTML" of the page

// A sheet with the choices; `say` shows a message for a moment.
/** @type {(say: (said: string) => void) => { sheet: HTMLElement, open(): void }} */
export function makeLinkChoices(say) {
  /** @type {(title: string, text: string, act: () => void) => HTMLElement} */
  const choice = (title, text, act) => {
    const onclick = () => {
      sheet.hidePopover();
      act();
    };
    const button = html("button", { type: "button", class: "rv-button", onclick }, title);
    return html("div", {}, button, html("p", {}, text));
  };
  const classes = `Stop the application, start it by “${COMMAND}”, and copy the link from its address in your network.`;
  const sheet = html(
    "div",
    { class: "rv-fold-out rv-help rv-link-choices", popover: "auto", "aria-label": "who can open this link" },
    html("h3", {}, "The link is copied. It opens on this computer only."),
    choice("This computer only", "Keep the link as it is.", () => {}),
    choice("Start a class: copy the command", classes, () => copy(COMMAND, say, "command copied")),
    choice("Save as a file", "The file shows this view anywhere, without the application.", () => saveFile(say)),
  );
  return { sheet, open: () => sheet.showPopover() };
}

/** @type {(say: (said: string) => void) => void} */
function saveFile(say) {
  const button = /** @type {HTMLElement | null} */ (document.querySelector(SAVE));
  if (button) button.click();
  else say("“Save as HTML” is below the view");
}
