"""The prepared examples of the Home page: settings only, found by scripts/find_examples.py."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

import rcmviz as rv
from rcmviz.data import registry
from rcmviz.problem import problem_from_word

from .runs import TEST_FOLD, kassel_words, model_named
from .settings import Method, Settings, Subject, default_model, write_query

BOTH = (Method("beam"), Method("rcms"))
FEW = (Method("beam", 3), Method("rcms", 3))  # with 10, beam search is never sure of a wrong word of Kassel's test fold


@dataclass(frozen=True)
class Example:
    """A card: ``title``, one or two sentences, the page that it opens with these settings."""

    title: str
    told: str
    page: str
    settings: Settings

    @property
    def query(self):
        """The link's parameters."""
        return write_query(self.settings)


MINIATURE = Subject(text="exactly", seed=14)

EXAMPLES = (
    Example(
        "Sure, and wrong",
        "Beam search reads “amazing” and is 82 % sure, for it has forgotten every other beginning. RCMS with the same "
        "budget reads “exactly”.",
        "compare",
        Settings(MINIATURE, BOTH, compares=True, position=3),
    ),
    Example(
        "Long memories on a small budget",
        "Where few beginnings are likely, ten contexts hold almost the whole word so far: follow them along "
        "“presentation”.",
        "step",
        Settings(Subject(text="presentation", seed=3), position=8),
    ),
    Example(
        "Saved by the root",
        "With a budget of 4, the right first letter is not kept: beam search is sure of “growing”. RCMS carries it in "
        "the root and finds back to “knowing”.",
        "compare",
        Settings(Subject(text="knowing", seed=9), (Method("beam", 4), Method("rcms", 4)), compares=True, position=1),
    ),
)  # fmt: skip


@lru_cache(maxsize=1)
def real_example():
    """The test word of Kassel's on which beam search is surest of a wrong word while RCMS is right, or None.

    Looked for when the data is there (all 704 words take 0.1 s): an index stored here would mean another word in
    another copy of the data.
    """
    if registry.find("ocr") is None or default_model("kassel") not in rv.shipped_models():
        return None
    model = model_named(default_model("kassel"))
    words = [word for word in kassel_words() if word.fold == TEST_FOLD]
    emissions = [problem_from_word(model, word).log_emit for word in words]
    beam, rcms = (rv.infer_batch(model, emissions, method.kind, method.budget) for method in FEW)

    def right(batch):
        decoded = ["".join(model.labels[y] for y in labels) for labels in batch.labels]
        return np.array([text == word.letters for text, word in zip(decoded, words, strict=True)])

    telling = np.flatnonzero(~right(beam) & right(rcms))
    if not len(telling):
        return None
    k = telling[np.argmax(beam.log_prob[telling])]
    subject = Subject("kassel", str(words[k].index), model=default_model("kassel"))
    read, sure = "".join(model.labels[y] for y in beam.labels[k]), np.exp(beam.log_prob[k])
    return Example(
        "The same on real handwriting",
        f"With a budget of 3, beam search reads “{read}” and is {100 * sure:.0f} % sure; "
        f"RCMS reads “{words[k].letters}”, which is what was written.",
        "compare",
        Settings(subject, FEW, compares=True),
    )
