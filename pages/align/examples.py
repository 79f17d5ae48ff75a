"""Words to begin with on Align, each with what it shows; tests/pages/test_align_page.py holds them to it."""

from pages.align.question import OPENS_WITH, AlignQuestion
from pages.shell.capability import Example

EXAMPLES = (
    Example(
        "keep, 1 context",
        OPENS_WITH,
        "With one context per cell the beam has dropped all alignments of “keep”, and is sure of “ce”. RCMS merged "
        "what it did not keep, and reads it. So does exact inference, which keeps all.",
    ),
    Example(
        "bright",
        AlignQuestion(),
        "The model has learnt from this word: RCMS and the beam agree. Go through it with → to see what each keeps.",
    ),
    Example(
        "language, 5 contexts",
        AlignQuestion(word="language", keep=5),
        "The model has never seen this word, and both methods misread it. The beam is sure of its answer and "
        "has dropped the right spelling. RCMS merged what it did not keep: it has dropped nothing and is less sure.",
    ),
    Example(
        "brother, after one epoch",
        AlignQuestion(word="brother", step=124),
        "A model early in training. Show the *meant spelling* (key p): the beam has kept no "
        "alignment of it, so it could not learn from this word. RCMS covers all of them.",
    ),
)
