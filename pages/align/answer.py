"""The answer of a picture on Align: the methods' alignments of a word's phones, by a model trained for it."""

from functools import lru_cache
from typing import Any

from pages.align.inputs import AlignInputs, load_data
from pages.align.question import DATA, STRATEGY_NAMES, TRAINING, AlignQuestion
from pages.shell.capability import Payload
from pages.shell.computing import compute
from rcmviz.jobs.alignments import AlignJobTrainer, seconds_needed
from rcmviz.jobs.host import this_host
from rcmviz.views.align.payload import AlignRun, build_align

LONGEST_WAIT = 60.0  # limit for the training of a picture's model


def answer(inputs: AlignInputs) -> Payload:
    """Align the phones."""
    question = inputs.question
    chosen = ("rcms",) if question.compare == "none" else ("rcms", question.compare)
    runs = [run_of(strategy, question) for strategy in chosen]
    return build_align(model_of(question), inputs.phones, inputs.meant, runs)


def run_of(strategy: str, question: AlignQuestion) -> AlignRun:
    """Return a run with its name and the budget of the question."""
    return AlignRun(f"{STRATEGY_NAMES[strategy]} {question.keep}", strategy, question.keep, question.joined)


def model_of(question: AlignQuestion) -> Any:
    """Return the model of a question, from a background training or trained now.

    ValueError if training it now would take longer than a minute.
    """
    if (kept := _model_in_memory(question)) is not None:
        return kept
    if takes_long(question):
        minutes = _seconds(_model_settings(question)) / 60
        raise ValueError(
            f"training this model takes about {minutes:.0f} minutes: train it on the tab `Five strategies` and open it "
            "from there, or lower the words, the order or the epochs"
        )
    return _train_in_worker(_model_settings(question))


def takes_long(question: AlignQuestion) -> bool:
    """Whether the model should be trained on the other tab, with its progress shown."""
    return _seconds(_model_settings(question)) > LONGEST_WAIT and _model_in_memory(question) is None


def _model_settings(question: AlignQuestion) -> AlignQuestion:
    """Return the part of a question that decides the model."""
    return question.only(*DATA, *TRAINING, "learned", "step")


def _model_in_memory(question: AlignQuestion) -> Any:
    settings = question.training(question.learned)
    for kept in this_host().checkpoints(question.data, settings):
        if kept.step == _steps(question):
            return kept.model
    return None


def _steps(question: AlignQuestion) -> int:
    every = question.epochs * len(load_data(question).train)
    return min(question.step or every, every)


@lru_cache(maxsize=32)  # computed at each run of the page
def _seconds(question: AlignQuestion) -> float:
    pairs, settings = load_data(question).train, question.training(question.learned)
    return seconds_needed(pairs, settings) * _steps(question) / (settings.epochs * len(pairs))


@lru_cache(maxsize=6)
def _train_in_worker(question: AlignQuestion) -> Any:
    return compute(_seconds(question), _train, question)


def _train(question: AlignQuestion) -> Any:
    trainer = AlignJobTrainer(
        load_data(question).train, question.training(question.learned), info={"data": question.data}
    )
    while trainer.step < (wanted := _steps(question)):
        trainer.advance(wanted - trainer.step)
    return trainer.model()
