"""The answers of Field's tabs, each the payload of a view."""

import numpy as np

from pages.mrf.models import MrfAndTrigram, fields_to_compare, model_of
from pages.mrf.question import MrfQuestion
from pages.mrf.taggers import GOLD, SHIPPED, taggers
from pages.shell.capability import Payload
from rcmviz.lm.text import tokens
from rcmviz.views.mrf.blank import build_blank
from rcmviz.views.mrf.lifting import build_lifting
from rcmviz.views.mrf.neighbours import build_neighbours
from rcmviz.views.mrf.tagging import build_tagging

NO_WORDS = {"</s>": "the end of the sentence", "<unk>": "<unk>, any unknown word"}
FOLLOWING = 14  # words requested from the left-to-right model
FIRST_WORDS = {"english": "coffee", "grammar": "book"}  # words whose neighbours are listed first


def answer_lifting(question: MrfQuestion) -> Payload:
    """Return the ring and the star of a small text, with the bound during its optimization."""
    return build_lifting(sentences_of(question.text), question.order)


def sentences_of(text: str) -> list[list[str]]:
    """Split a text at ``/`` into sentences; ValueError if there are none.

    >>> sentences_of("the dog / tom slept ")
    [['the', 'dog'], ['tom', 'slept']]
    """
    found = [words for words in map(tokens, text.split("/")) if words]
    if not found:
        raise ValueError("the text has no words: write a few short sentences with a `/` between them")
    return found


def answer_blank(question: MrfQuestion) -> Payload:
    """Return words for the blank, by the field and by a left-to-right model."""
    model = model_of(question.model)
    return build_blank(model.field, question.sentence, lambda left: _next_words(model, left), title=model.title)


def answer_neighbours(question: MrfQuestion) -> Payload:
    """Return the word vectors of two trainings."""
    title = model_of(question.model).title
    return build_neighbours(fields_to_compare(question.model), word=FIRST_WORDS[question.model], title=title)


def answer_tagging(question: MrfQuestion) -> Payload:
    """Return the tags of a sentence, by the field and by the HMMs."""
    known, words = taggers(), taggers().field.split(question.tagged)
    others = [(name, known.shipped.tag(words, order=order).tags) for name, order in known.others if words]
    gold = GOLD.get(" ".join(words), "").split() or None
    return build_tagging(known.field, words, others, gold=gold, title=SHIPPED)


def _next_words(model: MrfAndTrigram, left: list[str]) -> Payload:
    """Return the next words of the left-to-right model, with a note on tokens that are left out."""
    history = ["<s>", *(word if word in model.lm else "<unk>" for word in left)][1 - model.lm.order :]
    found = [(word, float(np.exp(p))) for word, p in model.lm.next_words(history, FOLLOWING)]
    words = [(word, p) for word, p in found if word not in NO_WORDS]
    left_out = {word: p for word, p in found if word in NO_WORDS}
    omitted = " and ".join(f"{NO_WORDS[word]} ({p:.3f})" for word, p in left_out.items())
    return {
        "name": model.lm_title,
        "given": f"p(word | {' '.join(history)})",
        "words": [[word, float(f"{p:.6g}")] for word, p in words],
        "note": "It sees only the words before the blank." + (f" Not listed: {omitted}." if omitted else ""),
    }
