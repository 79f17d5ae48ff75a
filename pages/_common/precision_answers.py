"""From a trial to answers and the payload of the precision view; each kept by the frozen trial that it came from."""

from dataclasses import replace
from functools import lru_cache
from urllib.parse import urlencode

from rcmviz.evaluate import answer
from rcmviz.player.precision import build_precision
from rcmviz.tasks import TEST_FOLD
from rcmviz.tasks.handwriting import fold_words, word_sequences
from rcmviz.tasks.pen import pen_orders, pen_words

from .precision_settings import model_of
from .runs import model_named
from .settings import Method, Options, Settings, Subject, write_query
from .words import kassel_words


@lru_cache(maxsize=4)
def words_of(source, words, seed, noise):
    """The words that are read, none of which a shipped model has learnt from; ValueError where the data is not here."""
    if source == "kassel":
        return tuple(fold_words(kassel_words(), TEST_FOLD))
    return tuple(pen_words(words, seed, noise=noise))


@lru_cache(maxsize=4)
def sequences_of(*words):
    """The same as labelled sequences."""
    return word_sequences(words_of(*words))


@lru_cache(maxsize=24)
def answers_of(words, model, method):
    """What one method answers to the words, with a model's weights."""
    (answers,) = answer(model_named(model), sequences_of(*words), [method])
    return answers


def described(trial):
    """What is read, in a few words."""
    if trial.source == "kassel":
        return f"Kassel’s {len(words_of(*words_key(trial))):,} words of the test fold"
    return f"{trial.words:,} words by the pen"


def words_key(trial):
    """What decides the words: for Kassel's nothing but the source."""
    return ("kassel", 0, 0, 0.0) if trial.source == "kassel" else ("pen", trial.words, trial.seed, trial.noise)


@lru_cache(maxsize=6)
def payload_of(trial):
    """What the precision view draws; ValueError says what to do."""
    words = words_key(trial)
    links, queries = _links(trial)
    return build_precision(
        sequences_of(*words),
        [answers_of(words, model_of(trial, arm), arm.method) for arm in trial.arms],
        kinds=[arm.kind for arm in trial.arms],
        title=described(trial),
        images=[word.images for word in words_of(*words)],
        links=links,
        queries=queries,
    )


def step_query(trial, number, arm):
    """The parameters of the Step page that show a word as an arm reads it; as Step writes them, or it would again."""
    subject = replace(_subjects(*words_key(trial))[number], model=model_of(trial, arm))
    method = Method(arm.kind) if arm.kind == "exact" else Method(arm.kind, arm.budget)
    return write_query(Settings(subject, (method,), options=Options(passes=arm.passes)))


@lru_cache(maxsize=4)
def _subjects(source, words, seed, noise):
    """Every word as the Step page knows it, but for the model."""
    if source == "kassel":
        return [Subject("kassel", str(word.index)) for word in words_of(source, words, seed, noise)]
    return [Subject("pen", text, writer, noise) for text, writer in pen_orders(words, seed)]


OF_A_WORD = ("src", "word", "seed", "noise")


def _links(trial):
    """(Per word, per method) the parts of their links, each of which is sent once."""
    words = [step_query(trial, number, trial.arms[0]) for number in range(len(_subjects(*words_key(trial))))]
    methods = [step_query(trial, 0, arm) for arm in trial.arms]
    return (
        [urlencode({name: query[name] for name in OF_A_WORD if name in query}) for query in words],
        [urlencode({name: value for name, value in query.items() if name not in OF_A_WORD}) for query in methods],
    )
