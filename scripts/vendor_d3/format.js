// In place of d3-format: our axes write numbers as the rest of the page does (numbers.js), and ask no scale to.

function refuse() {
  throw new Error("d3-format is not part of this build: write numbers with numbers.js");
}

export {
  refuse as format,
  refuse as formatPrefix,
  refuse as formatSpecifier,
  refuse as precisionFixed,
  refuse as precisionPrefix,
  refuse as precisionRound,
};
