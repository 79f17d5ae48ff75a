"""From a trial to answers and the payload of the precision view; each kept by the frozen trial that it came from."""

from functools import lru_cache

from rcmviz.evaluate import answer
from rcmviz.player.precision import build_precision
from rcmviz.tasks import TEST_FOLD
from rcmviz.tasks.handwriting import fold_words, word_sequences
from rcmviz.tasks.pen import NOISE, pen_orders, pen_words

from .precision_settings import model_of
from .runs import model_named
from .settings import default_model


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
    return build_precision(
        sequences_of(*words),
        [answers_of(words, model_of(trial, arm), arm.method) for arm in trial.arms],
        kinds=[arm.kind for arm in trial.arms],
        title=described(trial),
        images=[word.images for word in words_of(*words)],
        links=list(map(_link, word_queries(trial))),
        queries=[_link(arm_query(trial, arm)) for arm in trial.arms],
    )


def _link(query):
    return "&".join(f"{name}={value}" for name, value in query.items())


@lru_cache(maxsize=4)
def word_queries(trial):
    """Per word the parameters of the Step page that show it."""
    if trial.source == "kassel":
        return [{"src": "kassel", "word": str(word.index)} for word in words_of(*words_key(trial))]
    noise = {} if trial.noise == NOISE else {"noise": f"{trial.noise:g}"}
    orders = pen_orders(trial.words, trial.seed)
    return [{"src": "pen", "word": text, "seed": str(writer)} | noise for text, writer in orders]


def arm_query(trial, arm):
    """The parameters of the Step page that read a word as an arm does."""
    query = {"method": arm.kind} | ({} if arm.kind == "exact" else {"budget": str(arm.budget)})
    model = model_of(trial, arm)
    query |= {} if model == default_model(trial.source) else {"model": model}
    return query | ({"passes": str(arm.passes)} if arm.passes > 1 else {})
