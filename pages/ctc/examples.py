"""Readings to begin with on CTC, each with what it shows; tests/pages/test_ctc_page.py holds them to it."""

from pages.ctc.question import NO_MODEL, CtcQuestion
from pages.shell.capability import Example

EXAMPLES = (
    Example(
        "RCMS, 5 contexts",
        CtcQuestion(),
        "RCMS merges what it has no room for. It finds “i know that he is here”, and says how little five contexts "
        "can know: it is 13 % sure.",
    ),
    Example(
        "A beam of 5",
        CtcQuestion(method="beam"),
        "With the same room a beam has dropped what is right, and is 96 % sure of “i know that he showere”. The star "
        "says at which frame it was lost.",
    ),
    Example(
        "20 contexts",
        CtcQuestion(budget=20),
        "With more room RCMS is 69 % sure of what is right; a beam of 20 finds it too, and is 89 % sure.",
    ),
    Example(
        "A model of words",
        CtcQuestion(lm="lm-english-words", budget=20),
        "A model of 10,000 words in place of one of letters: contexts are words and the beginning of one. It reads the "
        "same, 68 % sure.",
    ),
    Example(
        "The frames alone",
        CtcQuestion(lm=NO_MODEL, method="exact"),
        "Without a language model every letter that the noise suggests is written. Exact needs one context per letter "
        "then.",
    ),
)
