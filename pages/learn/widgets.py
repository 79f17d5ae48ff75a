"""The settings above the curves: data, methods, how they learn; folded into one line that says them."""

from functools import lru_cache
from pathlib import Path

import streamlit as st

from pages.learn.data import UPLOADS, keep_upload, load_data
from pages.learn.link import MAX_EPOCHS, MAX_ORDER, MAX_PASSES, MOST_WORDS, method_of
from pages.learn.sample import SAMPLE_NAME, SENTENCES, TEMPLATE_NAME, sample_text, template_text
from pages.learn.state import PAGE
from pages.shared.methods import MAX_BUDGET, MOST_RUNS, NONE, heading
from pages.shared.text import ink, plain, sentence
from pages.shell.folded import folded
from pages.shell.head import page_head
from pages.word.link import MAX_SEED
from pages.word.words import kassel_words
from rcmviz.core.methods import TRAINABLE
from rcmviz.core.models.model import MODES
from rcmviz.data import registry
from rcmviz.jobs.sequences import seconds_needed
from rcmviz.learn.settings import LOST_GOLD
from rcmviz.tasks.handwriting.pen import pen_orders, write_word

SOURCE_NAMES = {"pen": "Written by the pen", "kassel": "Real handwriting", "upload": "Your own file"}
LOST_NAMES = {
    "numerator": "it counts in the numerator only (the paper)",
    "both": "it joins the beam for this update",
    "skip": "the example is skipped",
    "early": "the update stops where it was dropped",
}
EXAMPLES = 6  # words that are shown before a training begins
SLOW = 20.0  # seconds from which a training says beforehand how long it takes


def head():
    """The title, beside it where the data is from; returns the place of the other settings."""
    return page_head("Learn in front of the class", "Data", SOURCE_NAMES, (5, 8), key=PAGE.key("source"))


def choose_data(plan):
    """What the chosen source asks for; False where there is nothing to train on yet."""
    if plan.source.kind == "upload":
        return _choose_upload(plan)
    if plan.source.kind == "kassel" and registry.find("ocr") is None:
        st.info("Kassel’s words are not on this machine: run `rcmviz data get ocr`.", icon=":material/download:")
        return False
    return True


def _choose_upload(plan):
    st.file_uploader(
        "Labelled sequences: CoNLL columns or CSV (docs/sequence-file.md)",
        key=PAGE.key("upload"),
        on_change=_take_upload,
        max_upload_size=5,
    )
    _offer_sample()
    refused = st.session_state.get(PAGE.key("refused"))
    if refused:
        st.error(sentence(refused), icon=":material/error:")
    if plan.source.upload in UPLOADS:
        if refused:
            st.caption(f"The file before it is still here: {plain(UPLOADS[plan.source.upload][0])}.")
        return True
    if plan.source.upload:
        st.info("The file of this link is not on this server (any more): upload it again.", icon=":material/upload:")
    return False


def _offer_sample():
    """Something to begin with, for whoever has no file at hand."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Train on a sample",
            icon=":material/description:",
            key=PAGE.key("sample"),
            on_click=_take,
            args=(SAMPLE_NAME, sample_text().encode()),
            help=f"{SENTENCES} short sentences with a tag for every word.",
        )
        for label, name, text in (("Sample", SAMPLE_NAME, sample_text), ("Template", TEMPLATE_NAME, template_text)):
            st.download_button(
                f"{label} ({Path(name).suffix.removeprefix('.')})",
                text,
                name,
                "text/plain",
                on_click="ignore",
                key=PAGE.key(f"download.{name}"),
                icon=":material/download:",
                type="tertiary",
            )


def _take_upload():
    upload = st.session_state[PAGE.key("upload")]
    if upload is None:
        st.session_state[PAGE.key("refused")] = None
    else:
        _take(upload.name, upload.getvalue())


def _take(name, content):
    st.session_state[PAGE.key("refused")] = None
    try:
        st.session_state[PAGE.key("digest")] = keep_upload(name, content)
    except ValueError as error:
        st.session_state[PAGE.key("refused")] = str(error)


def choose_settings(plan, place):
    """In one line what is trained and how; below it, until it is closed again, all that decides it."""
    with folded(PAGE, place, summary(plan)):
        choose_methods()
        first, second = st.columns(2)
        if plan.source.kind == "pen":
            first.number_input("Words", 10, MOST_WORDS, step=100, key=PAGE.key("words"), help="Each by another writer.")
            second.number_input(
                "Pen", 0, MAX_SEED, step=1, key=PAGE.key("pen"), help="A seed: other words and writers."
            )
        first.number_input(
            "Learning rate η", 0.001, 100.0, step=0.1, format="%g", key=PAGE.key("eta"), help="0.2 in the paper."
        )
        second.number_input(
            "Order n", 1, MAX_ORDER, step=1, key=PAGE.key("order"), help="Past labels that a weight sees."
        )
        first.number_input("Epochs", 1, MAX_EPOCHS, step=1, key=PAGE.key("epochs"))
        second.number_input(
            "Seed", 0, MAX_SEED, step=1, key=PAGE.key("seed"), help="Of the order in which examples come."
        )
        with st.expander("More"):
            _choose_more(plan)


def summary(plan):
    """The settings in a line.

    >>> from pages.learn.link import LearnPlan
    >>> summary(LearnPlan())
    '1,000 words · RCMS 10, Beam 10 · 20 epochs'
    """
    data = {"pen": f"{plan.source.words:,} words", "kassel": "Kassel’s words"}.get(plan.source.kind, "your file")
    return f"{data} · {', '.join(method.name for method in plan.methods)} · {plan.shared.epochs} epochs"


def _choose_more(plan):
    st.segmented_control(
        "Features",
        MODES,
        format_func={"single": "one window", "additive": "all its suffixes"}.get,
        key=PAGE.key("mode"),
        required=True,
    )
    st.number_input(
        "Passes (RCMS)", 1, MAX_PASSES, step=1, key=PAGE.key("passes"), help="Rank contexts by the pass before."
    )
    st.toggle("Average the weights over all steps", key=PAGE.key("average"))
    st.toggle("De-duplicate contexts", key=PAGE.key("deduplicate"))
    st.toggle(
        "Shuffle",
        key=PAGE.key("shuffle"),
        help="Off: examples come in the order of the data. With Kassel’s words, which repeat, and a larger η the "
        "contexts overshoot, as in figure 6 of the paper.",
    )
    st.selectbox("When a beam drops the right answer", LOST_GOLD, format_func=LOST_NAMES.get, key=PAGE.key("lost_gold"))
    st.number_input("L2 penalty", 0.0, 10.0, step=0.001, format="%g", key=PAGE.key("l2"))
    if plan.source.kind == "pen":
        st.slider("Noise: share of wrong pixels", 0.0, 0.2, step=0.005, key=PAGE.key("noise"), format="%.3f")


def choose_methods():
    """Up to three methods, each with its budget."""
    for number in range(MOST_RUNS):
        kind, budget = st.columns([3, 2], vertical_alignment="bottom")
        among = list(TRAINABLE) if number == 0 else [*TRAINABLE, NONE]
        chosen = kind.selectbox(f"Method {number + 1}", among, format_func=heading, key=PAGE.key(f"kind.{number}"))
        if chosen != NONE and TRAINABLE[chosen].has_budget:
            budget.number_input("Budget", 1, MAX_BUDGET, step=1, key=PAGE.key(f"budget.{number}"))


def show_beginning(plan):
    """What there is before anything has been trained: a few examples, what to expect, how long slow methods take."""
    if plan.source.kind != "upload":
        st.caption("Words of the training data, all of them different handwriting:")
        for column, word in zip(st.columns(EXAMPLES), _examples(plan.source), strict=False):
            column.html(ink(word.images, word.letters))
    st.markdown(
        "**Start** trains the methods from nothing, one example at a time. You see the learning curves, the largest "
        "weights and a held-out example. Any moment can be stepped through afterwards."
    )
    _warn_of_time(plan)


@lru_cache(maxsize=4)
def _examples(source):
    if source.kind == "kassel":
        return [word for word in kassel_words() if len(word) < 9][:: len(kassel_words()) // 20][:EXAMPLES]
    return [write_word(text, writer, noise=source.noise) for text, writer in pen_orders(EXAMPLES, source.seed)]


def _warn_of_time(plan):
    slow = [
        (method_of(each).name, seconds_needed(load_data(plan.source).train, each))
        for each in plan.trainings
        if not TRAINABLE[each.method].selects or each.budget * each.passes > 100
    ]
    durations = [f"{name} about {duration(seconds)}" for name, seconds in slow if seconds > SLOW]
    if durations:
        st.caption(f":material/hourglass: On one core {', '.join(durations)}; pause or cancel at any time.")


def duration(seconds):
    """Seconds as people say them.

    >>> duration(42.4), duration(600)
    ('42 s', '10 min')
    """
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
