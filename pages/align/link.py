"""The link of the Align page: the word, the model that aligns it, the contexts, the strategies that learn."""

from dataclasses import dataclass, replace

from pages.shell import link
from rcmviz.align.settings import AlignTraining
from rcmviz.align.workspace import STRATEGIES

TABS = ("picture", "learning")
SOURCES = ("lexicon", "words", "utterances")
COMPARED = ("model", "target", "hybrid", "none")
STRATEGY_NAMES = {
    "rcms": "RCMS",
    "model": "Beam by model",
    "target": "Beam by target",
    "hybrid": "Hybrid beam",
    "forced": "Forced",
}
MAX_BUDGET, MAX_ORDER, MAX_EPOCHS, MAX_SEED, MOST_WORDS = 200, 6, 100, 2**31 - 1, 746
HELD_OUT = {"words": 80, "utterances": 20}  # examples; an utterance takes as long as five words
LONGEST = 300  # characters of a word or of its phones
PAPER = {"order": 5, "eta": 0.2, "delta": 1e-4, "joined": False}


def _cell(text):
    parts = text.split(".")
    if len(parts) != 2 or not all(part.isdecimal() and len(part) < 5 for part in parts):
        raise ValueError(f"{text[:20]!r} is no cell such as 3.4, a phone and a letter")
    return [int(part) for part in parts]


@dataclass(frozen=True)
class AlignPlace(link.Link):
    """Where the picture stands: the cell that is held, the route and the spelling that are drawn."""

    cell: list | None = link.coded("cell", None, _cell)
    route: str | None = link.choice("route", None, ("path", "all"), fallback="path")
    asked: str | None = link.choice("asked", None, ("model", "gold"), fallback="model")


def _read_word(reader, question, _field):
    usual = "" if "phones" in reader.query else question.word  # whoever writes phones has looked up no word
    return replace(question, word=reader.take("word", link.at_most(LONGEST), usual))


def _strategies(text):
    chosen = tuple(strategy for strategy in STRATEGIES if strategy in text.split(","))
    if not chosen or set(text.split(",")) - set(STRATEGIES):
        raise ValueError(f"{text[:60]!r} are no strategies; there are {', '.join(STRATEGIES)}")
    return chosen


@dataclass(frozen=True)
class AlignQuestion(link.Link):
    """What is asked. ``word`` that is meant, ``phones`` of it where they are not to be looked up · ``keep`` contexts
    per cell, ``compare`` the beam beside RCMS · the model: ``learned`` by which strategy, after ``step`` examples (0:
    all), from ``source`` and number of ``words`` · ``budget`` … ``decoder`` as in ``AlignTraining`` · of the learning
    tab the ``strategies``, and ``look``, the number of the example held out.
    """

    tab: str = link.choice("tab", "picture", TABS, always=True)
    word: str = link.multi_param(("word",), "bright", _read_word, lambda asked, _: {"word": asked.word}, of="picture")
    phones: str = link.text("phones", "", LONGEST, of="picture")
    keep: int = link.whole("keep", 20, 1, MAX_BUDGET, of="picture")
    compare: str = link.choice("compare", "model", COMPARED, of="picture")
    learned: str = link.choice("by", "rcms", STRATEGIES, of="picture")
    step: int = link.whole("at", 0, 0, 10**7, of="picture", widget=False)
    source: str = link.choice("data", "lexicon", SOURCES, of="data")
    words: int = link.whole("words", 200, 10, MOST_WORDS, of="data")
    seed: int = link.whole("seed", 0, 0, MAX_SEED, of="data training")
    budget: int = link.whole("budget", 20, 1, MAX_BUDGET, of="training")
    order: int = link.whole("order", 3, 1, MAX_ORDER, of="training")
    mode: str = link.choice("mode", "additive", ("additive", "single"), of="training")
    eta: float = link.real("eta", 0.5, 0.001, 10.0, of="training")
    delta: float = link.real("delta", 1.0, 1e-6, 1e3, of="training")
    joined: bool = link.flag("joined", True, of="training")
    average: bool = link.flag("average", False, of="training")
    epochs: int = link.whole("epochs", 5, 1, MAX_EPOCHS, of="training")
    decoder: str = link.choice("decoder", "viterbi", ("viterbi", "marginal"), of="training")
    strategies: tuple = link.coded("strategies", STRATEGIES, _strategies, ",".join, of="learning")
    look: int = link.whole("look", 0, 0, MOST_WORDS, of="learning", widget=False)

    beside = ("run",)  # the name of a training, which the session writes

    def groups(self):
        """What matters on this tab."""
        return self.tab, "data", "training"

    def place(self):
        """Where the picture stands."""
        return AlignPlace()

    def training(self, strategy):
        """The ``AlignTraining`` of a strategy."""
        return AlignTraining(strategy, **self.fields_of("training"))

    @property
    def trainings(self):
        """One training per strategy of the learning tab, in the order of their names."""
        return tuple(self.training(strategy) for strategy in STRATEGIES if strategy in self.strategies)

    @property
    def data(self):
        """The name of the examples that are learned from."""
        return f"{self.source}:{self.seed}" + ("" if self.source == "lexicon" else f":{self.words}")


# What the page opens with: one context per cell, and the beam is sure of a spelling that is wrong.
OPENING = AlignQuestion(word="keep", keep=1)
