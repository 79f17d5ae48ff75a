"""The inputs of ARS: a message or a sentence, as an HMM."""

from dataclasses import dataclass
from functools import cache, lru_cache

import rcmviz as rv
from pages.ars.question import TAGGER, ArsQuestion
from pages.shell.language_models import UPLOADS, model_named
from rcmviz.tasks.english import treebank_words
from rcmviz.tasks.sms.messages import MAX_WORDS, read_digits, read_text
from rcmviz.tasks.tagging.shipped import load_tagger


@dataclass(frozen=True, eq=False)
class ArsSubject:
    """The sequence to find: the ``hmm``, the observed ``inputs`` as text, and the meant sequence ``gold``, if known.

    ``notes`` are for the user.
    """

    title: str
    hmm: rv.HMM
    inputs: tuple[str, ...]
    gold: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ArsInputs:
    """The ``subject`` of a ``question``, which has the options of the run."""

    subject: ArsSubject
    question: ArsQuestion


def load(question: ArsQuestion) -> ArsInputs:
    """Return the inputs of a question; ValueError says what to do."""
    if question.tags:
        return ArsInputs(_sentence(question.sentence, question.order), question)
    model_named(question.model)  # refuses the uploads of other visitors before the cache
    options = {"slip": question.slip, "slope": question.slope, "most": question.most}
    return ArsInputs(_message(question.model, question.message, **options), question)


@cache
def tagger():
    """Return the shipped tagger, with orders up to 9."""
    return load_tagger(TAGGER)


@lru_cache(maxsize=8)
def _message(model: str, text: str, *, slip: int, slope: float, most: int) -> ArsSubject:
    lm = model_named(model)
    if any(sign.isalpha() for sign in text):
        message = read_text(lm, text, seed=slip or None, slope=slope, most=most or None)
    else:
        message = read_digits(lm, text, slope=slope, most=most or None)
    notes = []
    if message.unknown:
        notes.append(f"Not in the vocabulary, hence never found: {', '.join(message.unknown)}.")
    if message.left_out:
        notes.append(f"This language model has letters only: the key {message.left_out} is left out.")
    if lm.end < 0:
        notes.append("This language model has no </s>: the end of the message is not scored.")
    hmm = message.hmm(lm, end=lm.end >= 0)
    return ArsSubject(message.digits, hmm, message.keys, message.meant, tuple(notes))


@lru_cache(maxsize=8)
def _sentence(text: str, order: int) -> ArsSubject:
    words = treebank_words(text)
    if not words:
        raise ValueError("there is no sentence: type one in English, such as: The old man the boats .")
    if len(words) > MAX_WORDS:
        raise ValueError(f"the sentence has {len(words)} words, at most {MAX_WORDS} are tagged here; shorten it")
    known = tagger()
    new = [word for word in words if not known.emissions.knows(word)]
    notes = [f"Not in the training data, tagged by their endings: {', '.join(new)}."] if new else []
    return ArsSubject(" ".join(words), known.hmm(words, order), tuple(words), (), tuple(notes))


UPLOADS.forgets.append(_message.cache_clear)
