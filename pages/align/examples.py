"""Example words on Align, each with a description that tests/pages/test_align_page.py checks."""

from pages.align.question import OPENS_WITH, AlignQuestion
from pages.shell.capability import Example

EXAMPLES = (
    Example(
        "keep, 1 context",
        OPENS_WITH,
        "With one context per cell the beam has dropped all alignments of “keep”, and is sure of “ce”. RCMS has merged "
        "the contexts that it could not keep, and reads “keep”. Exact inference keeps all contexts and reads it too.",
    ),
    Example(
        "bright",
        AlignQuestion(),
        "The model was trained on this word: RCMS and the beam agree. Step through it with → to see the kept contexts.",
    ),
    Example(
        "language, 5 contexts",
        AlignQuestion(word="language", keep=5),
        "The model has never seen this word, and both methods misread it. The beam is sure of its answer and "
        "has dropped the right spelling. RCMS has merged contexts, dropped nothing, and is less sure.",
    ),
    Example(
        "brother, after one epoch",
        AlignQuestion(word="brother", step=124),
        "A model early in training. Show the *meant spelling* (key p): the beam has kept no "
        "alignment of it, so it could not learn from this word. RCMS covers all of them.",
    ),
)
