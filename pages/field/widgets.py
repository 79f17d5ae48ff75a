"""The settings above the views of Field; all widgets live under the page's session keys."""

import streamlit as st

from pages.field import texts
from pages.field.link import EXAMPLES, MOST_MAPPED, OWN
from pages.field.state import PAGE
from pages.shared.text import sentence
from pages.shared.uploads import file_or_pasted
from pages.shell.head import page_head

MOST_PASTED = 20_000  # characters shown in a field
SOURCE_NAMES = {"grammar": "A small world of ours", "tatoeba": "English, from Tatoeba", OWN: "Your own text"}

MODEL_NAMES = {"english": "English, from Tatoeba", "grammar": "A small world of ours"}
TAB_NAMES = {
    "lifting": "Lifting",
    "learning": "Learning live",
    "blank": "Fill the blank",
    "neighbours": "Neighbours",
    "tagging": "Tagging",
}


STORIES = {
    "lifting": (
        "A field gives each word, and each pair of near words, a score; all texts together say how probable one is. "
        "Bent to a ring, a text looks the same from each word: one small star stands for all of it."
    ),
    "learning": (
        "The field learns which words stand near each other. It raises a bound that is easy to compute, and what it "
        "really wants, the probability of the text, is never below it."
    ),
    "blank": (
        "Which word is missing? The field looks at the words on both sides, each of which speaks for or against; a "
        "model that reads from left to right knows half of them."
    ),
    "neighbours": (
        "What a field has learnt of a word is a row of numbers. Words that stand in like places have rows that point "
        "the same way: search one, and see who is near."
    ),
    "tagging": (
        "Which word is a noun, which a verb, also where nobody has ever seen it? Its shape and its neighbours decide, "
        "and each of them says by how much."
    ),
}


def head(question):
    """The title, the tabs beside it, and what there is to see."""
    page_head("Field: a text learnt all at once", "What to see", TAB_NAMES, (6, 6), **PAGE.widget("tab"))
    st.caption(STORIES[question.tab])


def summary(question):
    """The settings of the tab in a line."""
    if question.tab == "learning":
        own = question.source == OWN
        text = SOURCE_NAMES[question.source] + ("" if own else f", {question.sentences:,} sentences")
        return f"{text} · K = {question.neighbours} · rank {question.rank or 'full'}"
    return {
        "lifting": f"K = {question.order} · {question.text}",
        "blank": question.sentence,
        "neighbours": MODEL_NAMES[question.model],
        "tagging": question.tagged,
    }[question.tab]


def choose_lifting():
    """The small text, and how many neighbours a token has."""
    text, order = st.columns([8, 2], vertical_alignment="bottom")
    text.text_input(
        "Text, sentences with / between",
        key=PAGE.key("text"),
        help="A few short sentences: the picture has room for 24 tokens. K separators <S> stand before each.",
    )
    order.number_input("Neighbours K", step=1, **PAGE.widget("order"), help="On each side.")


def choose_learning():
    """The text, how it is learnt, and whose pairs are mapped."""
    question = PAGE.view
    source, sentences, order, rank, more = st.columns([3, 2, 2, 2, 2], vertical_alignment="bottom")
    source.selectbox("Text", format_func=SOURCE_NAMES.get, **PAGE.widget("source"))
    sentences.number_input(
        "Sentences",
        step=1_000,
        disabled=question.source == OWN,
        **PAGE.widget("sentences"),
        help="A step costs the same whatever their number: it sees how often pairs occur, not the text.",
    )
    order.number_input("Neighbours K", step=1, **PAGE.widget("neighbours"), help="On each side.")
    rank.number_input("Rank D", step=4, **PAGE.widget("rank"), help="Numbers of a word’s vector; 0: full rank.")
    with more.popover("More", icon=":material/tune:", width="stretch"):
        st.number_input("L2", step=1.0, format="%g", **PAGE.widget("l2"), help="½ l2 ‖U, W‖² for the whole text.")
        st.number_input("Steps", step=50, **PAGE.widget("steps"))
        st.number_input("Seed", step=1, **PAGE.widget("seed"), help="Of the first vectors.")
    if question.source == OWN:
        _choose_own(question)
    _choose_words(question)


def _choose_own(question):
    """A text of one's own, pasted or from a file."""
    st.session_state.setdefault(PAGE.key("own.text"), texts.UPLOADS.get(question.upload, "")[:MOST_PASTED])
    pasted, file = st.columns([3, 2], vertical_alignment="bottom")
    pasted.text_area("A sentence a line", key=PAGE.key("own.text"), height=120)
    file.file_uploader(
        "Or a text file",
        "txt",
        key=PAGE.key("own.file"),
        max_upload_size=1,
        help="It is read on this machine, and taken instead of what stands beside it.",
    )
    file.button("Take this", on_click=_take_text, key=PAGE.key("own.take"), icon=":material/check:")
    refused = st.session_state.pop(PAGE.key("own.refused"), None)
    if refused:
        st.error(sentence(refused), icon=":material/error:")


def _take_text():
    try:
        PAGE.change(upload=texts.keep_text(file_or_pasted(PAGE, "own.text")))
    except ValueError as error:
        st.session_state[PAGE.key("own.refused")] = str(error)


def _choose_words(question):
    """Whose pairs are mapped; nothing to choose where there is no text."""
    try:
        known = texts.text_of(question).vocabulary.words
    except ValueError:
        return
    st.multiselect(
        "Words of the map of pairs",
        sorted(known),
        key=PAGE.key("words"),
        max_selections=MOST_MAPPED,
        placeholder="the twelve commonest; type a word to choose others",
    )


def choose_blank():
    """The sentence with its blank, and who fills it."""
    text, model = st.columns([7, 3], vertical_alignment="bottom")
    text.text_input(
        "Sentence with one _",
        key=PAGE.key("sentence"),
        placeholder=EXAMPLES["english"],
        help="Blanks between words and marks. The field sees both sides; the trigram only the words before.",
    )
    model.selectbox("Model", format_func=MODEL_NAMES.get, on_change=_take_model, **PAGE.widget("model"))


def choose_neighbours():
    """Whose vectors."""
    model, _ = st.columns([3, 7])
    model.selectbox(
        "Model",
        format_func=MODEL_NAMES.get,
        **PAGE.widget("model"),
        help="Learnt twice: by lifted likelihood, and by pseudo-likelihood for the same time.",
    )


def choose_tagging():
    """The sentence."""
    st.text_input(
        "Sentence",
        key=PAGE.key("tagged"),
        on_change=lambda: PAGE.change(edits=()),
        help="Blanks between words and marks; invent words: their shape decides.",
    )


def _take_model():
    """Another model knows other words: its own example takes the place of the other one's."""
    model, sentence = st.session_state[PAGE.key("model")], st.session_state[PAGE.key("sentence")]
    PAGE.change(model=model, sentence=EXAMPLES[model] if sentence in EXAMPLES.values() else sentence)


def caption(question, payload):
    """What is seen, in a line."""
    if question.tab == "blank":
        return f"Model: {payload['title']}; K = {len(payload['slots']) // 2} neighbours on each side."
    if question.tab == "tagging":
        return f"The field is {payload['title']}; field and HMMs are learnt from UD-EWT’s training part."
    if question.tab == "neighbours":
        return f"Vectors U of {payload['title']}; two principal components of their directions."
    return (
        f"A field of full rank, learnt from these {len(payload['ring'])} tokens; its bound is tightened by L-BFGS from "
        "messages 0 on. Jernite, Rush and Sontag (2015)."
    )
