"""From a question to what its tab draws; each kept by what it came from."""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from pages.field import learning
from pages.field.code import blank_code, lifting_code, neighbours_code, tagging_code
from pages.field.models import model_of, rivals
from pages.field.taggers import GOLD, SHIPPED, taggers
from pages.word.edits import arguments
from rcmviz.lm.text import tokens
from rcmviz.views.field.blank import build_blank
from rcmviz.views.field.lifting import build_lifting
from rcmviz.views.field.neighbours import build_neighbours
from rcmviz.views.field.tagging import build_lattice, build_tagging

NO_WORDS = {"</s>": "the end of the sentence", "<unk>": "<unk>, any unknown word"}
FOLLOWING = 14  # words asked of the left-to-right model, of which some are no words


def payload_of(question):
    """What the view draws of a question; ValueError says what to do where it has no answer."""
    tabs = {
        "lifting": _lifting,
        "learning": learning.payload_of,
        "blank": _blank,
        "neighbours": _neighbours,
        "tagging": _tagging,
    }
    return tabs[question.tab](replace(question.only("tab", question.tab), edits=()))  # those are of the lattice


@lru_cache(maxsize=12)
def _lifting(question):
    return build_lifting(sentences_of(question.text), question.order, code=lifting_code(question))


def sentences_of(text):
    """The sentences of a text with ``/`` between them; ValueError where there are none.

    >>> sentences_of("the dog / tom slept ")
    [['the', 'dog'], ['tom', 'slept']]
    """
    found = [words for words in map(tokens, text.split("/")) if words]
    if not found:
        raise ValueError("the text has no words: write a few short sentences with a `/` between them")
    return found


@lru_cache(maxsize=12)
def _blank(question):
    model = model_of(question.model)
    return build_blank(
        model.field,
        question.sentence,
        lambda left: _following(model, left),
        title=model.title,
        code=blank_code(question),
    )


@lru_cache(maxsize=2)
def _neighbours(question):
    model = model_of(question.model)
    word = {"english": "coffee", "grammar": "book"}[question.model]
    return build_neighbours(rivals(question.model), word=word, title=model.title, code=neighbours_code(question))


@lru_cache(maxsize=12)
def _tagging(question):
    known, words = taggers(), taggers().field.split(question.tagged)
    others = [(name, known.shipped.tag(words, order=order).tags) for name, order in known.others if words]
    gold = GOLD.get(" ".join(words), "").split() or None
    return build_tagging(known.field, words, others, gold=gold, title=SHIPPED, code=tagging_code(question))


@lru_cache(maxsize=6)
def lattice_of(question):
    """The payload of the player: the lattice of the sentence that is tagged, with the edits of the question."""
    call, _ = arguments(question.edits, "exact")
    return build_lattice(taggers().field, taggers().field.split(question.tagged), **call)


def _following(model, left):
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
