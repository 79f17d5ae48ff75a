"""Conditions and numbers of lessons: parsed as Python, evaluated equally in Python and in the browser."""

# ruff: noqa: F811  (fixtures are imported, then requested by name)

import json
import math
import os
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcmviz.lessons.expressions import Fact, evaluate, parse_expression
from rcmviz.lessons.numbers import read_number, shows, value_text
from rcmviz.lessons.tasks import right_choices, sign_choice, verdict
from rcmviz.views.shared.assets import FOLDER
from rcmviz.views.shared.bundle import bundle
from support.browser import chromium, page_of  # noqa: F401

NUMBERS = st.sampled_from(["0", "1", "2", "3", "7", "0.5", "2.25", "1e-3"])
SUMS = st.recursive(
    NUMBERS,
    lambda part: st.one_of(
        st.tuples(part, st.sampled_from("+-*/"), part).map(" ".join), part.map("({})".format), part.map("-{}".format)
    ),
    max_leaves=8,
)
SENTENCES = st.recursive(
    st.one_of(
        st.tuples(SUMS, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), SUMS).map(" ".join),
        st.sampled_from(["true", "false"]),
    ),
    lambda part: st.one_of(
        st.tuples(part, st.sampled_from(["and", "or"]), part).map(" ".join),
        part.map("({})".format),
        part.map("not {}".format),
    ),
    max_leaves=8,
)


def pythons(text):
    """What Python says of the same text; None where it divides by 0, or where rounding decides."""
    try:
        return eval(text.replace("true", "True").replace("false", "False"))
    except ZeroDivisionError:
        return None


@given(SUMS)
def test_sums_are_read_as_python_reads_them(text):
    expected = pythons(text)
    found = evaluate(parse_expression(text).tree, {}, {})
    assert math.isnan(found) if expected is None else math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12)


@given(SENTENCES)
def test_sentences_are_read_as_python_reads_them(text):
    expected = pythons(text)
    if expected is not None:
        assert evaluate(parse_expression(text).tree, {}, {}) is expected


def test_names_are_parameters_of_the_link_and_facts_have_a_dot():
    asked = parse_expression('node == "*ol" and rcms.fate(*ac, 4)[budget=20&method=beam] == beam:50.output(", (")')
    assert asked.names == ("node",)
    assert asked.facts == (
        Fact("rcms", "fate", ("*ac", 4), (("budget", "20"), ("method", "beam"))),
        Fact("beam:50", "output", (", (",)),
    )
    for fact in asked.facts:
        assert parse_expression(str(fact)).facts == (fact,)
    with pytest.raises(KeyError, match="beam.lost_at"):
        evaluate(parse_expression("beam.lost_at == 3").tree, {}, {})


@pytest.mark.parametrize(
    "shown, value, is_so",
    [
        ("83 %", 0.8345, True),
        ("83 %", 0.836, False),
        ("83.0 %", 0.8345, False),
        ("−3.21", -3.2149, True),
        ("-3.21", 3.21, False),
        ("4", 4, True),
        ("4", 5, False),
        ("1,204", 1204, True),
        ("1.2 · 10^−5", 1.23e-5, True),
        ("careless", "careless", True),
        ("careless", "careful", False),
        ("none", None, True),
        ("0", None, False),
        ("true", True, True),
        ("1", True, False),
        ("five", 5, False),
        ("0.0", float("nan"), False),
    ],
)
def test_numbers_are_compared_at_the_digits_that_are_shown(shown, value, is_so):
    assert shows(shown, value) is is_so


@given(st.floats(-1e6, 1e6), st.integers(0, 4))
def test_a_number_is_shown_by_its_own_rounding(value, digits):
    assert shows(f"{value:,.{digits}f}".replace("-", "−"), value)
    said, unit = read_number(f"{value:.{digits}f}")
    assert abs(said - value) <= unit / 2 * (1 + 1e-6)
    assert not shows(f"{value + 1.6 * 10**-digits:.{digits}f}", value)
    assert value_text(True) == "true" and value_text(None) == "none"


def test_the_right_choice_is_the_equal_text_or_the_nearest_number():
    assert right_choices(["Beam", "RCMS"], "rcms") == [1]
    assert right_choices(["10 %", "50 %", "90 %"], 0.61) == [1]
    assert right_choices(["yes", "no"], False) == [1]
    assert right_choices(["2", "4"], 3) == [0, 1]  # `rcmviz lesson check` refuses two
    assert [sign_choice(1.0, after) for after in (0.5, 1.0 + 1e-12, 1.5)] == [[0], [1], [2]]


ATOMS = [0, 1, 4, 4.5, "4", "on", "", True, False, None]
TEXTS = ["0", "1", "4", "4.5", "-3", "1e-3", "on", "*ol", "", "4 "]
LINKS, FACTS = ["pos", "node", "word"], ["a.b", "c.d(4)", "e.f"]


def any_tree(chance, depth):
    """A tree of operations as random as its parts; with unknown facts."""
    if depth == 0 or chance.random() < 0.2:
        kind = chance.choice(["atom", "link", "fact"])
        return chance.choice(ATOMS) if kind == "atom" else [kind, chance.choice(LINKS if kind == "link" else FACTS)]
    sign = chance.choice(["and", "or", "not", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/"])
    return [sign, *(any_tree(chance, depth - 1) for _ in range(1 if sign == "not" else 2))]


def any_case(chance):
    """(Condition, state), as far as possible in what Python and JavaScript could understand differently."""
    choice = chance.choice([None, 0, 1, 2])
    link = {name: chance.choice(TEXTS) for name in chance.sample(LINKS, chance.randint(0, 3))}
    asked = {"kind": chance.choice(["kept", "mass"]), "run": chance.randint(0, 1), "position": chance.randint(1, 2)}
    said = asked | {"right": chance.randint(0, 5), "of": 5} | chance.choice([{}, {"run": 0}, {"kind": "mass"}])
    quiz = {"kind": chance.choice(["both", asked["kind"]])} | chance.choice([{}, {"run": 0}, {"position": 1}])
    known = [
        {"when": {"word": chance.choice(TEXTS)}, "facts": {name: chance.choice(ATOMS) for name in FACTS[:2]}}
        for _ in range(chance.randint(0, 3))
    ]
    until = {
        "until": any_tree(chance, 3),
        "settings": ["word"],
        "defaults": chance.choice([{}, {"word": "on", "pos": "1"}]),
        "known": known,
        "wrong": "No.",
    }
    condition = chance.choice(
        [until] * 6 + [{"choice": [1], "wrong": ""}, {"quiz": quiz, "least": 0.6, "wrong": "No."}]
    )
    return condition, {"query": link, "choice": choice, "prediction": chance.choice([None, said])}


def test_the_browser_judges_as_python_does(page_of, tmp_path):
    """Three thousand conditions on one page, with texts that look like numbers and unknown facts."""
    chance = random.Random(5)
    cases = [any_case(chance) for _ in range(3000)]
    expected = [list(verdict(*case)) for case in cases]
    assert {done for done, _ in expected} == {True, False, None}
    entry = tmp_path / "entry.js"
    module = os.path.relpath(FOLDER / "lesson" / "condition.js", tmp_path)
    entry.write_text(
        f'import {{ check }} from "{module}";\nconst run = (...given) => check(...given);\nexport default run;\n'
    )
    page = page_of("about:blank").page
    page.add_script_tag(type="module", content=bundle(entry, "judge") + "window.judge = judge;")
    page.wait_for_function("() => window.judge")
    found = page.evaluate("cases => cases.map(([condition, state]) => window.judge(condition, state))", cases)
    differ = [
        (case, one, other)
        for case, one, other in zip(cases, expected, found, strict=True)
        if one != [other["done"], other["said"]]
    ]
    assert not differ, json.dumps(differ[0])
