"""The answer of Precision: each method's outputs and their confidences."""

from dataclasses import replace
from functools import lru_cache
from urllib.parse import urlencode

from pages.learn.data import WORDS_PER_SECOND
from pages.learn.drawn import draw
from pages.precision.methods import check_unseen, model_of
from pages.shell.computing import compute
from pages.shell.errors import NeedsInput
from pages.word.question import Subject, WordQuestion
from pages.word.runs import model_named
from pages.word.words import kassel_words
from rcmviz.core.methods import MethodChoice
from rcmviz.evaluation.evaluate import answer as evaluate
from rcmviz.tasks import TEST_FOLD
from rcmviz.tasks.handwriting.letter_data import fold_words, word_sequences
from rcmviz.tasks.handwriting.pen import pen_orders
from rcmviz.views.precision.payload import MOST_METHODS, build_precision


@lru_cache(maxsize=4)
def words_of(source, words, seed, noise):
    """Return the words to read, none of which a shipped model was trained on; ValueError if the data are missing."""
    if source == "kassel":
        return tuple(fold_words(kassel_words(), TEST_FOLD))
    (drawn,) = compute(words / WORDS_PER_SECOND, draw, [(words, seed)], noise)
    return tuple(drawn)


@lru_cache(maxsize=4)
def sequences_of(*words):
    """Return the same words as labelled sequences."""
    return word_sequences(words_of(*words))


@lru_cache(maxsize=24)
def answers_of(words, model, method):
    """Return the answers of one method to the words, with a model's weights.

    One thread, since other visitors need the other cores; and without OpenMP, Numba ends the process when two sessions
    open a parallel region at the same time.
    """
    (answers,) = evaluate(model_named(model), sequences_of(*words), [method], threads=1)
    return answers


def describe_words(trial):
    """Return a short description of the words."""
    if trial.source == "kassel":
        return f"Kassel’s {len(words_of(*words_key(trial))):,} words of the test fold"
    return f"{trial.words:,} words by the pen"


def words_key(trial):
    """Return what identifies the words: for Kassel's only the source."""
    return ("kassel", 0, 0, 0.0) if trial.source == "kassel" else ("pen", trial.words, trial.seed, trial.noise)


def load(trial):
    """Return the question if it can be answered."""
    if not trial.arms:
        raise NeedsInput("choose at least one method")
    if len(trial.arms) > MOST_METHODS:
        raise NeedsInput(f"{len(trial.arms)} methods are too many for one chart: remove one")
    check_unseen(trial)
    if trial.source == "kassel":
        kassel_words()
    return trial


def answer(trial):
    """Return the payload of the view."""
    words = words_key(trial)
    links, queries = _links(trial)
    return build_precision(
        sequences_of(*words),
        [answers_of(words, model_of(trial, arm), arm.row) for arm in trial.arms],
        kinds=[arm.kind for arm in trial.arms],
        title=describe_words(trial),
        images=[word.images for word in words_of(*words)],
        links=links,
        queries=queries,
    )


def step_query(trial, number, arm, position=1):
    """Return the parameters of Step that show a word as an arm reads it, in the form that Step writes."""
    name = model_of(trial, arm)
    subject = replace(_subjects(*words_key(trial))[number], model=name)
    chosen = MethodChoice(arm.kind, arm.budget)
    return WordQuestion(subject, (chosen,), options=arm.options(model_named(name)), position=position).write()


@lru_cache(maxsize=4)
def _subjects(source, words, seed, noise):
    """Return the subject of every word on the Step page, without the model."""
    if source == "kassel":
        return [Subject("kassel", str(word.index)) for word in words_of(source, words, seed, noise)]
    return [Subject("pen", text, writer, noise) for text, writer in pen_orders(words, seed)]


OF_A_WORD = ("src", "word", "seed", "noise")


def _links(trial):
    """Return the parts of the links per word and per method, each of which is sent once."""
    words = [step_query(trial, number, trial.arms[0]) for number in range(len(_subjects(*words_key(trial))))]
    methods = [step_query(trial, 0, arm) for arm in trial.arms]
    return (
        [urlencode({name: query[name] for name in OF_A_WORD if name in query}) for query in words],
        [urlencode({name: value for name, value in query.items() if name not in OF_A_WORD}) for query in methods],
    )
