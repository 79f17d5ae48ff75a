// The progress of a reader in each lesson, stored by the browser.

const STORE = "rcmviz.lessons";
const NEW = { part: 1, of: 0, seen: [], done: [], finished: false };

let inMemory = {}; // if the browser stores nothing, as for some files

export function allProgress() {
  try {
    return JSON.parse(window.localStorage.getItem(STORE)) ?? inMemory;
  } catch {
    return inMemory;
  }
}

// Of a lesson whose steps have changed, only "read to the end" is kept.
export function progressOf(name, of = null) {
  const known = { ...NEW, ...allProgress()[name] };
  return of === null || known.of === of ? known : { ...NEW, of, finished: known.finished };
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
    // storage is full or forbidden: the progress lasts until the page is closed
  }
}

export function addNumber(list, number) {
  return list.includes(number) ? list : [...list, number].sort((a, b) => a - b);
}
