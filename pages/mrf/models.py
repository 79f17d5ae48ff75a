"""The fields of the page, each with a left-to-right model for comparison; built once per server."""

from dataclasses import dataclass
from functools import lru_cache

import rcmviz as rv
from rcmviz.tasks.decipher.grammar import sentences
from rcmviz.views.mrf.neighbours import NamedField

SHIPPED, RIVAL, SHIPPED_LM = "mrf-english", "mrf-english-pseudo", "lm-english-words"
TITLES = ("Lifted likelihood", "Pseudo-likelihood")
SENTENCES = 3_000  # of the grammar
SETTINGS = {"size": None, "order": 2, "rank": 12, "max_steps": 150}


@dataclass(frozen=True, eq=False)
class MrfAndTrigram:
    """A ``field`` with its ``title``, and the n-gram ``lm`` of an equally large part of the same text."""

    field: rv.MarkovField
    title: str
    lm: rv.LanguageModel
    lm_title: str


@lru_cache(maxsize=2)
def model_of(name):
    """Return the ``MrfAndTrigram`` of a name in the link."""
    return _grammar_model() if name == "grammar" else _shipped_model()


def _shipped_model():
    field, lm = rv.load_field(SHIPPED), rv.load_lm(SHIPPED_LM)
    title = f"{SHIPPED}, {len(field.words):,} words trained on Tatoeba"
    return MrfAndTrigram(field, title, lm, f"Trigram of the same sentences, {len(lm.vocabulary):,} words")


@lru_cache(maxsize=2)
def fields_to_compare(name):
    """Return two ``NamedField``s: one by lifted likelihood, one by pseudo-likelihood, trained for the same time."""
    return [NamedField(title, *rival) for title, rival in zip(TITLES, _trained_fields(name), strict=True)]


def _trained_fields(name):
    if name == "english":
        return [(field, field.info_["seconds"]) for field in (model_of(name).field, rv.load_field(RIVAL))]
    lifted = model_of("grammar").field
    seconds = lifted.history_[-1]["seconds"]
    rival = rv.MarkovField(**SETTINGS | {"max_steps": 2_000, "patience": None}, objective="pseudo-likelihood")
    for state in (trainer := rival.trainer(sentences(SENTENCES))).run():
        if state.seconds >= seconds:
            break
    return [(lifted, seconds), (rival.take(state), trainer.seconds)]


def _grammar_model():
    text = sentences(SENTENCES)
    field = rv.MarkovField(**SETTINGS).fit(text)
    title = f"a field of {SENTENCES:,} sentences of a small grammar"
    return MrfAndTrigram(field, title, rv.train_lm(text, 3), "Trigram of the same text")
