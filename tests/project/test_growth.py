"""Time grows with the size of what is read, not with its square: the elements that once did otherwise."""

import pytest

import fuzz.targets  # noqa: F401  enters the targets
from fuzz.growth import growth_of
from fuzz.target import TARGETS

ONCE = [
    ("lesson", b" ", b" "),
    ("lesson", b" ", b"\\*"),
    ("lesson", b" ", b"`a"),
    ("lesson-parts", b"?", b"k%d=1&"),
    ("problem-json", b"{", b'"k%d": 1, '),
    ("sequences-csv", b"sequence,", b"k%d,"),
    ("conll", b" ", b"a "),
]


@pytest.mark.parametrize(("target", "after", "element"), ONCE)
def test_time_grows_with_the_size(target, after, element, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sample = next(sample for sample in TARGETS[target].samples().values() if after in sample)
    growth = growth_of(TARGETS[target], sample, sample.find(after) + len(after), element)
    assert not growth.is_too_fast, growth
