"""The settings above the Align views; all widgets live under the page's session keys."""

import streamlit as st

from pages.align.link import PAPER, STRATEGY_NAMES, AlignQuestion
from pages.align.runs import phones_of, share_of
from pages.align.state import PAGE
from pages.shared.text import plain
from pages.shell.folded import folded
from pages.shell.head import page_head
from rcmviz.align.workspace import STRATEGIES
from rcmviz.data import registry
from rcmviz.tasks.speech.pronunciations import LEXICON

TAB_NAMES = {"picture": "One word", "learning": "Five strategies"}
SOURCE_NAMES = {"lexicon": "Our lexicon", "words": "Words of CMUdict", "utterances": "Utterances (semi-synthetic)"}
NEEDED = {"words": ("cmudict", "speech"), "utterances": ("speech",)}
DECODER_NAMES = {"viterbi": "of the best alignment", "marginal": "of all its alignments together"}
UTTERANCES_NOTE = (
    "Utterances are semi-synthetic: words and canonical phones of real recordings (speechocean762), passed through the "
    "confusions counted in conversations (Buckeye). They are long: start with 60."
)


STORIES = {
    "picture": (
        "Which letters of a word belong to which of its sounds? The model has learnt from words and their sounds "
        "alone. Beginnings without room are merged by RCMS, dropped by a beam."
    ),
    "learning": (
        "Nobody says which letter belongs to which sound. A word teaches only where an alignment with its letters is "
        "kept: RCMS always has one, a beam by the model hardly ever."
    ),
}


def head(question):
    """The title, beside it what to do, and what there is to see; settings of a training are folded."""
    place = page_head("Align sounds with letters", "What to do", TAB_NAMES, (5, 8), **PAGE.widget("tab"))
    if question.tab == "learning":
        with folded(PAGE, place, learning_summary(question)):
            _choose_learning(question)
    st.caption(STORIES[question.tab])


def learning_summary(question):
    """What the strategies learn from, and how, in a line."""
    strategies = ", ".join(STRATEGY_NAMES[one] for one in question.strategies)
    chosen = strategies if len(question.strategies) < 3 else f"{len(question.strategies)} strategies"
    return (
        f"{SOURCE_NAMES[question.source]} · {chosen or 'no strategy'} · order {question.order}, "
        f"budget {question.budget}, epochs {question.epochs}"
    )


def summary(question):
    """The word and who aligns it, in a line.

    >>> summary(AlignQuestion(keep=1))
    'bright · RCMS 1 beside Beam by model 1'
    """
    rivals = [] if question.compare == "none" else [STRATEGY_NAMES[question.compare]]
    return (
        f"{question.word or question.phones} · {' beside '.join(f'{one} {question.keep}' for one in ['RCMS', *rivals])}"
    )


def choose_word(question):
    """The word and its phones, what is kept of its contexts, and the model."""
    word, phones, keep, compare, more = st.columns([4, 4, 3, 4, 2], vertical_alignment="bottom")
    known = sorted({*LEXICON, *filter(None, [question.word])})
    word.selectbox(
        "Word",
        known,
        key=PAGE.key("word"),
        accept_new_options=True,
        on_change=_look_up,
        placeholder="choose or type",
        help="Choose a word of our lexicon, or type another one: its phones are looked up"
        + (" in CMUdict too." if registry.find("cmudict") else "; more are known with “rcmviz data get cmudict”."),
    )
    phones.text_input(
        "Phones",
        key=PAGE.key("phones"),
        placeholder=_looked_up(question),
        on_change=_take_phones,
        help="Write others, in ARPAbet with blanks between, such as F OW N: then no word is meant. Empty: those of "
        "the word.",
    )
    keep.number_input("Contexts kept", step=1, **PAGE.widget("keep"), help="Per cell, the roots not counted.")
    compare.selectbox(
        "Beside RCMS",
        format_func={**STRATEGY_NAMES, "none": "–"}.get,
        **PAGE.widget("compare"),
        help="A beam drops what RCMS merges. By target: it keeps prefixes of the meant spelling only. Hybrid: both.",
    )
    with more.popover("Model", icon=":material/tune:", width="stretch"):
        st.selectbox("Trained by", format_func=STRATEGY_NAMES.get, **PAGE.widget("learned"), on_change=_forget_step)
        if question.step:
            st.caption(f"As it was after {question.step:,} examples.")
            st.button("To the end of its training", on_click=_forget_step, key=PAGE.key("to_end"))
        choose_data(question)
        choose_training()


def model_caption(question):
    """The model of the picture, and whether it has seen the word, in a line."""
    number, noun = (question.step, "example") if question.step else (question.epochs, "epoch")
    when = f"after {number:,} {noun}{'s' * (number > 1)}"
    examples = "" if question.source == "lexicon" else f", {question.words} of them"
    return (
        f"Model: order {question.order}, trained by {STRATEGY_NAMES[question.learned]} {question.budget} on "
        f"{SOURCE_NAMES[question.source][0].lower()}{SOURCE_NAMES[question.source][1:]}{examples}, {when}"
        f"{''.join(_unusual(question))}. {_seen_caption(question)}"
    )


def _unusual(question):
    """What else decides the model, where it is not as always."""
    for name, letter in (("eta", "η"), ("delta", "δ")):
        if getattr(question, name) != getattr(AlignQuestion(), name):
            yield f", {letter} = {getattr(question, name):g}"
    if question.mode == "single":
        yield ", of the longest features only"
    if not question.joined:
        yield ", contexts as they are"
    if question.average:
        yield ", weights averaged"


def _seen_caption(question):
    """A spelling that was learned by heart proves little."""
    if not question.word.strip():
        return ""
    origins = {"learned from": "is one of its training examples", "held out": "was held out", None: "is new to it"}
    return f"“{plain(question.word.strip())}” {origins[share_of(question)]}."


def offer_training(question):
    """The way to the tab where a model that takes long is trained while one watches."""
    st.button(
        f"Train {STRATEGY_NAMES[question.learned]} there",
        key=PAGE.key("there"),
        icon=":material/school:",
        on_click=PAGE.change,
        kwargs={"tab": "learning", "strategies": (question.learned,)},
    )


def _look_up():
    """Another word has other phones."""
    PAGE.change(word=st.session_state[PAGE.key("word")] or "", phones="")


def _take_phones():
    """Whoever writes phones has looked up no word: nothing is meant by them."""
    phones = st.session_state[PAGE.key("phones")] or ""
    PAGE.change(phones=phones, word="" if phones.strip() else PAGE.view.word)


def _forget_step():
    PAGE.change(step=0, learned=st.session_state[PAGE.key("learned")])


def _looked_up(question):
    try:
        return " ".join(phones_of(question))
    except ValueError:
        return "such as F OW N"


def _choose_learning(question):
    """What the strategies learn from, and how."""
    st.pills(
        "Strategies", STRATEGIES, selection_mode="multi", format_func=STRATEGY_NAMES.get, key=PAGE.key("strategies")
    )
    choose_data(question, *st.columns([3, 2], vertical_alignment="bottom"))
    choose_training()


def choose_data(question, where=st, number=st):
    """The examples, and how many of them."""
    where.selectbox("Learns from", format_func=SOURCE_NAMES.get, **PAGE.widget("source"))
    number.number_input(
        "Examples",
        step=50,
        **PAGE.widget("words"),
        disabled=question.source == "lexicon",
        help="Drawn with the seed; the lexicon is always taken whole, three words in four.",
    )


def choose_training():
    """What decides a training, beside the examples."""
    left, right = st.columns(2)
    left.number_input("Order n", step=1, **PAGE.widget("order"), help="Letters and edges that a weight sees.")
    right.number_input("Epochs", step=1, **PAGE.widget("epochs"))
    left.number_input("Budget in training", step=5, **PAGE.widget("budget"), help="Contexts kept per cell.")
    right.number_input("Seed", step=1, **PAGE.widget("seed"), help="Of the draw of words and their order.")
    _choose_rare()


def _choose_rare():
    st.segmented_control(
        "Features",
        **PAGE.widget("mode"),
        required=True,
        format_func={"additive": "of all orders, added", "single": "the longest only"}.get,
    )
    st.number_input("Learning rate η", step=0.05, format="%g", **PAGE.widget("eta"))
    st.number_input(
        "Damping δ of the first steps",
        step=0.1,
        format="%g",
        **PAGE.widget("delta"),
        help="AdaGrad's: a step is η times the slope over √(δ + all squared slopes so far).",
    )
    st.toggle("Join contexts that no feature can tell apart", key=PAGE.key("joined"))
    st.toggle("Average the weights over all steps", key=PAGE.key("average"))
    st.selectbox("At test, the spelling", format_func=DECODER_NAMES.get, **PAGE.widget("decoder"))
    help_text = f"n = {PAPER['order']}, η = {PAPER['eta']}, δ = {PAPER['delta']:.0e}, contexts as they are."
    st.button("The paper's setting", on_click=PAGE.change, kwargs=PAPER, key="align.paper", help=help_text)


def is_here(question):
    """Whether the data are on this machine; said where they are not."""
    if question.source == "utterances":
        st.caption(UTTERANCES_NOTE)
    missing = [name for name in NEEDED.get(question.source, ()) if registry.find(name) is None]
    for name in missing:
        st.info(f"These data are not on this machine: run `rcmviz data get {name}`.", icon=":material/download:")
    return not missing
