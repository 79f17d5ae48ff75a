// How far a reader is in each lesson: kept by the browser, for nobody else.

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

// Of a lesson that is written anew with other steps, only that it was read to the end is still true.
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
    // a full or a forbidden store: what is in memory lasts until the page is closed
  }
}

export function together(list, number) {
  return list.includes(number) ? list : [...list, number].sort((a, b) => a - b);
}
