"""What the Align page shows, as one frozen value that a link can carry: the word, its model, the contexts."""

from dataclasses import dataclass, fields, replace

from pages.word.settings import Reader
from rcmviz.align.settings import AlignTraining
from rcmviz.align.workspace import STRATEGIES

TABS = ("picture", "learning")
SOURCES = ("lexicon", "words", "utterances")
COMPARED = ("model", "target", "hybrid", "none")
STRATEGY_NAMES = {
    "rcms": "RCMS", "model": "Beam by model", "target": "Beam by target", "hybrid": "Hybrid beam", "forced": "Forced",
}  # fmt: skip
MAX_BUDGET, MAX_ORDER, MAX_EPOCHS, MAX_SEED, MOST_WORDS = 200, 6, 100, 2**31 - 1, 746
HELD_OUT = {"words": 80, "utterances": 20}  # examples; an utterance takes as long as five words
LONGEST = 300  # characters of a word or of its phones


@dataclass(frozen=True)
class Question:
    """What is asked. ``word`` that is meant, ``phones`` of it where they are not to be looked up · ``keep`` contexts
    per cell, ``compare`` the beam beside RCMS · the model: ``source`` and number of ``words`` it learns from,
    ``learned`` by which strategy, after ``step`` examples (0: all) · ``order`` … ``decoder`` as in ``AlignTraining`` ·
    of the learning tab the ``strategies``, and ``look``, the number of the example held out.
    """

    tab: str = "picture"
    word: str = "bright"
    phones: str = ""
    keep: int = 20
    compare: str = "model"
    source: str = "lexicon"
    words: int = 200
    learned: str = "rcms"
    step: int = 0
    order: int = 3
    budget: int = 20
    epochs: int = 5
    mode: str = "additive"
    eta: float = 0.5
    delta: float = 1.0
    joined: bool = True
    seed: int = 0
    average: bool = False
    decoder: str = "viterbi"
    strategies: tuple = STRATEGIES
    look: int = 0

    def training(self, strategy):
        """The ``AlignTraining`` of a strategy."""
        return AlignTraining(strategy, **{name: getattr(self, name) for name in OF_TRAINING})

    @property
    def trainings(self):
        """One training per strategy of the learning tab, in the order of their names."""
        return tuple(self.training(strategy) for strategy in STRATEGIES if strategy in self.strategies)

    @property
    def data(self):
        """The name of the examples that are learned from."""
        return f"{self.source}:{self.seed}" + ("" if self.source == "lexicon" else f":{self.words}")


PAPER = {"order": 5, "eta": 0.2, "delta": 1e-4, "joined": False}
OF_TRAINING = ("budget", "order", "mode", "eta", "delta", "joined", "average", "epochs", "seed", "decoder")
OF_DATA = ("source", "words", "seed")
OF_PICTURE = ("word", "phones", "keep", "compare", "learned", "step")
NAMES = {field.name: field.name for field in fields(Question)} | {"source": "data", "learned": "by", "step": "at"}
QUESTION = tuple(NAMES.values())
PLACE = ("cell", "route", "asked", "run")  # where the view stands, which the browser writes; the run of a training


def read_question(query):
    """(Question, opening, notices) of a link; ``opening`` says where the view begins, None where the link does not."""
    reader, usual = Reader(query), Question()
    question = Question(
        tab=reader.choice("tab", TABS, usual.tab),
        word=reader.parsed("word", _short, usual.word if "phones" not in query else ""),
        phones=reader.parsed("phones", _short, usual.phones),
        keep=reader.number("keep", 1, MAX_BUDGET, usual.keep),
        compare=reader.choice("compare", COMPARED, usual.compare),
        source=reader.choice("data", SOURCES, usual.source),
        words=reader.number("words", 10, MOST_WORDS, usual.words),
        learned=reader.choice("by", STRATEGIES, usual.learned),
        step=reader.number("at", 0, 10**7, usual.step),
        order=reader.number("order", 1, MAX_ORDER, usual.order),
        budget=reader.number("budget", 1, MAX_BUDGET, usual.budget),
        epochs=reader.number("epochs", 1, MAX_EPOCHS, usual.epochs),
        mode=reader.choice("mode", ("additive", "single"), usual.mode),
        eta=reader.number("eta", 0.001, 10.0, usual.eta, float),
        delta=reader.number("delta", 1e-6, 1e3, usual.delta, float),
        joined=reader.choice("joined", ("0", "1"), "1") == "1",
        seed=reader.number("seed", 0, MAX_SEED, usual.seed),
        average=reader.choice("average", ("0", "1"), "0") == "1",
        decoder=reader.choice("decoder", ("viterbi", "marginal"), usual.decoder),
        strategies=reader.parsed("strategies", _strategies, usual.strategies),
        look=reader.number("look", 0, MOST_WORDS, usual.look),
    )
    reader.refuse_others((*QUESTION, *PLACE))
    return question, _read_opening(reader) if set(query) & {"cell", "route", "asked"} else None, reader.notices


def _short(text):
    if len(text) > LONGEST:
        raise ValueError(f"{len(text):,} characters are too many, {LONGEST} can be read")
    return text


def _strategies(text):
    chosen = tuple(strategy for strategy in STRATEGIES if strategy in text.split(","))
    if not chosen or set(text.split(",")) - set(STRATEGIES):
        raise ValueError(f"{text[:60]!r} are no strategies; there are {', '.join(STRATEGIES)}")
    return chosen


def _read_opening(reader):
    opening = {"cell": reader.parsed("cell", _cell, None)}
    for name, among in (("route", ("path", "all")), ("asked", ("model", "gold"))):
        opening[name] = reader.choice(name, among, among[0]) if name in reader.query else None
    return {name: value for name, value in opening.items() if value is not None}


def _cell(text):
    parts = text.split(".")
    if len(parts) != 2 or not all(part.isdecimal() and len(part) < 5 for part in parts):
        raise ValueError(f"{text[:20]!r} is no cell such as 3.4, a phone and a letter")
    return [int(part) for part in parts]


def write_question(question):
    """The question as query parameters, what is as always left out.

    >>> write_question(Question(word="night", order=5))
    {'tab': 'picture', 'word': 'night', 'order': '5'}
    """
    usual, query = Question(), {"tab": question.tab}
    if question.tab == "picture":
        query["word"] = question.word
    for name in _heeded(question):
        value = getattr(question, name)
        if value != getattr(usual, name):
            query[NAMES[name]] = _written(value)
    return query


def _heeded(question):
    """The fields that matter on this tab."""
    shared = (*OF_DATA, *(name for name in OF_TRAINING if name != "seed"))
    return (*OF_PICTURE, *shared) if question.tab == "picture" else (*shared, "strategies", "look")


def only(question, names):
    """The question of which nothing but these fields is told: what a cache may go by."""
    return replace(Question(), **{name: getattr(question, name) for name in names})


def _written(value):
    if isinstance(value, tuple):
        return ",".join(value)
    return str(int(value)) if isinstance(value, bool) else f"{value:.6g}" if isinstance(value, float) else str(value)
