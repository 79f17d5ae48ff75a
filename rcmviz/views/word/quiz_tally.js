// What a person has predicted right so far, in all words of this visit: kept in the tab, nowhere else.

const NAME = "rcmviz.quiz";
const NONE = { right: 0, of: 0, chance: 0, questions: 0 };

export function tally() {
  try {
    return { ...NONE, ...JSON.parse(window.sessionStorage.getItem(NAME) ?? "{}") };
  } catch {
    return NONE; // a browser may refuse to keep anything for a file
  }
}

export function addToTally({ right, of, chance }) {
  const { questions, ...sums } = tally();
  storeTally({ right: sums.right + right, of: sums.of + of, chance: sums.chance + chance, questions: questions + 1 });
}

export function clearTally() {
  storeTally(NONE);
}

function storeTally(sums) {
  try {
    window.sessionStorage.setItem(NAME, JSON.stringify(sums));
  } catch {
    // not kept, then
  }
}

export function tallyText({ right, of, chance, questions }) {
  if (!questions) return "";
  const share = (value) => `${Math.round((100 * value) / of)} %`;
  return `${right} of ${of} right so far: ${share(right)}; guessing gives ${share(chance)}`;
}
