"""What Search is asked: which tab, what is searched and how, what a perceptron and SEARN learn from."""

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
MOST_EXAMPLES = 200  # words held out, of which one is looked at
TAUS = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0)
TRAINING = ("material", "learnt", "sentences", "iterations", "beta", "order")  # what decides what SEARN has learnt
BOUND_HELP = "Labels that the bound on the rest looks ahead; more gives a tighter bound and fewer expansions."
SENTENCES_HELP = (
    "From a small grammar. A policy sees a word and its own tags before it; of an unknown word it sees the tags only."
)


def _on(tab: str, **values: str) -> Callable[["SearchQuestion"], bool]:
    """On a tab, where other fields have these values."""
    return lambda asked: asked.tab == tab and all(getattr(asked, name) == value for name, value in values.items())


A_WORD, A_MESSAGE = _on("search", subject="word"), _on("search", subject="message")
WORDS, SENTENCES = _on("searn", material="word"), _on("searn", material="sentence")


@dataclass(frozen=True)
class SearchViewState(link.Link):
    """Where the view stands: the ``step``, an expansion, an update or a word; which ``method`` of search; which
    ``rule`` of the perceptron, at which temperature ``tau``; which ``iteration`` of SEARN and which ``action``.
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
        label="Find the best reading of",
        format_func=SUBJECT_NAMES.get,
        width=3,
        when=_on("search"),
    )
    word: str = fields.text(
        "word",
        "justice",
        max_chars=16,
        label="Word",
        width=4,
        when=A_WORD,
        help="Letters a to z, written by the pen and read with 4-grams.",
    )
    seed: int = fields.integer(
        "seed", 0, 0, MAX_SEED, label="Writer", when=A_WORD, help="A seed of slant, width and habits."
    )
    message: str = fields.text(
        "message",
        "46 2225 86 233 669",
        max_chars=80,
        label="Keys",
        width=6,
        when=A_MESSAGE,
        help="As on a phone’s keypad, blanks between words. Letters are typed for you: `the dog` is 843 364.",
    )
    letters: int = fields.integer("bound", 2, 0, 3, label="A*’s bound sees", when=A_WORD, help=BOUND_HELP)
    ahead: int = fields.integer("bound", 0, 0, 2, label="A*’s bound sees", when=A_MESSAGE, help=BOUND_HELP)
    queue: int = fields.integer(
        "queue",
        10,
        1,
        1_000,
        label="Queue, beam take",
        when=_on("search"),
        help="Hypotheses that may wait in the short queue; contexts that the beam and RCMS keep at each position.",
    )

    words: int = fields.integer("words", 150, 20, 1_000, label="Words by the pen", step=50, when=_on("perceptron"))
    epochs: int = fields.integer("epochs", 4, 1, 10, label="Epochs", when=_on("perceptron"))
    beam: int = fields.integer(
        "beam",
        5,
        1,
        30,
        label="Beam",
        when=_on("perceptron"),
        help="Contexts that the search keeps at each position.",
    )
    shuffle: int = fields.integer(
        "shuffle", 0, 0, MAX_SEED, label="Seed", when=_on("perceptron"), help="Of the order of the words."
    )

    material: str = fields.choice(
        "of",
        "word",
        tuple(MATERIAL_NAMES),
        label="Learn to label",
        format_func=MATERIAL_NAMES.get,
        width=3,
        when=_on("searn"),
    )
    example: int = fields.integer(
        "example", 56, 1, MOST_EXAMPLES, label="Word held out", when=WORDS, help="Its number."
    )
    sentence: int = fields.integer(
        "example", 35, 1, MOST_EXAMPLES, label="Sentence held out", when=SENTENCES, help="Its number."
    )
    learnt: int = fields.integer("learnt", 800, 20, 2_000, label="Words learnt", step=100, when=WORDS)
    sentences: int = fields.integer(
        "learnt", 80, 20, 2_000, label="Sentences learnt", step=20, when=SENTENCES, help=SENTENCES_HELP
    )
    iterations: int = fields.integer("iterations", 8, 1, 12, label="Iterations", when=_on("searn"))
    beta: float = fields.decimal(
        "beta",
        0.3,
        0.01,
        1.0,
        label="β",
        step=0.1,
        when=_on("searn"),
        help="Weight of each new policy; 1: it acts alone.",
    )
    order: int = fields.integer("order", 2, 1, 3, label="Labels that a policy sees", slot="more", when=_on("searn"))
    draw: int = fields.integer(
        "draw", 1, 0, MAX_SEED, label="Draw", slot="more", when=_on("searn"), help="A seed: who acts where."
    )

    @property
    def bound(self) -> int:
        """How many labels the bound of A* sees."""
        return self.ahead if self.subject == "message" else self.letters

    @property
    def learnt_from(self) -> int:
        """How many words or sentences are learnt."""
        return self.sentences if self.material == "sentence" else self.learnt

    @property
    def held_out(self) -> int:
        """The number of the word or sentence that is looked at, from 1 on."""
        return self.sentence if self.material == "sentence" else self.example

    def place(self) -> SearchViewState:
        """What the link says of the view."""
        return SearchViewState()


def summary(asked: SearchQuestion) -> str:
    """The settings of the tab in a line."""
    if asked.tab == "search":
        subject = f"{asked.word}, writer {asked.seed}" if asked.subject == "word" else asked.message
        return f"{subject} · bound sees {asked.bound} · queue {asked.queue}"
    if asked.tab == "perceptron":
        return f"{asked.words} words · {counted(asked.epochs, 'epoch')} · beam {asked.beam}"
    return f"{asked.learnt_from} {asked.material}s · {counted(asked.iterations, 'iteration')} · β {asked.beta:g}"
