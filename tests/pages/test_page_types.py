"""The types of a declaration: a wrong pair of ``load`` and ``answer`` is an error at its line."""

from pathlib import Path

from mypy import api

ROOT = Path(__file__).parents[2]
DECLARATION = '''
from dataclasses import dataclass

from pages.shell.capability import Capability, Payload
from pages.shell.question import Question
from rcmviz.views.ctc import VIEW


@dataclass(frozen=True)
class Dice(Question):
    """A question."""


def load(question: Dice) -> int:
    return 6


def right(inputs: int) -> Payload:
    return {}


def wrong(inputs: str) -> Payload:
    return {}


PAGE: Capability[Dice, int] = Capability(
    name="dice", title="Dice", question=Dice, view=VIEW,
    load=load,
    answer=ANSWER,
)
'''


def test_a_wrong_pair_of_load_and_answer_is_an_error_at_its_line(tmp_path):
    errors = {}
    for name in ("right", "wrong"):
        file = tmp_path / f"{name}_page.py"
        file.write_text(DECLARATION.replace("ANSWER", name), encoding="utf-8")
        out, _, _ = api.run(["--config-file", str(ROOT / "pyproject.toml"), str(file)])
        errors[name] = [line for line in out.splitlines() if "error:" in line]
    line = DECLARATION.splitlines().index("    answer=ANSWER,") + 1
    assert errors["right"] == []
    assert [f':{line}: error: Argument "answer"' in error for error in errors["wrong"]] == [True]
