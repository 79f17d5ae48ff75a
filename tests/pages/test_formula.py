"""Formulas of the pages: all their letters are explained, in short sentences."""

import re

import pytest

from pages.shell.registry import pages

FORMULAS = {
    f"{name} {tab}": part.formula(page.openings()[tab]) if callable(part.formula) else part.formula
    for name, page in pages().items()
    for tab, part in {"": page, **page.tabs}.items()
    if part.formula
}
GREEK = {
    "theta": "θ",
    "eta": "η",
    "delta": "δ",
    "varphi": "φ",
    "pi": "π",
    "beta": "β",
    "sum": "",
    "hat": "",
    "nabla": "",
}


def letters_of(latex):
    """Return the letters that are variables of a formula."""
    plain = re.sub(r"\\text\{[^}]*\}", " ", latex)
    greek = {GREEK[name] for name in re.findall(r"\\([a-z]+)", plain) if name in GREEK} - {""}
    return greek | set(re.findall(r"[A-Za-z]", re.sub(r"\\[A-Za-z]+", " ", plain)))


@pytest.mark.parametrize("name", FORMULAS)
def test_every_letter_of_a_formula_is_explained(name):
    formula = FORMULAS[name]
    explained = set("".join(re.findall(r"\*([^*]{1,14}?)\*", formula.letters.replace("\\*", ""))))
    assert letters_of(formula.latex) - explained == set()
    assert all(len(part.split()) <= 30 for part in re.split(r"[.:] ", formula.letters))
