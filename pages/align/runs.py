"""From a question to its examples, its model and what the Align view draws; each kept by what it came from."""

import json
from functools import lru_cache
from pathlib import Path

from pages.align.code import picture_code
from pages.align.link import HELD_OUT, OPENING, STRATEGY_NAMES
from rcmviz.jobs.alignments import AlignJobTrainer, seconds_needed
from rcmviz.jobs.host import this_host
from rcmviz.tasks.speech import examples
from rcmviz.views.align.payload import AlignRun, build_align

EXAMPLE = Path(__file__).with_name("example.json")  # of what the page opens with: the first view waits for no kernel
LONGEST_WAIT = 60.0  # seconds that a picture may wait for its model


class TooSlow(ValueError):
    """A model that is better trained where one can watch."""


def load_data(question):
    """The ``Speech`` that is learned from; ValueError says what to do where it is not on this machine."""
    return _load(question.only("data"))


@lru_cache(maxsize=6)
def _load(question):
    if question.source == "lexicon":
        return examples.load("lexicon", question.seed)
    return examples.load(question.source, question.seed, question.words, HELD_OUT[question.source])


def share_of(question):
    """Where the word of a question is in what its model is made with: "learned from", "held out", or None."""
    return _shares(question.only("data")).get(question.word.strip().lower())


@lru_cache(maxsize=6)
def _shares(question):
    data = _load(question)
    parts = {"held out": data.test, "learned from": data.train}
    return {pairs.text(w): share for share, pairs in parts.items() for w in range(len(pairs))}


def model_of(question):
    """The model of a question: of a training beside the page, else trained here and now.

    TooLong where that would take longer than a minute.
    """
    settings = question.training(question.learned)
    for kept in this_host().checkpoints(question.data, settings):
        if kept.step == (question.step or settings.epochs * len(load_data(question).train)):
            return kept.model
    return _trained(question.only("data", "training", "learned", "step"))


@lru_cache(maxsize=6)
def _trained(question):
    settings, pairs = question.training(question.learned), load_data(question).train
    wanted = min(question.step or settings.epochs * len(pairs), settings.epochs * len(pairs))
    share = wanted / (settings.epochs * len(pairs))
    if seconds_needed(pairs, settings) * share > LONGEST_WAIT:
        raise TooSlow(
            f"to train this model takes about {seconds_needed(pairs, settings) * share / 60:.0f} minutes: train it on "
            "the tab `Five strategies` and open it from there, or lower the words, the order or the epochs"
        )
    trainer = AlignJobTrainer(pairs, settings, info={"data": question.data})
    while trainer.step < wanted:
        trainer.advance(wanted - trainer.step)
    return trainer.model()


def phones_of(question):
    """The phones that are asked for: those that are written, else those of the word; ValueError says what to do."""
    if question.phones.strip():
        heard = question.source == "utterances"  # in conversations, with phones that no dictionary has
        return examples.spoken(question.phones, *([load_data(question).train.phones] if heard else []))
    if not question.word.strip():
        raise ValueError("there is nothing to align: type a word, or phones such as F OW N")
    return examples.pronunciation(question.word)


def payload_of(question):
    """What the Align view draws of a question; ValueError says what to do."""
    asked = _asked(question)
    return _example() if asked == _asked(OPENING) else computed(asked)


def _asked(question):
    return question.only("picture", "data", "training")


@lru_cache(maxsize=1)
def _example():
    return json.loads(EXAMPLE.read_text(encoding="utf-8"))


@lru_cache(maxsize=12)
def computed(question):
    """The payload of a question, computed now."""
    phones, meant = phones_of(question), question.word.strip().lower() or None
    chosen = ("rcms",) if question.compare == "none" else ("rcms", question.compare)
    runs = [run_of(strategy, question) for strategy in chosen]
    return build_align(model_of(question), phones, meant, runs, code=picture_code(question))


def run_of(strategy, question):
    """An ``AlignRun`` with its name, of contexts as in the training."""
    return AlignRun(f"{STRATEGY_NAMES[strategy]} {question.keep}", strategy, question.keep, question.joined)
