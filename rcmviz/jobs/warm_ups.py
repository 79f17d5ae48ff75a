"""Kernels to compile ahead: one list for `rcmviz warmup`, the application, the tests."""

from collections.abc import Iterable
from importlib import import_module
from typing import Literal, NamedTuple


class WarmUp(NamedTuple):
    """Some kernels: what they do, the module whose ``warm_up()`` compiles or loads them, and when pages need them."""

    title: str
    module: str
    needed: Literal["first view", "later views", "no page"]


WARM_UPS = {  # by the name that `rcmviz warmup` takes
    "fit": WarmUp("a classifier's fit", "rcmviz.learn.first_calls", "no page"),
    "training": WarmUp("training", "rcmviz.learn.trainer", "no page"),  # the pages' host warms it itself
    "batch": WarmUp("many sequences at once", "rcmviz.core.inference.batch", "no page"),
    "steps": WarmUp("step by step", "rcmviz.core.builders.build", "first view"),
    "trust": WarmUp("how far an answer can be trusted", "rcmviz.views.word.trust", "first view"),
    "ars": WarmUp("adaptive rejection", "rcmviz.ars.decode", "later views"),
    "align": WarmUp("alignment", "rcmviz.jobs.alignments", "later views"),
    "search": WarmUp("best-first search", "rcmviz.search.builders", "later views"),
    "searn": WarmUp("learning to search", "rcmviz.searn.classifier", "later views"),
    "ctc": WarmUp("frames with a blank", "rcmviz.ctc_decoding.decode", "later views"),
    "decipher": WarmUp("decipherment", "rcmviz.experiments.decipherments", "no page"),
}


def warm_up(names: Iterable[str]) -> None:
    """Compile the kernels of these names, or load them where they are compiled already.

    >>> warm_up(["steps"])
    """
    for name in names:
        import_module(WARM_UPS[name].module).warm_up()


def kernels_by_page(when: str) -> list[str]:
    """Names of kernels by the page that needs them.

    >>> kernels_by_page("first view")
    ['steps', 'trust']
    """
    return [name for name, part in WARM_UPS.items() if part.needed == when]
