"""Example readings on CTC, each with a description that tests/pages/test_ctc_page.py checks."""

from pages.ctc.question import NO_MODEL, CtcQuestion
from pages.shell.capability import Example

EXAMPLES = (
    Example(
        "RCMS, 5 contexts",
        CtcQuestion(),
        "RCMS merges the contexts over its budget. It finds “i know that he is here”, and is only 13 % sure: five "
        "contexts tell little.",
    ),
    Example(
        "A beam of 5",
        CtcQuestion(method="beam"),
        "With the same budget a beam has dropped the right output, and is 96 % sure of “i know that he showere”. The "
        "star marks the frame at which it was lost.",
    ),
    Example(
        "20 contexts",
        CtcQuestion(budget=20),
        "With more contexts RCMS is 69 % sure of the right output; a beam of 20 finds it too, and is 89 % sure.",
    ),
    Example(
        "A model of words",
        CtcQuestion(lm="lm-english-words", budget=20),
        "A model of 10,000 words instead of letters: a context is the past words and the beginning of the next one. "
        "RCMS reads the same text, 68 % sure.",
    ),
    Example(
        "The frames alone",
        CtcQuestion(lm=NO_MODEL, method="exact"),
        "Without a language model the output has every letter that the noise suggests. Exact inference then needs one "
        "context per letter.",
    ),
)
