// @ts-check
// A view in a notebook: Jupyter, VS Code and marimo call `render` with a model that Python shares (anywidget). The
// payload, the position and the node of the model are those of the view, whoever changes them. `assets.widget` calls
// the default export with what draws the view.

const PLACE = ["position", "node"];

/**
 * @type {(draw: (call: any) => () => void) => { render(notebook: { model: NotebookModel, el: HTMLElement }): () =>
 *   void }}
 */
const widget = (draw) => ({
  render({ model, el }) {
    el.classList.add("rv-notebook");
    // JupyterLab leaves the keys to an element that has the focus only if the element itself says so.
    el.addEventListener("focusin", ({ target }) => {
      /** @type {HTMLElement} */ (target).dataset.lmSuppressShortcuts = "true";
    });
    // A view that has no such thing, or does not say yet where it stands, opens where its payload says.
    /** @type {(name: string) => boolean} */
    const given = (name) => model.get(name) !== undefined && (model.get(name) !== null || name === "node");
    const here = () => Object.fromEntries(PLACE.filter(given).map((name) => [name, model.get(name)]));
    /** @type {(name: string, value: unknown) => void} */
    const setStateValue = (name, value) => {
      model.set(name === "step" ? "position" : name, value); // where a training or a cipher stands
      model.save_changes();
    };
    let end = () => {}; // that of the last call ends the view
    const show = () => {
      const data = { ...model.get("payload"), ...here() };
      end = draw({ parentElement: el, data, setStateValue, setTriggerValue: null, guest: true });
    };
    let known = here();
    // Position and node arrive together, as a held node belongs to its position; unchanged values stay.
    const arrive = () => {
      const [now, before] = [here(), known];
      known = now;
      const detail = Object.fromEntries(Object.entries(now).filter(([name, value]) => value !== before[name]));
      el.firstElementChild?.dispatchEvent(new CustomEvent("rv-go", { detail }));
    };
    const go = () => queueMicrotask(arrive);
    show();
    const looks = new MutationObserver(show); // a notebook that turns dark marks its body
    looks.observe(document.body, { attributes: true, attributeFilter: ["class", "data-jp-theme-light"] });
    // Views but the player say where they stand on their root.
    el.addEventListener("rv-place", ({ target }) => {
      const { position, round, pass } = /** @type {HTMLElement} */ (target).dataset;
      const stands = Number(position ?? round ?? pass);
      if (model.get("node") === undefined && stands) setStateValue("position", stands);
    });
    const heard = Object.entries({ "change:payload": show, "change:position": go, "change:node": go });
    heard.forEach(([event, act]) => model.on(event, act));
    return () => {
      heard.forEach(([event, act]) => model.off(event, act));
      looks.disconnect();
      end();
    };
  },
});

export default widget;
