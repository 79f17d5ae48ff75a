// A view in a notebook: Jupyter, VS Code and marimo call `render` with a model that Python shares (anywidget). The
// payload, the position and the node of the model are those of the view, whoever changes them. `assets.widget` calls
// the default export with what draws the view.

const PLACE = ["position", "node"];

const widget = (draw) => ({
  render({ model, el }) {
    el.classList.add("rv-notebook");
    el.dataset.lmSuppressShortcuts = "true"; // JupyterLab leaves the keys pressed in here to us
    const here = () => Object.fromEntries(PLACE.map((name) => [name, model.get(name)]));
    const setStateValue = (name, value) => {
      model.set(name, value);
      model.save_changes();
    };
    const show = () =>
      draw({
        parentElement: el,
        data: { ...model.get("payload"), ...here() },
        setStateValue,
        setTriggerValue: null,
        guest: true,
      });
    const go = () => el.firstElementChild.dispatchEvent(new CustomEvent("rv-go", { detail: here() }));
    const end = show();
    const looks = new MutationObserver(show); // a notebook that turns dark says so on its body
    looks.observe(document.body, { attributes: true, attributeFilter: ["class", "data-jp-theme-light"] });
    const heard = [["change:payload", show], ...PLACE.map((name) => [`change:${name}`, go])];
    heard.forEach(([event, act]) => model.on(event, act));
    return () => {
      heard.forEach(([event, act]) => model.off(event, act));
      looks.disconnect();
      end();
    };
  },
});

export default widget;
