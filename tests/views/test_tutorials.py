"""The tutorial notebooks: every cell runs and produces its output. ``make notebooks`` runs them in Jupyter."""

import ast
import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
# What the last lines of the cells show, in their order.
SHOWN = {
    "a-model-of-your-own": ["Trainer", "Player", "list", "Player", "list", "DataFrame", "str"],
    "watch-a-word": ["Player", "tuple", "Lattice", "list", "Player", "VBox", "str", "Player"],
}


def shown_by(code, names):
    """Run a cell as a notebook does; return its last line's value, None if that is no expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_every_notebook_is_known():
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == sorted(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_a_tutorial_runs_from_its_first_cell_to_its_last(name, capsys):
    cells = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    codes = [cell for cell in cells if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] or cell["execution_count"] for cell in codes)  # outputs are not stored
    names = {}
    values = [shown_by("".join(cell["source"]), names) for cell in codes]
    values = [value for value in values if value is not None]
    assert [type(value).__name__ for value in values] == SHOWN[name]
    said = capsys.readouterr().out
    if name == "watch-a-word":
        assert values[0].position == 1 and values[0].node == "o"
        assert "creaction: a search error at position 1" in said and "beam: 6\nrcms: 3\n" in said
        assert values[3] == ["operation", "operation"] and names["own"].payload["runs"][0]["name"] == "RCMS 2"
    else:
        assert values[2] == ["hatine", "nation"] and values[0].done
        assert "sun rain sun rain rain" in said
