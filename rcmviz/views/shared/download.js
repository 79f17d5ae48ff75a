// @ts-check
// Copies to the clipboard, and downloads.

import { html } from "./dom.js";

// Pages that are not served securely have no clipboard; copying a selection works there too.
/** @type {(text: string, say: (said: string) => void, done: string) => Promise<void>} */
export async function copy(text, say, done) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = html("textarea", { class: "rv-away" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say(done);
}

/** @type {(blob: Blob, name: string) => void} */
export function save(blob, name) {
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** @type {(rows: Cell[][]) => string} */
export function csv(rows) {
  /** @type {(value: Cell) => Cell} */
  const cell = (value) => (/[",\n]/.test(String(value)) ? `"${String(value).replace(/"/g, '""')}"` : value);
  return rows.map((row) => row.map(cell).join(",")).join("\n") + "\n";
}
