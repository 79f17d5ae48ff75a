// The selected part of an iteration of SEARN: an action at a position, and the output that follows from it.

export const iterationOf = (view) => view.payload.iterations[view.iteration];

// The row of the selected action: the user's choice, else the roll-in's action.
export function actionAt(view) {
  const { actions } = view.payload;
  const { costs, rollin } = iterationOf(view);
  const t = view.position - 1;
  if (view.action !== null && costs[t][view.action] !== null) return view.action;
  return Math.max(0, actions.indexOf(rollin[t].label));
}

export const policyName = (policy) => (policy === 0 ? "oracle" : `policy ${policy}`);

// The whole output of an action: the roll-in before it, the roll-out after it.
export function outputOf(view, row) {
  const { rollin, ends } = iterationOf(view);
  const t = view.position - 1;
  return [...rollin.slice(0, t).map(({ label }) => label), view.payload.actions[row], ...ends[t][row]];
}
