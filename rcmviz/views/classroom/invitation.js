// The invitation to a class, large enough for a wall: its address, and the address as a QR code.

import { html, svg } from "../shared/dom.js";

const QUIET = 4; // white modules around a code, as the standard requires

const CHOSEN = "rcmviz.class.address"; // the network that the teacher chose, of a machine that is in several

// `data.addresses` are {address, qr}, the rows of the code with "1" for dark. `address()` is the one that is shown.
export function makeInvitation({ addresses }, changed = () => {}) {
  const kept = window.localStorage.getItem(CHOSEN);
  let shown = addresses.find(({ address }) => address === kept) ?? addresses[0];
  const place = html("div", {});
  const onclick = (event) => event.stopPropagation(); // a click elsewhere closes the dialog
  const choice = html(
    "select",
    { "aria-label": "network", onclick, onchange: () => choose(Number(choice.value)) },
    addresses.map((one, k) => html("option", { value: k, selected: one === shown }, one.address)),
  );
  const onkeydown = (event) => event.stopPropagation(); // Esc closes the dialog, and is also a key of the view below
  const several = "This computer is in several networks. Choose the one of the class:";
  const node = html(
    "dialog",
    { class: "rv-class-invitation", "aria-label": "invitation to the class", onclick: () => node.close(), onkeydown },
    html("p", {}, "Open this address, or point a phone's camera at the code:"),
    place,
    addresses.length > 1 ? html("label", {}, several, " ", choice) : null,
    html("button", { type: "button", class: "rv-class-button" }, "Close (Esc)"),
  );

  function choose(k) {
    shown = addresses[k];
    window.localStorage.setItem(CHOSEN, shown.address);
    paint();
    changed();
  }

  const paint = () => place.replaceChildren(html("p", { class: "rv-class-large" }, shown.address), picture(shown.qr));
  paint();
  return { node, open: () => node.showModal(), address: () => shown.address };
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
