// The reader's progress in each lesson, kept by the browser only.

const STORE = "rcmviz.lessons";
const NOTHING = { part: 1, of: 0, seen: [], done: [], finished: false };

let inMemory = {}; // where a browser keeps nothing, as of some files

export function allProgress() {
  try {
    return JSON.parse(window.localStorage.getItem(STORE)) ?? inMemory;
  } catch {
    return inMemory;
  }
}

// Of a lesson with changed steps, only whether it was finished is kept.
export function progressOf(name, of = null) {
  const known = { ...NOTHING, ...allProgress()[name] };
  return of === null || known.of === of ? known : { ...NOTHING, of, finished: known.finished };
}

export function keepProgress(name, progress) {
  keepAll({ ...allProgress(), [name]: progress });
}

export function forgetProgress(name) {
  const others = { ...allProgress() };
  delete others[name];
  keepAll(others);
}

function keepAll(progress) {
  inMemory = progress;
  try {
    window.localStorage.setItem(STORE, JSON.stringify(progress));
  } catch {
    // a full or a forbidden store: progress lasts until the page is closed
  }
}

export function together(list, number) {
  return list.includes(number) ? list : [...list, number].sort((a, b) => a - b);
}
