// The condition of a task, evaluated like rcmviz/lessons/tasks.py and expressions.py.

const NEAR = 1e-9; // numbers that differ by less, relatively, are equal
const PLAIN_NUMBER = /^-?\d+(\.\d+)?(e-?\d+)?$/;

const ORDERED = {
  "<": (one, other) => one < other,
  "<=": (one, other) => one <= other,
  ">": (one, other) => one > other,
  ">=": (one, other) => one >= other,
};
const SUMS = {
  "+": (one, other) => one + other,
  "-": (one, other) => one - other,
  "*": (one, other) => one * other,
  "/": (one, other) => (other === 0 ? NaN : one / other),
};

class Unknown extends Error {}

// {done, said}: done is null if the facts of this view are not known yet; said is the message of a failure.
export function check(condition, state) {
  const done = isDone(condition, state);
  return { done, said: done === false ? condition.wrong || "" : "" };
}

function isDone(condition, state) {
  if (!condition) return null;
  if (condition.choice) return condition.choice.includes(state.choice);
  if (condition.quiz) return isPredicted(condition, state.prediction);
  return isReached(condition, state.query);
}

function isReached({ until, settings, defaults, known }, query) {
  const link = { ...defaults, ...query };
  const facts = known.find(({ when }) => settings.every((name) => when[name] === link[name]))?.facts || {};
  try {
    return evaluate(until, link, facts) === true;
  } catch (error) {
    if (error instanceof Unknown) return null;
    throw error;
  }
}

function isPredicted({ quiz, least }, prediction) {
  if (!prediction) return false;
  if (["position", "run"].some((name) => name in quiz && quiz[name] !== prediction[name])) return false;
  if (!["both", prediction.kind].includes(quiz.kind)) return false;
  return prediction.right >= least * prediction.of - 1e-9;
}

// The value of an expression tree: a list is an operation, anything else a constant.
export function evaluate(tree, link, facts) {
  if (!Array.isArray(tree)) return tree;
  const [sign, ...parts] = tree;
  if (sign === "link") return parts[0] in link ? asValue(link[parts[0]]) : null;
  if (sign === "fact") return factValue(facts, parts[0]);
  const value = (part) => evaluate(part, link, facts);
  if (sign === "and") return parts.every((part) => value(part) === true);
  if (sign === "or") return parts.some((part) => value(part) === true);
  if (sign === "not") return value(parts[0]) !== true;
  const [one, other] = parts.map(value);
  if (sign === "==") return isSame(one, other);
  if (sign === "!=") return !isSame(one, other);
  const numbers = typeof one === "number" && typeof other === "number";
  if (sign in ORDERED) return numbers && ORDERED[sign](one, other);
  return numbers ? SUMS[sign](one, other) : NaN;
}

function factValue(facts, name) {
  if (!(name in facts)) throw new Unknown(name);
  return facts[name];
}

const asValue = (text) => (PLAIN_NUMBER.test(text) ? Number(text) : text);

function isSame(one, other) {
  if (typeof one === "number" && typeof other === "number")
    return one === other || Math.abs(one - other) <= Math.max(NEAR * Math.max(Math.abs(one), Math.abs(other)), NEAR);
  if ([one, other].some((value) => value === null || typeof value === "boolean")) return one === other;
  return String(one) === String(other);
}
