"""The tab that learns: a short run that was recorded, and the run that a person starts beside the page."""

from dataclasses import replace
from functools import lru_cache

import streamlit as st

from pages.field import state
from pages.field.code import learning_code
from pages.field.link import FieldQuestion
from pages.field.state import PAGE, plan_of
from pages.field.texts import MOST_WORDS, text_of
from pages.shared.formula import show_formula
from pages.shared.text import sentence
from pages.shared.training_controls import show_trainings
from pages.shell.errors import NeedsInput
from pages.shell.footer import show_footer
from rcmviz.jobs.fields import FieldCheckpoint, FieldJobTrainer, FieldPoint, HeldOutSentences
from rcmviz.views.field.learning import build_learning, most_frequent
from rcmviz.views.field.payload import field_html
from rcmviz.views.shared.component import field

RECORDED, EVERY = 60, 3  # steps of the recorded run, of which every third is kept
SMALL = 250  # words up to which the exact value is recorded at every step that is kept


def show(question, opening):
    """Controls, and the view of the run that a person started, or of the recorded one."""
    show_trainings(
        state,
        question,
        lambda question: _show_recorded(question, opening),
        lambda run: _show_run(question, run, opening),
        unit="step",
    )


def _show_recorded(question, opening):
    try:
        with st.spinner("Learning a first few steps", show_time=True):
            payload = payload_of(question)
    except NeedsInput as nothing:
        st.info(sentence(nothing), icon=":material/content_paste:")
        return
    except ValueError as error:
        st.error(sentence(error), icon=":material/error:")
        return
    _draw(payload | opening, f"A recorded run of {RECORDED} steps. *Start* trains with these settings while you watch.")


def _show_run(question, run, opening):
    snapshot, started = run.snapshots()[0], state.started_question()
    step = f"Step {snapshot.step} of {snapshot.steps}, {snapshot.status}."
    said = sentence(snapshot.message) if snapshot.message else step
    started = replace(started, words=_known(question.words, started))
    if snapshot.points:
        payload = _payload(started, run.name, snapshot.points, snapshot.checkpoints, snapshot.status)
    else:  # nothing has been learnt yet
        payload = payload_of(started)
    _draw(payload | opening, said)


def _known(words, question):
    """Those of the words that the text of a question has."""
    vocabulary = text_of(question).vocabulary
    return tuple(word for word in words if word in vocabulary.words)


def _draw(payload, status):
    st.caption(status)
    field(payload, key=PAGE.key("view.learning"))
    show_formula("field learning")
    caption = f"{payload['title']}. Nats per token, separators counted; n-grams predict the end too."
    show_footer(
        PAGE,
        lambda: field_html(payload, "A field that learns"),
        "field.html",
        "One file with this view; its steps can be played in it, offline.",
        caption=caption,
    )


def payload_of(question):
    """What the view draws of the recorded run; ValueError where there is no text to learn from."""
    points, kept = recorded(question.source, question.upload, question.sentences, plan_of(question))
    return _payload(question, f"recorded {state.settings_of(question)}", points, kept, "recorded")


@lru_cache(maxsize=4)
def recorded(source, upload, sentences, plan):
    """(Points, checkpoints) of a short run, made while the page waits."""
    text = text_of(FieldQuestion(source=source, upload=upload, sentences=sentences, neighbours=plan.order))
    trainer, points, kept = FieldJobTrainer(text.data, plan), [], []
    last = min(RECORDED, plan.max_steps)
    while trainer.step < last:
        reached = trainer.advance(1 if trainer.step < EVERY else min(EVERY, last - trainer.step))
        evaluation = HeldOutSentences(reached.model, text.held_out, plan)
        if len(text.vocabulary) <= SMALL or reached.step in (1, last):
            evaluation.evaluate_next(len(text.held_out))
            exact = evaluation.scores["exact"]
        else:
            exact = float("nan")
        points.append(FieldPoint(reached.step, reached.bound, reached.held_bound, exact, 1))
        kept.append(FieldCheckpoint(reached.step, reached.model, plan))
    return points, kept


def _payload(question, name, points, kept, status):
    text = text_of(question)
    numbers = text.vocabulary.ids(question.words).tolist() if question.words else most_frequent(text.data.moments)
    size = MOST_WORDS if text.is_cut else None
    return build_learning(
        name,
        points,
        kept,
        text.data.moments,
        text.vocabulary.words,
        numbers,
        text.lines,
        status=status,
        title=text.title,
        code=learning_code(question, size),
    )
