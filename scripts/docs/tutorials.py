"""The tutorial notebooks as pages, run in Jupyter, with live players."""

import json
from functools import partial
from html import escape
from itertools import count
from types import SimpleNamespace

from gallery import frame
from run_notebooks import TUTORIALS, execute_notebook

from rcmviz.views.shared.export import page

WIDGET, STATE = "application/vnd.jupyter.widget-view+json", "application/vnd.jupyter.widget-state+json"


def tutorials(live):
    """``{name of the page: its Markdown}``; the players are written to ``live``."""
    run = _without_outputs if live.is_checked_only else execute_notebook
    return {path.stem: _page(path.stem, run(path), live) for path in TUTORIALS}


def _without_outputs(path):
    """A notebook of the repository."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    kept = [SimpleNamespace(cell_type=cell["cell_type"], source="".join(cell["source"]), outputs=[]) for cell in cells]
    return SimpleNamespace(metadata={}, cells=kept)


def _page(name, notebook, live):
    states = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    numbers, parts = count(1), []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        parts += [_output(name, output, states, numbers, live) for output in cell.outputs]
    file = f"../docs/notebooks/{name}.ipynb"
    return "\n\n".join([*parts, f"The notebook: `{file.removeprefix('../')}` in the repository."]) + "\n"


def _output(name, output, states, numbers, live):
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```"
    data = output.data
    for model in _players(data.get(WIDGET, {}).get("model_id"), states):
        file = f"{name}-{next(numbers)}.html"
        payload = model["payload"] | {"position": model["position"], "node": model["node"]}
        live.write(file, partial(page, payload, payload["title"] or name, "player"))
        return frame(f"../live/{file}", escape(payload["title"] or "the player"))
    if "text/html" in data:
        return f'<div class="rv-output">{"".join(data["text/html"].splitlines())}</div>'
    return f"```text\n{data['text/plain']}\n```"


def _players(identity, states):
    """The states of the players that a widget is or holds."""
    if identity not in states:
        return
    state = states[identity]["state"]
    if "payload" in state:
        yield state
    for child in state.get("children", []):
        yield from _players(json.dumps(child).strip('"').removeprefix("IPY_MODEL_"), states)
