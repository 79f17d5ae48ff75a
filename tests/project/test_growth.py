"""Time and memory grow with the size of the input, not with its square.

It tests formerly quadratic elements and a few of each target; `python -m fuzz.growth` tests all.
"""

import pytest

import fuzz.targets  # noqa: F401  enters the targets
from fuzz.growth import LARGEST, growth_of
from fuzz.repeat import elements, repeat_element
from fuzz.target import TARGETS, Target

ONCE = [
    ("lesson", b" ", b" "),
    ("lesson", b" ", b"\\*"),
    ("lesson", b" ", b"`a"),
    ("lesson-parts", b"?", b"k%d=1&"),
    ("problem-json", b"{", b'"k%d": 1, '),
    ("sequences-csv", b"sequence,", b"k%d,"),
    ("conll", b" ", b"a "),
]
EVERY = 80  # of the elements of a target, one is tried here


@pytest.mark.parametrize(("target", "after", "element"), ONCE)
def test_formerly_quadratic_inputs(target, after, element, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sample = next(sample for sample in TARGETS[target].samples().values() if after in sample)
    place = sample.find(after) + len(after)
    growth = growth_of(
        TARGETS[target], repr(element), lambda size: sample[:place] + repeat_element(element, size), LARGEST // 2
    )
    assert not growth.is_too_fast, str(growth)


@pytest.mark.parametrize("name", [name for name in TARGETS if name != "calls"])
def test_a_few_elements_of_each_format(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = [one for sample in TARGETS[name].samples().values() if len(sample) < 17_000 for one in elements(sample)]
    for element, build in found[len(name) % EVERY :: EVERY] or found[:1]:
        growth = growth_of(TARGETS[name], element, build, LARGEST // 2)
        assert not growth.is_too_fast, str(growth)


def test_quadratic_growth_is_detected(monkeypatch):
    for name in "MEASURED", "LONG":
        monkeypatch.setattr(f"fuzz.growth.{name}", 0.002)

    def take(content):
        for k in range(0, len(content), 50):
            content.count(b"b", 0, k)

    def hold(content):
        held[:] = [b"x" * (k // 8) for k in range(0, len(content), 20)]

    held = []
    for work in take, hold:
        target = Target("square", dict, lambda random, samples: b"", work)
        growth = growth_of(target, "a", lambda size: b"a" * size)
        assert growth.is_too_fast, str(growth)
