"""The tab Search: a word or a message, searched in several ways, and a race of all methods."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

import rcmviz as rv
from pages.search.code import CANDIDATES, LM, READER, typed
from pages.search.question import BY_POSITION
from rcmviz.core.builders.build import build_lattice
from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.methods import METHODS
from rcmviz.search.columns import as_search
from rcmviz.search.engine import search_best
from rcmviz.search.sequences import SequenceSearch
from rcmviz.tasks.handwriting.pen import write_word
from rcmviz.tasks.handwriting.problems import word_emissions
from rcmviz.tasks.sms.messages import read_digits
from rcmviz.views.search.searching import Searched, build_searching
from rcmviz.views.shared.plain import pixel_rows

MOST_WORDS = 10
MOST_POPS = 2_000  # of a search; half a second or one
BUDGETS = (1, 2, 3, 5, 8, 12, 20, 35, 60)  # of the race: contexts per position, or places in the queue


HIGHEST = "The hypothesis with the highest score so far"
# What a search is called, what an expansion takes, and what should be known of it.
WORDS = {
    "astar": (
        "A*",
        "The hypothesis that could still become the best",
        "A* adds to each score the most that the rest could bring. No answer behind a lower sum can be better, so its "
        "first answer is the best.",
    ),
    "queue": (
        "Short queue",
        HIGHEST,
        "Scores of different lengths are compared as they are, and what does not fit into the queue is lost.",
    ),
    "best-first": (
        "Best-first",
        HIGHEST,
        "Nothing is lost, but without a bound on the rest long hypotheses are compared with short ones as they are.",
    ),
    "greedy": (
        "Greedy",
        "The only hypothesis in the queue",
        "A queue of one: the best next label, whatever comes later.",
    ),
}
# The same of a builder, which goes position by position: one that drops, and one that merges.
DROPPING = (
    "The heaviest that is left of this position",
    "It goes position by position: all that is kept is extended, then as many are kept of the next position, and "
    "the others are lost.",
    "are not among those that it keeps",
)
MERGING = (
    "The heaviest context that is left of this position",
    "It goes position by position, and loses nothing: what is not kept is merged (∪) into a shorter context, "
    "up to ∗, which remembers no label. Scores are masses.",
)


@dataclass(frozen=True, eq=False)
class SearchSubject:
    """What is searched: ``model`` with ``log_emit`` (None: its own), and how it looks."""

    model: object
    log_emit: np.ndarray | None
    title: str
    look: dict

    def problem(self, bound=None):
        """As a problem of search, with a bound that sees so many labels or none."""
        return SequenceSearch(self.model, self.log_emit, bound_order=bound)

    @property
    def order(self):
        """How many labels the model sees: no bound sees more."""
        return self.model.scores(self.model.check_emissions(self.log_emit)).order

    def run(self, method, **options):
        """The lattice of a builder."""
        lattice, _ = build_lattice(method, self.model, self.log_emit, record=False, **options)
        return lattice

    def recorded(self, method, **options):
        """The same, with the trace."""
        return build_lattice(method, self.model, self.log_emit, **options)


def subject_of(question):
    """The ``SearchSubject`` of a question; ValueError says what to do."""
    return _message(question.message) if question.subject == "message" else _word(question.word, question.seed)


@lru_cache(maxsize=8)
def _word(text, seed):
    letters = text.strip().lower()
    if not letters:
        raise ValueError("there is no word to search: type one with the letters a to z")
    word, model = write_word(letters, seed=seed), rv.load_model(READER)
    look = {"gold": list(word.letters), "images": pixel_rows(word.images), "noun": "letter"}
    return SearchSubject(model, word_emissions(model, word), word.letters, look)


@lru_cache(maxsize=8)
def _message(text):
    keys = typed(text)
    if len(keys) > MOST_WORDS:
        raise ValueError(f"{len(keys)} words are too many to draw: type up to {MOST_WORDS}")
    lm = _lm()
    message = read_digits(lm, " ".join(keys), most=CANDIDATES)
    look = {"inputs": [*message.keys, ""], "glue": " ", "noun": "word"}
    return SearchSubject(message.hmm(lm), None, " ".join(keys), look)


@lru_cache(maxsize=1)
def _lm():
    return rv.load_lm(LM)


def searching_payload(question):
    """What the view draws; ValueError says what to do where there is nothing to draw."""
    subject = subject_of(question)
    found = {
        "astar": search_best(subject.problem(question.bound), most=MOST_POPS),
        "queue": search_best(subject.problem(), queue=question.queue, most=MOST_POPS),
        "best-first": search_best(subject.problem(), most=MOST_POPS),
        "greedy": search_best(subject.problem(), queue=1, most=MOST_POPS),
    }
    kept = {method: _kept(subject, method, question.queue) for method in BY_POSITION}
    runs = [Searched(search, method, *WORDS[method]) for method, search in found.items()]
    runs += [Searched(one, method, *_words(method), known=(one.answer, one.score)) for method, one in kept.items()]
    best = _best_of(subject, found["astar"])
    return build_searching(runs, _race(subject, found["astar"]), best, title=subject.title, **subject.look)


def _best_of(subject, astar):
    """The best output there is: that of A*, with a bound that sees all where the chosen one took too long."""
    proved = astar if astar.proved else search_best(subject.problem(subject.order))
    return {"labels": list(proved.best.steps), "score": proved.best.score}


def _race(subject, astar):
    """What each method has to show after so many expansions; a budget, or a size of the queue, is a run of its own."""
    problem = subject.problem()
    greedy = search_best(problem, queue=1, most=MOST_POPS)
    lanes = [("astar", "A*", [(astar.expansions, astar.best.score)])] if astar.answers else []
    for method, name in (("rcms", "RCMS"), ("beam", "Beam")):
        lattices = (subject.run(method, budget=budget) for budget in BUDGETS)
        lanes.append((method, name, [(_contexts(lattice), _score(problem, lattice)) for lattice in lattices]))
    queues = (search_best(problem, queue=size, most=MOST_POPS) for size in BUDGETS)
    lanes.append(("queue", "Queue", sorted((one.expansions, one.best.score) for one in queues if one.answers)))
    lanes.append(("greedy", "Greedy", [(greedy.expansions, greedy.best.score)]))
    return [{"method": method, "name": name, "points": points} for method, name, points in lanes if points]


def _words(method):
    """What a builder is called, what an expansion takes, and what should be known of it."""
    return METHODS[method].heading, *(DROPPING if METHODS[method].drops else MERGING)


def _kept(subject, method, budget):
    """A builder as a search that goes position by position."""
    lattice, trace = subject.recorded(method, budget=budget)
    return as_search(lattice, trace, _score(subject.problem(), lattice))


def _contexts(lattice: Lattice) -> int:
    """How many contexts were expanded."""
    return int(lattice.offset[lattice.T])


def _score(problem, lattice):
    """The model's own score of what a lattice finds best: a merged context may have scored it by less than it sees."""
    prefix = problem.start()
    for label in rv.viterbi(lattice).labels:
        prefix = next(longer for longer in problem.extend(prefix) if problem.name(longer) == label)
    return prefix.score
