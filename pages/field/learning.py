"""The tab that learns: its text, a short run that was recorded, and the run that a person starts beside the page."""

from functools import lru_cache

import streamlit as st

import rcmviz as rv
from pages.field.code import learning_code
from pages.field.state import PAGE
from pages.shared.footer import show_footer
from pages.shared.text import plain, sentence
from pages.shared.training_controls import press_button
from rcmviz.jobs.fields import (
    FIELD_JOBS,
    FieldCheckpoint,
    FieldJobTrainer,
    FieldPlan,
    FieldPoint,
    FieldText,
    HeldOutSentences,
)
from rcmviz.jobs.host import this_host
from rcmviz.mrf.moments import count_moments
from rcmviz.mrf.vocabulary import read_corpus
from rcmviz.tasks.decipher.grammar import sentences
from rcmviz.views.field.learning import build_learning, most_frequent
from rcmviz.views.field.payload import field_html
from rcmviz.views.shared.component import field

TICK = 0.5  # seconds
HELD_OUT = 0.1  # share of the text, its end
RECORDED, EVERY = 60, 3  # steps of the recorded run, of which every third is kept
RUN, OWNED = PAGE.key("run"), PAGE.key("lesson")


@lru_cache(maxsize=4)
def text_of(number, order):
    """(``FieldText``, held-out ``NumberedText``, vocabulary, lines to compare with) of so many sentences of ours."""
    text = sentences(number)
    vocabulary, corpus = read_corpus(text)
    learnt, held_out = corpus.cut(HELD_OUT)
    moments = [count_moments([part], order, len(vocabulary)) for part in (learnt, held_out)]
    lines = []
    for n, name in ((2, "bigram"), (3, "trigram")):
        lm = rv.train_lm(text[: len(learnt)], n)
        lines.append((name, float(lm.score(text[len(learnt) :]).log_prob.sum()) / moments[1].tokens))
    return FieldText(*moments), held_out, vocabulary, tuple(lines)


def plan_of(question):
    """The ``FieldPlan`` of a question."""
    rank = question.rank or None
    return FieldPlan(question.neighbours, rank, l2=question.l2, max_steps=question.steps, seed=question.seed)


@lru_cache(maxsize=4)
def recorded(number, plan):
    """(Points, checkpoints) of a short run, made while the page waits: well under a second."""
    data, held_out, _, _ = text_of(number, plan.order)
    trainer, points, kept = FieldJobTrainer(data, plan), [], []
    while trainer.step < min(RECORDED, plan.max_steps):
        state = trainer.advance(1 if trainer.step < EVERY else EVERY)
        evaluation = HeldOutSentences(state.model, held_out, plan)
        evaluation.evaluate_next(len(held_out))
        points.append(FieldPoint(state.step, state.bound, state.held_bound, evaluation.scores["exact"], 1))
        kept.append(FieldCheckpoint(state.step, state.model, plan))
    return points, kept


def payload_of(question):
    """What the view draws of the recorded run."""
    points, kept = recorded(question.sentences, plan_of(question))
    return _payload(question, f"recorded {question.only('learning')}", points, kept, "recorded")


def _payload(question, name, points, kept, status):
    data, _, vocabulary, lines = text_of(question.sentences, question.neighbours)
    words = vocabulary.words
    title = (
        f"{question.sentences:,} sentences of our grammar, {len(words):,} words; learnt from {data.moments.tokens:,} "
        f"tokens, held out {data.held_moments.tokens:,}"
    )
    return build_learning(
        name, points, kept, data.moments, words, most_frequent(data.moments), lines, status=status, title=title,
        code=learning_code(question),
    )  # fmt: skip


def show(question, opening):
    """Controls and view in one fragment; it ticks only while a training runs."""
    run = this_host().find(st.session_state.get(RUN))
    ticking = run is not None and run.is_active
    st.fragment(_live, run_every=TICK if ticking else None)(question, opening, ticking)


def _live(question, opening, ticking):
    run, owned = this_host().find(st.session_state.get(RUN)), st.session_state.get(OWNED)
    if run is not None:
        run.keep_awake()
    changed = owned != question.only("learning")
    with st.container(horizontal=True, vertical_alignment="center"):
        _controls(question, run, changed)
    refused = st.session_state.pop(PAGE.key("start.refused"), None)
    if refused:
        st.error(sentence(refused), icon=":material/error:")
    with st.spinner("Learning a first few steps", show_time=True):
        payload = payload_of(question) if run is None or changed else _payload_of_run(question, run)
    field(payload | opening, key=PAGE.key("view.learning"))
    _footer(payload)
    if ticking and not run.is_active:
        st.rerun()  # the clock of the fragment is set where the whole page runs


def _payload_of_run(question, run):
    snapshot = run.snapshots()[0]
    if not snapshot.points:
        return payload_of(question)
    return _payload(question, run.name, snapshot.points, snapshot.checkpoints, snapshot.status)


def _controls(question, run, changed):
    over = run is None or run.finished
    active = run is not None and run.is_active and not changed
    if changed or over:
        press_button(PAGE, "Start" if run is None else "Start anew", "play_arrow", "S", _start, question)
    else:
        label, icon, act = ("Pause", "pause", run.pause) if active else ("Resume", "play_arrow", run.run)
        press_button(PAGE, label, icon, "S", act)
    press_button(PAGE, "One step", "skip_next", "E", _one_step, question, run, changed or over, disabled=active)
    press_button(PAGE, "Cancel", "close", "X", run.cancel if run else None, disabled=over or changed)
    st.markdown(_status(run, changed))


def _status(run, changed):
    if run is None or changed:
        return f"A recorded run of {RECORDED} steps. *Start* trains with these settings while you watch."
    snapshot = run.snapshots()[0]
    return snapshot.message or f"Step {snapshot.step} of {snapshot.steps}, {snapshot.status}."


def _open(question):
    """A new run in place of the one before, or None where it is refused."""
    try:
        data, held_out, _, _ = text_of(question.sentences, question.neighbours)
        run = this_host().open(
            f"field:{question.sentences}", data, (plan_of(question),), held_out, replaces=st.session_state.get(RUN),
            job_kind=FIELD_JOBS,
        )  # fmt: skip
    except ValueError as error:
        st.session_state[PAGE.key("start.refused")] = str(error)
        return None
    st.session_state[RUN], st.session_state[OWNED] = run.name, question.only("learning")
    return run


def _start(question):
    if (run := _open(question)) is not None:
        run.run()


def _one_step(question, run, anew):
    if (run := _open(question) if anew else run) is not None:
        run.run(1)


def _footer(payload):
    caption = f"{payload['title']}. Nats per token, separators counted; n-grams predict the end too."
    show_footer(
        PAGE, lambda: field_html(payload, "A field that learns"), "field.html",
        "One file with this view; its steps can be played in it, offline.", caption=plain(caption),
    )  # fmt: skip
