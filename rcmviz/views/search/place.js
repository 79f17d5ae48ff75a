// Where a view stands, as its link says it; what other tabs have said is taken out.

const NOWHERE = { step: null, method: null, rule: null, tau: null, iteration: null, action: null };

export const placeOf = (here) => ({ ...NOWHERE, ...here });
