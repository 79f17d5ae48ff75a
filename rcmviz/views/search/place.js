// The parameters of a view's link, with null for those of other tabs.

const NOWHERE = { step: null, method: null, rule: null, tau: null, iteration: null, action: null };

export const placeOf = (here) => ({ ...NOWHERE, ...here });
