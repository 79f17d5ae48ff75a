"""The question of Search: the searched text and the search, and the training data of the perceptron and SEARN."""

from collections.abc import Callable
from dataclasses import dataclass

from pages.shell import fields, link
from pages.shell.question import Question
from rcmviz.core.methods import OF_EM
from rcmviz.core.shared.wording import counted
from rcmviz.views.search.perceptron import RULES

TAB_NAMES = {"search": "Search", "perceptron": "Perceptron", "searn": "SEARN"}
TABS = tuple(TAB_NAMES)
SUBJECT_NAMES = {"word": "A handwritten word", "message": "A message in keys"}
MATERIAL_NAMES = {"word": "Words by the pen", "sentence": "Tagged sentences"}
BY_POSITION = tuple(sorted(kind for kind, method in OF_EM.items() if method.has_budget))
METHODS = ("astar", "queue", "best-first", "greedy", *BY_POSITION)
MAX_SEED = 2**31 - 1
MOST_EXAMPLES = 200  # number of held-out words, one of which is shown
TAUS = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0)
TRAINING = ("material", "learnt", "sentences", "iterations", "beta", "order")  # that decide the training of SEARN
BOUND_HELP = "Labels that the bound on the rest looks ahead; more gives a tighter bound and fewer expansions."
SENTENCES_HELP = (
    "From a small grammar. A policy sees a word and its own previous tags; of an unknown word only the tags."
)


def _on_tab(tab: str, **values: str) -> Callable[["SearchQuestion"], bool]:
    """Return a condition: the tab is open and other fields have these values."""
    return lambda asked: asked.tab == tab and all(getattr(asked, name) == value for name, value in values.items())


A_WORD, A_MESSAGE = _on_tab("search", subject="word"), _on_tab("search", subject="message")
WORDS, SENTENCES = _on_tab("searn", material="word"), _on_tab("searn", material="sentence")


@dataclass(frozen=True)
class SearchViewState(link.Link):
    """The position of the view.

    ``step`` is an expansion, an update or a word; ``method`` belongs to the search, ``rule`` and temperature ``tau`` to
    the perceptron, ``iteration`` and ``action`` to SEARN.
    """

    step: int | None = fields.integer("step", None, 1, 100_000, fallback=1)
    method: str | None = fields.choice("method", None, METHODS, fallback="astar")
    rule: str | None = fields.choice("rule", None, RULES, fallback="standard")
    tau: float | None = fields.choice("tau", None, TAUS, fallback=0.0)
    iteration: int | None = fields.integer("iteration", None, 1, 100, fallback=1)
    action: str | None = fields.text("action", None, max_chars=40)


@dataclass(frozen=True)
class SearchQuestion(Question):
    """A search of a word or a message, a perceptron that learns words, or SEARN that learns words or sentences."""

    tab: str = fields.choice(
        "view", "search", TABS, label="What to see", format_func=TAB_NAMES.get, slot="header", always=True
    )
    subject: str = fields.choice(
        "of",
        "word",
        tuple(SUBJECT_NAMES),
        label="Input",
        format_func=SUBJECT_NAMES.get,
        width=3,
        when=_on_tab("search"),
    )
    word: str = fields.text(
        "word",
        "justice",
        max_chars=16,
        label="Word",
        width=4,
        when=A_WORD,
        help="Letters a to z, drawn as handwriting.",
    )
    seed: int = fields.integer(
        "seed", 0, 0, MAX_SEED, label="Writer", when=A_WORD, help="Random seed of slant, width and style."
    )
    message: str = fields.text(
        "message",
        "46 2225 86 233 669",
        max_chars=80,
        label="Keys",
        width=6,
        when=A_MESSAGE,
        help="Keys of a phone, with blanks between words. Letters are converted: `the dog` is 843 364.",
    )
    letters: int = fields.integer("bound", 2, 0, 3, label="Look-ahead of A*", when=A_WORD, help=BOUND_HELP)
    ahead: int = fields.integer("bound", 0, 0, 2, label="Look-ahead of A*", when=A_MESSAGE, help=BOUND_HELP)
    queue: int = fields.integer(
        "queue",
        10,
        1,
        1_000,
        label="Queue and beam size",
        when=_on_tab("search"),
        help="Hypotheses in the short queue; contexts per position of the beam and RCMS.",
    )

    words: int = fields.integer("words", 150, 20, 1_000, label="Words by the pen", step=50, when=_on_tab("perceptron"))
    epochs: int = fields.integer("epochs", 4, 1, 10, label="Epochs", when=_on_tab("perceptron"))
    beam: int = fields.integer(
        "beam",
        5,
        1,
        30,
        label="Beam",
        when=_on_tab("perceptron"),
        help="Contexts per position.",
    )
    shuffle: int = fields.integer(
        "shuffle", 0, 0, MAX_SEED, label="Seed", when=_on_tab("perceptron"), help="Random seed of the order of words."
    )

    material: str = fields.choice(
        "of",
        "word",
        tuple(MATERIAL_NAMES),
        label="Data",
        format_func=MATERIAL_NAMES.get,
        width=3,
        when=_on_tab("searn"),
    )
    example: int = fields.integer(
        "example", 56, 1, MOST_EXAMPLES, label="Held-out word", when=WORDS, help="Its number."
    )
    sentence: int = fields.integer(
        "example", 35, 1, MOST_EXAMPLES, label="Held-out sentence", when=SENTENCES, help="Its number."
    )
    learnt: int = fields.integer("learnt", 800, 20, 2_000, label="Training words", step=100, when=WORDS)
    sentences: int = fields.integer(
        "learnt", 80, 20, 2_000, label="Training sentences", step=20, when=SENTENCES, help=SENTENCES_HELP
    )
    iterations: int = fields.integer("iterations", 8, 1, 12, label="Iterations", when=_on_tab("searn"))
    beta: float = fields.decimal(
        "beta",
        0.3,
        0.01,
        1.0,
        label="β",
        step=0.1,
        when=_on_tab("searn"),
        help="Weight of each new policy; at 1 it replaces the others.",
    )
    order: int = fields.integer("order", 2, 1, 3, label="Past labels of a policy", slot="more", when=_on_tab("searn"))
    draw: int = fields.integer(
        "draw", 1, 0, MAX_SEED, label="Draw", slot="more", when=_on_tab("searn"), help="Random seed."
    )

    @property
    def bound(self) -> int:
        """The number of labels that the bound of A* looks ahead."""
        return self.ahead if self.subject == "message" else self.letters

    @property
    def training_size(self) -> int:
        """The number of training words or sentences."""
        return self.sentences if self.material == "sentence" else self.learnt

    @property
    def held_out(self) -> int:
        """The number of the word or sentence shown, from 1."""
        return self.sentence if self.material == "sentence" else self.example

    def place(self) -> SearchViewState:
        """Return the position of the view."""
        return SearchViewState()


def summary(asked: SearchQuestion) -> str:
    """Return the settings of the tab in a line."""
    if asked.tab == "search":
        subject = f"{asked.word}, writer {asked.seed}" if asked.subject == "word" else asked.message
        return f"{subject} · look-ahead {asked.bound} · queue {asked.queue}"
    if asked.tab == "perceptron":
        return f"{asked.words} words · {counted(asked.epochs, 'epoch')} · beam {asked.beam}"
    return f"{asked.training_size} {asked.material}s · {counted(asked.iterations, 'iteration')} · β {asked.beta:g}"
