// The invitation to a class, large enough for a wall: its address, and the address as a QR code.

import { html, svg } from "../shared/dom.js";

const QUIET = 4; // white modules around a code, as the standard requires

// `data.qr` are the rows of the code, "1" for dark.
export function makeInvitation({ address, qr }) {
  const onkeydown = (event) => event.stopPropagation(); // Esc closes the dialog, and is also a key of the view below
  const node = html(
    "dialog",
    { class: "rv-class-invitation", "aria-label": "invitation to the class", onclick: () => node.close(), onkeydown },
    html("p", {}, "Open this address, or point a phone's camera at the code:"),
    html("p", { class: "rv-class-large" }, address),
    qr ? picture(qr) : null,
    html("button", { type: "button", class: "rv-class-button" }, "Close (Esc)"),
  );
  return { node, open: () => node.showModal() };
}

function picture(rows) {
  const size = rows.length + 2 * QUIET;
  const cell = (on, x, y) => (on === "1" ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : "");
  const cells = rows.flatMap((row, y) => [...row].map((on, x) => cell(on, x, y)));
  return svg(
    "svg",
    { class: "rv-class-code", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": "QR code of the address" },
    svg("rect", { width: size, height: size, fill: "#fff" }),
    svg("path", { d: cells.join(""), fill: "#000", "shape-rendering": "crispEdges" }),
  );
}
