"""A kernel is compiled once for all that call it, as a part of theirs, and apart from that for Python."""

import numpy as np
import pytest
from numba import config

from rcmviz.kernels.kernel import kernel
from rcmviz.kernels.part import PartLibrary


def inner(values, factor):
    if factor < 0:
        raise ValueError("less than nothing", factor)
    total = 0.0
    for value in values:
        total += factor * value
    return total


@pytest.fixture
def kernels(tmp_path, monkeypatch):
    """A kernel and one that calls it, as each of several processes has them."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))

    def made():
        called = kernel()(inner)

        def outer(values, factor):
            return called(values, factor) + called(values, factor)

        return called, kernel(cache=False)(outer)

    return made


def parts(dispatcher):
    return dispatcher.get_call_template.__self__._dispatcher().overloads


def test_it_is_a_part_of_what_calls_it_and_not_compiled_for_python(kernels):
    called, outer = kernels()
    assert outer(np.ones(3), 2) == 12.0
    (result,) = parts(called).values()
    assert isinstance(result.library, PartLibrary) and not called.signatures
    assert called(np.ones(3), 2) == 6.0 and called.signatures  # now it is


def test_another_process_finds_the_part(kernels, tmp_path):
    _, outer = kernels()
    assert outer(np.ones(3), 2) == 12.0
    called, outer = kernels()
    assert outer(np.arange(3.0), 2) == 12.0
    assert sum(called.get_call_template.__self__._dispatcher().stats.cache_hits.values()) == 1
    names = sorted(file.name.split("-")[0] for file in tmp_path.rglob("*.nb[ic]"))
    assert names == ["part", "part"]


def test_what_a_part_raises_is_raised(kernels):
    for _ in range(2):  # as it is compiled, and as it is found
        called, _ = kernels()

        def outer(values, factor, called=called):
            return called(values, factor)

        with pytest.raises(ValueError, match="less than nothing") as raised:
            kernel(cache=False)(outer)(np.ones(3), -1)
        assert raised.value.args == ("less than nothing", -1)


def test_the_usual_way_is_taken_where_numba_has_others(kernels, monkeypatch):
    monkeypatch.setattr("rcmviz.kernels.part.NEEDED", ("no_name_of_numbas",))
    called, outer = kernels()
    assert outer(np.ones(3), 2) == 12.0 and called.signatures
