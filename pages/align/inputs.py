"""The inputs of Align: training examples, and the phones of a word."""

from functools import lru_cache
from typing import NamedTuple

from pages.align.question import DATA, AlignQuestion
from pages.shell.errors import MissingData, NeedsInput
from rcmviz.data import registry
from rcmviz.tasks.speech import examples

HELD_OUT = {"words": 80, "utterances": 20}  # examples; an utterance takes as long as five words
NEEDED = {"words": ("cmudict", "speech"), "utterances": ("speech",)}  # required data sets
UTTERANCES_NOTE = (
    "Utterances are semi-synthetic: words and canonical phones of real recordings (speechocean762), passed through the "
    "confusions counted in conversations (Buckeye). They are long: start with 60."
)


class AlignInputs(NamedTuple):
    """The question, the ``phones`` to align, and the ``meant`` word, if any."""

    question: AlignQuestion
    phones: tuple[str, ...]
    meant: str | None


def load(question: AlignQuestion) -> AlignInputs:
    """Return the inputs of a picture; ValueError says what to do."""
    return AlignInputs(question, phones_of(question), question.word.strip().lower() or None)


def load_training(question: AlignQuestion) -> AlignQuestion:
    """Return the question if its training data are available."""
    missing = [name for name in NEEDED.get(question.source, ()) if registry.find(name) is None]
    if missing:
        commands = " and ".join(f"`rcmviz data get {name}`" for name in missing)
        raise MissingData(f"the data are missing on this computer: run {commands}")
    if not question.strategies:
        raise NeedsInput("choose one or more strategies to train", "school")
    return question


def load_data(question: AlignQuestion) -> examples.Speech:
    """Return the training examples; ValueError says what to do if they are missing."""
    return _load(question.only(*DATA))


@lru_cache(maxsize=6)
def _load(question: AlignQuestion) -> examples.Speech:
    if question.source == "lexicon":
        return examples.load("lexicon", question.seed)
    return examples.load(question.source, question.seed, question.words, HELD_OUT[question.source])


def data_role(question: AlignQuestion) -> str | None:
    """Return the role of the question's word in the data: "learned from", "held out", or None."""
    return _data_roles(question.only(*DATA)).get(question.word.strip().lower())


@lru_cache(maxsize=6)
def _data_roles(question: AlignQuestion) -> dict[str, str]:
    data = _load(question)
    parts = {"held out": data.test, "learned from": data.train}
    return {pairs.text(w): share for share, pairs in parts.items() for w in range(len(pairs))}


def phones_of(question: AlignQuestion) -> tuple[str, ...]:
    """Return the phones typed, else those of the word; ValueError says what to do if there are none."""
    if question.phones.strip():
        is_spoken = question.source == "utterances"  # may contain phones that no dictionary has
        return examples.spoken(question.phones, *([load_data(question).train.phones] if is_spoken else []))
    if not question.word.strip():
        raise ValueError("there is nothing to align: type a word, or phones such as F OW N")
    return examples.pronunciation(question.word)
