// @ts-check
// A view in a notebook: Jupyter, VS Code and marimo call `render` with a model shared with Python (anywidget). Payload,
// position and node are synchronized in both directions. `assets.widget` calls the default export with the function
// that draws the view.

const PLACE = ["position", "node"];

/**
 * @type {(draw: (call: any) => () => void) => { render(notebook: { model: NotebookModel, el: HTMLElement }): () =>
 *   void }}
 */
const widget = (draw) => ({
  render({ model, el }) {
    el.classList.add("rv-notebook");
    // JupyterLab keeps its shortcuts away from a focused element only if the element asks for it.
    el.addEventListener("focusin", ({ target }) => {
      /** @type {HTMLElement} */ (target).dataset.lmSuppressShortcuts = "true";
    });
    // A view without such a value, or before it reports one, opens as its payload says.
    /** @type {(name: string) => boolean} */
    const isGiven = (name) => model.get(name) !== undefined && (model.get(name) !== null || name === "node");
    const currentPlace = () => Object.fromEntries(PLACE.filter(isGiven).map((name) => [name, model.get(name)]));
    /** @type {(name: string, value: unknown) => void} */
    const setStateValue = (name, value) => {
      model.set(name === "step" ? "position" : name, value); // the step of a training or a cipher
      model.save_changes();
    };
    let end = () => {}; // the end of the last call
    const show = () => {
      const data = { ...model.get("payload"), ...currentPlace() };
      end = draw({ parentElement: el, data, setStateValue, setTriggerValue: null, guest: true });
    };
    let known = currentPlace();
    // Position and node arrive together, since a selection belongs to its position; unchanged values stay.
    const arrive = () => {
      const [now, before] = [currentPlace(), known];
      known = now;
      const detail = Object.fromEntries(Object.entries(now).filter(([name, value]) => value !== before[name]));
      el.firstElementChild?.dispatchEvent(new CustomEvent("rv-go", { detail }));
    };
    const go = () => queueMicrotask(arrive);
    show();
    const looks = new MutationObserver(show); // a notebook that turns dark marks its body
    looks.observe(document.body, { attributes: true, attributeFilter: ["class", "data-jp-theme-light"] });
    // All views except the player have their step on their root.
    el.addEventListener("rv-place", ({ target }) => {
      const { position, round, pass } = /** @type {HTMLElement} */ (target).dataset;
      const step = Number(position ?? round ?? pass);
      if (model.get("node") === undefined && step) setStateValue("position", step);
    });
    const listeners = Object.entries({ "change:payload": show, "change:position": go, "change:node": go });
    listeners.forEach(([event, act]) => model.on(event, act));
    return () => {
      listeners.forEach(([event, act]) => model.off(event, act));
      looks.disconnect();
      end();
    };
  },
});

export default widget;
