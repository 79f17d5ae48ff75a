"""The settings above the view of frames; all widgets live under the page's session keys."""

import streamlit as st

from pages.ctc import uploads
from pages.ctc.link import NO_MODEL, CtcQuestion
from pages.ctc.sample import as_csv, frames_of
from pages.ctc.state import PAGE
from pages.shared import language_models
from pages.shared.head import page_head
from pages.shared.text import plain, sentence
from rcmviz.core.methods import BUILDERS, MethodChoice
from rcmviz.views.shared.words import sentence_of

TAB_NAMES = {"text": "Made for a text", "upload": "Your own frames"}
SPELLING_NAMES = {"auto": "as it seems", "labels": "the labels", "words": "words, spelt by the labels"}
CSV = "a,b,_,<blank>\n-0.2,-2.1,-4.0,-3.2\n-3.1,-2.8,-4.4,-0.1"
NUMPY = """np.savez("frames.npz",
    log_probs=log_probs,  # or logits, probs
    labels=np.array(["a", "_", "<blank>"]))
np.save("frames.npy", log_probs)"""


def head():
    """The title, beside it whose frames, and what there is to see."""
    page_head("CTC: frames into text", "Which frames", TAB_NAMES, (7, 6), **PAGE.widget("tab"))
    st.caption(
        "A network says of every frame which letter it shows, or none, a *blank*. Repeats are joined and blanks left "
        "out: many rows of symbols mean the same. Which text is most probable, summed over all of them?"
    )


def summary(question):
    """The settings in a line.

    >>> summary(CtcQuestion(tab="upload", method="exact", lm="none"))
    'your own frames · Exact · no language model'
    """
    what = f"{question.text}, noise {question.noise:g}" if question.tab == "text" else "your own frames"
    model = "no language model" if question.lm == NO_MODEL else _model_title(question.lm)
    return f"{what} · {MethodChoice(question.method, question.budget).name} · {model}"


def choose(question):
    """What is read, and by what."""
    if question.tab == "text":
        text, noise, seed, *others = st.columns([5, 2, 2, 3, 2, 4, 2], vertical_alignment="bottom")
        text.text_input("Text", key=PAGE.key("text"), help="What the frames show: letters a to z, and blanks.")
        noise.number_input("Noise", step=0.2, format="%g", **PAGE.widget("noise"), help="On every logit; peaks are 4.")
        seed.number_input("Seed", step=1, **PAGE.widget("seed"), help="Of the noise.")
    else:
        gold, *others = st.columns([9, 3, 2, 4, 2], vertical_alignment="bottom")
        gold.text_input(
            "Right output",
            key=PAGE.key("gold"),
            placeholder="if it is known",
            help="It is marked where it is read, dropped, or lost. Labels of several characters: blanks between them.",
        )
    _choose_method(question, *others)


def _choose_method(question, method, budget, model, more):
    method.selectbox(
        "Method",
        format_func=lambda kind: BUILDERS[kind].heading,
        **PAGE.widget("method"),
        help="What becomes of contexts without room: RCMS merges them, a beam drops them. Exact keeps all, where "
        "there are not too many.",
    )
    budget.number_input(
        "Budget", step=1, **PAGE.widget("budget"), disabled=question.method == "exact", help=sentence_of("budget")
    )
    known = language_models.offered(None if question.lm == NO_MODEL else question.lm)
    model.selectbox(
        "Language model",
        [NO_MODEL, *known],
        format_func=_model_title,
        key=PAGE.key("lm"),
        help="Of labels, such as letters, or of words that the labels spell. Your own: under More.",
    )
    with more.popover("More", icon=":material/tune:", width="stretch"):
        _choose_weights(question)


def _choose_weights(question):
    st.number_input(
        "Passes of RCMS", step=1, **PAGE.widget("passes"), disabled=question.method != "rcms", help=sentence_of("pass")
    )
    language_models.upload_model(PAGE, "lm", "model_file")
    if question.lm == NO_MODEL:
        return
    st.number_input(
        "Weight of the language model", step=0.1, format="%g", **PAGE.widget("weight"), help="Multiplies its logs."
    )
    st.number_input(
        "Bonus",
        step=0.5,
        format="%g",
        **PAGE.widget("bonus"),
        help="In nats, for each word of the language model: longer outputs the higher it is.",
    )
    st.selectbox("Its words are", format_func=SPELLING_NAMES.get, **PAGE.widget("spells"))
    st.text_input(
        "Label between words", key=PAGE.key("separator"), placeholder="a blank, _ or |", help="For a model of words."
    )
    st.number_input(
        "An unknown word",
        step=1.0,
        format="%g",
        **PAGE.widget("unknown"),
        help="Of a model of words: what a word that it lacks is worth, in nats, beside what it gives such words.",
    )


def _model_title(name):
    return "none" if name == NO_MODEL else language_models.title_of(name)


def choose_file(question):
    """Frames of one's own: the file, names of its columns where it has none, the blank; an example of each format."""
    with st.expander("Upload frames: npz, npy or CSV", icon=":material/upload_file:", expanded=not question.upload):
        ways, form = st.columns([3, 2], gap="large")
        with ways:
            common = {"on_change": _take_frames, "max_upload_size": uploads.UPLOAD_MB}
            st.file_uploader(
                "Logs, logits or probabilities", type=["npz", "npy", "csv", "tsv"], key=PAGE.key("file"), **common
            )
            names, blank = st.columns(2, vertical_alignment="bottom")
            names.file_uploader(
                "Names of the columns",
                type=["txt"],
                key=PAGE.key("names"),
                help="A text file, one a line, `<blank>` for the blank: for an npy, or a CSV without a first line.",
                **common,
            )
            blank.number_input(
                "Column of the blank",
                min_value=0,
                value=None,
                step=1,
                key=PAGE.key("blank"),
                on_change=_take_frames,
                placeholder="by its name, else the last",
                help="From 0.",
            )
        with form:
            _show_format()
    refused = st.session_state.pop(PAGE.key("refused"), None)
    if refused:
        st.error(sentence(refused), icon=":material/error:")


def _show_format():
    st.code(CSV, language=None)
    st.code(NUMPY, language=None, wrap_lines=True)
    st.caption(
        "A row per frame; rows that sum to 1 are taken as probabilities, all others as logs. Up to "
        f"{uploads.MOST_FRAMES:,} frames and {uploads.UPLOAD_MB} MB; nothing pickled is read."
    )
    usual = CtcQuestion()
    st.download_button(
        "An example to try",
        lambda: as_csv(frames_of(usual.text, usual.noise, usual.seed)),
        "frames.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key=PAGE.key("example"),
    )


def _take_frames():
    """Read what was chosen, with what stands beside it; what is wrong is said."""
    upload, names = st.session_state.get(PAGE.key("file")), st.session_state.get(PAGE.key("names"))
    if upload is None:
        return
    labels = (names.name, names.getvalue()) if names else None
    try:
        digest = uploads.keep_frames(upload.name, upload.getvalue(), labels, st.session_state[PAGE.key("blank")])
    except ValueError as error:
        st.session_state[PAGE.key("refused")] = str(error)
        return
    PAGE.change(upload=digest, gold="")


def show_notes(notes):
    """What a person should know of the frames and the model."""
    for note in notes:
        st.caption(plain(note))
