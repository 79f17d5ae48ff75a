// The bar above the player, and its keys. As the details of a picture it has choices alone: the picture steps.

import { makeDifferenceButton } from "./compared.js";
import { makeRevealSwitch } from "./reveal.js";
import { html } from "../shared/dom.js";
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
  const several = view.payload.runs.length > 1 ? [makeDifferenceButton(view)] : [];
  const choices = [...several, makeRevealSwitch(view), mass, scale, makeQuizButton(view)];
  return view.host.inner ? makeChoices(choices) : makeStepper(view, "position", () => view.payload.T, { choices });
}

function makeChoices(choices) {
  const nodes = html("div", { class: "rv-choices" }, choices.map((choice) => choice.node));
  const node = html("div", { class: "rv-transport", role: "toolbar", "aria-label": "how it is shown" }, nodes);
  return { node, layout() {}, paint: () => choices.forEach((choice) => choice.paint()), highlight() {} };
}

// What a person presses while the player is on the page. Keys that belong to a focused widget are left to it.
export function keyboard(view) {
  const { " ": play, ...moves } = stepKeys(view, () => view.payload.T);
  const steps = {
    ...moves,
    ...(!view.host.inner && { " ": play }),
    p: () => view.setMass("posterior"),
    f: () => view.setMass("forward"),
    l: () => view.setScale(view.scale === "log" ? "linear" : "log"),
    v: () => view.setReveal(!view.reveal),
    ...(view.payload.runs.length > 1 && { d: () => view.goToDifference() }),
    q: () => toggleQuiz(view),
    "?": () => view.panels.tools.help(),
    Escape: () => view.select(null),
  };
  return (event) => pressedInQuiz(view, event) || pressed(view, event, steps);
}
