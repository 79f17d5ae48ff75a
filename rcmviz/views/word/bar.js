// The player's own transport bar and keys.

import { makeDifferenceButton, makeStageSwitch } from "./compared.js";
import { makeRevealSwitch } from "./reveal.js";
import { segmented } from "../shared/parts.js";
import { pressedInQuiz, toggleQuiz } from "./quiz.js";
import { makeQuizButton } from "./quiz_panel.js";
import { makeStepper, pressed, stepKeys } from "../shared/transport.js";

export function makeTransport(view) {
  const mass = segmented(
    "mass shown",
    ["forward", "posterior"],
    () => view.mass,
    (kind) => view.setMass(kind),
  );
  const scale = segmented(
    "scale of the bars",
    ["linear", "log"],
    () => view.scale,
    (kind) => view.setScale(kind),
  );
  const several = view.payload.runs.length > 1 ? [makeDifferenceButton(view), makeStageSwitch(view)] : [];
  return makeStepper(view, "position", () => view.payload.T, {
    choices: [...several, makeRevealSwitch(view), mass, scale, makeQuizButton(view)],
  });
}

// What a person presses while the player is on the page. Keys that belong to a focused widget are left to it.
export function keyboard(view) {
  const steps = {
    ...stepKeys(view, () => view.payload.T),
    p: () => view.setMass("posterior"),
    f: () => view.setMass("forward"),
    l: () => view.setScale(view.scale === "log" ? "linear" : "log"),
    v: () => view.setReveal(!view.reveal),
    ...(view.payload.runs.length > 1 && {
      d: () => view.goToDifference(),
      t: () => view.setStage(view.stage === "ranks" ? "trees" : "ranks"),
    }),
    q: () => toggleQuiz(view),
    "?": () => view.panels.tools.help(),
    Escape: () => view.select(null),
  };
  return (event) => pressedInQuiz(view, event) || pressed(view, event, steps);
}
