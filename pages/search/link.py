"""The link of the Search page: which tab, what is searched and how, what a perceptron and SEARN learn from."""

from dataclasses import dataclass

from pages.shell import link
from rcmviz.core.methods import OF_EM
from rcmviz.views.search.perceptron import RULES

TABS = ("search", "perceptron", "searn")
SUBJECTS = ("word", "message")
MATERIALS = ("word", "sentence")
BY_POSITION = tuple(sorted(kind for kind, method in OF_EM.items() if method.has_budget))
METHODS = ("astar", "queue", "best-first", "greedy", *BY_POSITION)
MAX_SEED = 2**31 - 1
LONGEST_WORD, LONGEST_MESSAGE = 16, 80  # characters
MAX_QUEUE, MAX_BEAM = 1_000, 30
MOST_EXAMPLES = 200  # words held out, of which one is looked at
TAUS = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True)
class SearchPlace(link.Link):
    """Where the view stands: the ``step``, an expansion, an update or a word; which ``method`` of search; which
    ``rule`` of the perceptron, at which temperature ``tau``; which ``iteration`` of SEARN and which ``action``.
    """

    step: int | None = link.whole("step", None, 1, 100_000, fallback=1)
    method: str | None = link.choice("method", None, METHODS, fallback="astar")
    rule: str | None = link.choice("rule", None, RULES, fallback="standard")
    tau: float | None = link.choice("tau", None, TAUS, fallback=0.0)
    iteration: int | None = link.whole("iteration", None, 1, 100, fallback=1)
    action: str | None = link.text("action", None, 40)


@dataclass(frozen=True)
class SearchQuestion(link.Link):
    """What is asked: on ``search`` whether a handwritten ``word`` by the writer ``seed`` or a ``message`` in keys is
    searched, how many ``letters`` or words ``ahead`` A*'s bound sees and how many hypotheses a bounded ``queue`` takes
    · on ``perceptron`` how many ``words`` are learnt, for so many ``epochs`` in the order of ``shuffle``, with a
    ``beam`` of so many · on ``searn`` whether words or sentences are the ``material``, from how many words it is
    ``learnt`` or from how many ``sentences``, in so many ``iterations``, ``beta`` and ``order`` of the policies; which
    ``example`` held out, or which ``sentence``, is looked at, by policies of which ``draw``.
    """

    tab: str = link.choice("view", "search", TABS, always=True)
    subject: str = link.choice("of", "word", SUBJECTS, of="search")
    word: str = link.text("word", "justice", LONGEST_WORD, of="word")
    seed: int = link.whole("seed", 0, 0, MAX_SEED, of="word")
    message: str = link.text("message", "46 2225 86 233 669", LONGEST_MESSAGE, of="message")
    letters: int = link.whole("bound", 2, 0, 3, of="word")
    ahead: int = link.whole("bound", 0, 0, 2, of="message")
    queue: int = link.whole("queue", 10, 1, MAX_QUEUE, of="search")

    words: int = link.whole("words", 150, 20, 1_000, of="perceptron")
    epochs: int = link.whole("epochs", 4, 1, 10, of="perceptron")
    beam: int = link.whole("beam", 5, 1, MAX_BEAM, of="perceptron")
    shuffle: int = link.whole("shuffle", 0, 0, MAX_SEED, of="perceptron")

    material: str = link.choice("of", "word", MATERIALS, of="searn training")
    learnt: int = link.whole("learnt", 800, 20, 2_000, of="words training")
    sentences: int = link.whole("learnt", 80, 20, 2_000, of="sentences training")
    iterations: int = link.whole("iterations", 8, 1, 12, of="searn training")
    beta: float = link.real("beta", 0.3, 0.01, 1.0, of="searn training")
    order: int = link.whole("order", 2, 1, 3, of="searn training")
    example: int = link.whole("example", 56, 1, MOST_EXAMPLES, of="words")
    sentence: int = link.whole("example", 35, 1, MOST_EXAMPLES, of="sentences")
    draw: int = link.whole("draw", 1, 0, MAX_SEED, of="searn")

    @property
    def bound(self):
        """How many labels the bound of A* sees."""
        return self.ahead if self.subject == "message" else self.letters

    @property
    def learnt_from(self):
        """How many words or sentences are learnt."""
        return self.sentences if self.material == "sentence" else self.learnt

    @property
    def held_out(self):
        """The number of the word or sentence that is looked at, from 1 on."""
        return self.sentence if self.material == "sentence" else self.example

    def groups(self):
        """What matters on this tab."""
        of = {"search": (self.subject,), "searn": (f"{self.material}s",)}
        return (self.tab, *of.get(self.tab, ()))

    def place(self):
        """Where the view stands."""
        return SearchPlace()
