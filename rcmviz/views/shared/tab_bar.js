// What can be taken along from a tab: the link, the code, the table, the data, the picture; and the help.

import { fileName, makeExportBar } from "./export_bar.js";
import { linkWith } from "./links.js";
import { pictureOf, sizeOf, stacked, wordDrawing } from "./picture.js";

// `name` begins the names of its files, `drawings()` stand below each other in the picture, `rows()` in the table.
// A file offers its link too where that is `always` to be had.
export function makeTabBar(view, { name, title, link, drawings, picture, rows, table, keys, signs, always }) {
  return makeExportBar(view, {
    file: () => fileName(name, title.slice(0, 40)),
    link: { to: () => linkWith(view.tab.place(view)), title: link, always },
    code: "the lines that reproduce this in a notebook",
    tables: [{ rows, title: table }],
    data: "the data of this view",
    picture: { draw: () => wholePicture(view, title, drawings()), title: picture },
    keys,
    signs,
  });
}

function wholePicture(view, title, drawings) {
  const sizes = drawings.map(sizeOf);
  const copies = stacked(drawings, 32, 10);
  const heading = wordDrawing(title, view.root, 10, 22);
  const height = sizes.reduce((sum, [, high]) => sum + high + 10, 42);
  // Faces of drawing programs are wider than ours.
  const width = Math.max(8 * title.length + 20, ...sizes.map(([wide]) => wide + 60));
  return pictureOf(view, width, height, heading, copies);
}
