"""The answers of the tabs of Field, each the payload of its view."""

import numpy as np

from pages.mrf.models import MrfAndTrigram, model_of, rivals
from pages.mrf.question import MrfQuestion
from pages.mrf.taggers import GOLD, SHIPPED, taggers
from pages.shell.capability import Payload
from rcmviz.lm.text import tokens
from rcmviz.views.mrf.blank import build_blank
from rcmviz.views.mrf.lifting import build_lifting
from rcmviz.views.mrf.neighbours import build_neighbours
from rcmviz.views.mrf.tagging import build_tagging

NO_WORDS = {"</s>": "the end of the sentence", "<unk>": "<unk>, any unknown word"}
FOLLOWING = 14  # words asked of the left-to-right model, of which some are no words
FIRST_WORDS = {"english": "coffee", "grammar": "book"}  # whose neighbours are listed at first


def lifting(asked: MrfQuestion) -> Payload:
    """The ring and the star of a small text, and the bound as it is tightened."""
    return build_lifting(sentences_of(asked.text), asked.order)


def sentences_of(text: str) -> list[list[str]]:
    """The sentences of a text with ``/`` between them; ValueError if there are none.

    >>> sentences_of("the dog / tom slept ")
    [['the', 'dog'], ['tom', 'slept']]
    """
    found = [words for words in map(tokens, text.split("/")) if words]
    if not found:
        raise ValueError("the text has no words: write a few short sentences with a `/` between them")
    return found


def blank(asked: MrfQuestion) -> Payload:
    """Words for the blank, by the field and by a left-to-right model."""
    model = model_of(asked.model)
    return build_blank(model.field, asked.sentence, lambda left: _following(model, left), title=model.title)


def neighbours(asked: MrfQuestion) -> Payload:
    """The vectors of the words, learnt in two ways."""
    title = model_of(asked.model).title
    return build_neighbours(rivals(asked.model), word=FIRST_WORDS[asked.model], title=title)


def tagging(asked: MrfQuestion) -> Payload:
    """The tags of a sentence by the field and by the HMMs."""
    known, words = taggers(), taggers().field.split(asked.tagged)
    others = [(name, known.shipped.tag(words, order=order).tags) for name, order in known.others if words]
    gold = GOLD.get(" ".join(words), "").split() or None
    return build_tagging(known.field, words, others, gold=gold, title=SHIPPED)


def _following(model: MrfAndTrigram, left: list[str]) -> Payload:
    """What the left-to-right model puts behind these words; what is no word is left out, and said."""
    history = ["<s>", *(word if word in model.lm else "<unk>" for word in left)][1 - model.lm.order :]
    found = [(word, float(np.exp(p))) for word, p in model.lm.next_words(history, FOLLOWING)]
    words = [(word, p) for word, p in found if word not in NO_WORDS]
    left_out = {word: p for word, p in found if word in NO_WORDS}
    said = " and ".join(f"{NO_WORDS[word]} ({p:.3f})" for word, p in left_out.items())
    return {
        "name": model.lm_title,
        "given": f"p(word | {' '.join(history)})",
        "words": [[word, float(f"{p:.6g}")] for word, p in words],
        "note": "It does not see what comes behind." + (f" Not listed: {said}." if said else ""),
    }
