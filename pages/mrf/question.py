"""The question of Field: a text, the training data, a sentence with a blank or to be tagged."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import streamlit as st

from pages.mrf.texts import MOST_MAPPED, OWN
from pages.mrf.upload import choose_text, choose_words
from pages.shell import fields, link
from pages.shell.question import Question
from pages.word.edits import read_edits, write_edits
from rcmviz.lm.text import tokens

TAB_NAMES = {
    "lifting": "Lifting",
    "learning": "Learning live",
    "blank": "Fill the blank",
    "neighbours": "Neighbours",
    "tagging": "Tagging",
}
TABS = tuple(TAB_NAMES)
MODEL_NAMES = {"english": "English (Tatoeba)", "grammar": "Small grammar"}
MODELS = tuple(MODEL_NAMES)
SOURCE_NAMES = {"grammar": "Small grammar", "tatoeba": "English (Tatoeba)", OWN: "Your own text"}
EXAMPLES = {"english": "i forgot to _ the door", "grammar": "the _ barked at anna"}
TAGGED = "an unbeatable striker outsmarted three Zanzibarian defenders ."
MAX_CHARS, MAX_SEED = 300, 2**31 - 1
ON_EACH_SIDE = "On each side."


def _swap(text: str) -> str:
    side, _, word = text.partition(".")
    if side[:1] not in ("a", "b") or not side[1:].isdecimal() or not word:
        raise ValueError(f"{text[:20]!r} is not a changed neighbour such as b1.dog (the word before the blank)")
    return text[:60]


def _words(text: str) -> tuple[str, ...]:
    words = tuple(dict.fromkeys(tokens(text)))
    if len(words) > MOST_MAPPED:
        raise ValueError(f"{len(words)} words are too many; the map has room for {MOST_MAPPED}")
    return words


def _on_tabs(*tabs: str) -> Callable[["MrfQuestion"], bool]:
    return lambda question: question.tab in tabs


def _is_own_text(question: "MrfQuestion") -> bool:
    return question.tab == "learning" and question.source == OWN


def _is_shipped_text(question: "MrfQuestion") -> bool:
    return question.tab == "learning" and question.source != OWN


def _choose_model(state: Any, question: "MrfQuestion", field: str) -> None:
    """Draw the choice next to the sentence with a blank, or alone."""
    alone = question.tab == "neighbours"
    place = st.columns([3, 7])[0] if alone else st
    place.selectbox(
        "Model",
        format_func=MODEL_NAMES.get,
        help="Trained by lifted likelihood and by pseudo-likelihood for the same time." if alone else None,
        **state.widget(field),
    )


@dataclass(frozen=True)
class MrfViewState(link.Link):
    """The position of the view.

    It has the drawn ``step``, the share ``fold`` of the ring that is folded, the ``word`` whose neighbours are listed,
    and the changed neighbour of a blank.
    """

    step: int | None = fields.integer("step", None, 1, 100_000, fallback=1)
    fold: float | None = fields.decimal("fold", None, 0.0, 1.0, fallback=0.0)
    word: str | None = fields.text("word", None, max_chars=40)
    swap: str | None = fields.coded("swap", None, _swap)


@dataclass(frozen=True)
class MrfQuestion(Question):
    """The question of Field; the tab decides which fields apply.

    - ``lifting``: the ``text``, sentences with ``/`` between them, and its ``order`` K; - ``learning``: the ``source``
    of the text and the number of its ``sentences`` (or the ``upload``), the number of ``neighbours``, the ``rank`` of
    vectors (0: full), ``l2``, ``steps``, ``seed``, and the mapped ``words`` (none: the commonest); - ``blank``: the
    ``sentence``, the ``model`` that fills it, and whether to ``prove`` the best one; - ``neighbours``: the model; -
    ``tagging``: the sentence ``tagged``, and what-if ``edits`` of its tags.
    """

    browser_params = (*Question.browser_params, "run")  # the name of a training, which the session writes
    place_fields = "prove", "edits"  # of the parts below the view

    tab: str = fields.choice(
        "view", "lifting", TABS, label="What to see", format_func=TAB_NAMES.get, slot="header", always=True
    )
    text: str = fields.text(
        "text",
        "anna saw the dog / the dog saw anna / tom slept",
        max_chars=MAX_CHARS,
        label="Text, sentences with / between",
        width=8,
        when=_on_tabs("lifting"),
        help="Up to 24 tokens in short sentences. K separators <S> precede each sentence.",
    )
    order: int = fields.integer("order", 2, 1, 3, label="Neighbours K", when=_on_tabs("lifting"), help=ON_EACH_SIDE)
    sentence: str = fields.text(
        "sentence",
        EXAMPLES["english"],
        max_chars=MAX_CHARS,
        label="Sentence with one _",
        width=7,
        when=_on_tabs("blank"),
        placeholder=EXAMPLES["english"],
        help="Separate words and punctuation by blanks. The field sees both sides, the trigram only the words before.",
    )
    model: str = fields.with_controls(
        link.choice("model", "english", MODELS, when=_on_tabs("blank", "neighbours")),
        (fields.Control(_choose_model, width=3),),
    )
    prove: bool = link.flag("prove", False, when=_on_tabs("blank"))

    tagged: str = fields.text(
        "tagged",
        TAGGED,
        max_chars=MAX_CHARS,
        label="Sentence",
        when=_on_tabs("tagging"),
        help="Separate words and punctuation by blanks. Invented words are tagged by their spelling.",
    )
    edits: tuple = fields.coded("edits", (), read_edits, write_edits, when=_on_tabs("tagging"))

    source: str = fields.choice(
        "source",
        "grammar",
        tuple(SOURCE_NAMES),
        label="Text",
        format_func=SOURCE_NAMES.get,
        width=3,
        when=_on_tabs("learning"),
    )
    upload: str = fields.with_controls(
        link.text("upload", "", 16, widget=False, when=_is_own_text), (fields.Control(choose_text, slot="below"),)
    )
    sentences: int = fields.integer(
        "sentences",
        3_000,
        100,
        20_000,
        label="Sentences",
        step=1_000,
        when=_is_shipped_text,
        help="The cost of a step does not depend on their number: it uses counts of pairs, not the text.",
    )
    neighbours: int = fields.integer(
        "neighbours", 2, 1, 2, label="Neighbours K", when=_on_tabs("learning"), help=ON_EACH_SIDE
    )
    rank: int = fields.integer(
        "rank",
        12,
        0,
        60,
        label="Rank D",
        step=4,
        when=_on_tabs("learning"),
        help="Dimension of word vectors; 0: full rank.",
    )
    l2: float = fields.decimal(
        "l2",
        1.0,
        0.0,
        1e4,
        label="L2",
        step=1.0,
        slot="more",
        when=_on_tabs("learning"),
        help="½ l2 ‖U, W‖² for the whole text.",
    )
    steps: int = fields.integer("steps", 150, 1, 200, label="Steps", step=50, slot="more", when=_on_tabs("learning"))
    seed: int = fields.integer(
        "seed", 0, 0, MAX_SEED, label="Seed", slot="more", when=_on_tabs("learning"), help="Of the initial vectors."
    )
    words: tuple = fields.coded(
        "words",
        (),
        _words,
        " ".join,
        controls=(fields.Control(choose_words, slot="below"),),
        widget=True,
        when=_on_tabs("learning"),
    )

    def place(self) -> MrfViewState:
        """Return the position of the view."""
        return MrfViewState()

    def with_widgets(self, shown: Mapping[str, Any]) -> Self:
        """Return the question of its widgets.

        A new model replaces the example sentence by its own. Edits belong to one sentence.
        """
        found: Self = super().with_widgets(shown)
        if found.model != self.model and found.sentence in EXAMPLES.values():
            found = found.changed(sentence=EXAMPLES[found.model])
        return found if found.tagged == self.tagged else found.changed(edits=())

    def changed_widgets(self, before: "MrfQuestion") -> tuple[str, ...]:
        """Return the widgets to set again: the sentence, if another model has changed it."""
        changed = tuple(super().changed_widgets(before))
        return (*changed, "sentence") if self.model != before.model else changed


def summary(question: MrfQuestion) -> str:
    """Return the settings of the tab in a line."""
    if question.tab == "learning":
        number = "" if question.source == OWN else f", {question.sentences:,} sentences"
        return f"{SOURCE_NAMES[question.source]}{number} · K = {question.neighbours} · rank {question.rank or 'full'}"
    return {
        "lifting": f"K = {question.order} · {question.text}",
        "blank": question.sentence,
        "neighbours": MODEL_NAMES[question.model],
        "tagging": question.tagged,
    }[question.tab]
