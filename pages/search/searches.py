"""The tab Search: a word or a message, searched by several methods, and a race of all methods."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

import rcmviz as rv
from pages.search.code import CANDIDATES, LM, READER, keys_of
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
MOST_POPS = 2_000  # limit of expansions for a search of about a second
BUDGETS = (1, 2, 3, 5, 8, 12, 20, 35, 60)  # contexts per position, or places in the queue, of the race


HIGHEST = "The hypothesis with the highest score so far"
# Of each search: its name, the hypothesis that an expansion takes, and its guarantee.
WORDS = {
    "astar": (
        "A*",
        "The hypothesis with the highest upper bound",
        "A* adds to each score an upper bound on the rest. No later answer can be above its sum, so the first answer "
        "is the best.",
    ),
    "queue": (
        "Short queue",
        HIGHEST,
        "Scores of different lengths are compared directly, and hypotheses over the queue's size are lost.",
    ),
    "best-first": (
        "Best-first",
        HIGHEST,
        "Nothing is lost, but without a bound on the rest long hypotheses are compared with short ones directly.",
    ),
    "greedy": (
        "Greedy",
        "The only hypothesis in the queue",
        "A queue of one: the best next label, whatever comes later.",
    ),
}
# The same of a builder that proceeds by position: one that drops, and one that merges.
DROPPING = (
    "The heaviest remaining hypothesis of this position",
    "It proceeds by position: all kept contexts are extended, then the heaviest of the next position are kept, and "
    "the others are lost.",
    "are not among the kept ones",
)
MERGING = (
    "The heaviest remaining context of this position",
    "It proceeds by position and loses nothing: the others are merged (∪) into a shorter context, down to ∗, which "
    "remembers no label. Scores are masses.",
)


@dataclass(frozen=True, eq=False)
class SearchSubject:
    """A text to search: ``model`` with ``log_emit`` (None: its own), its ``title`` and its ``look`` in the payload."""

    model: object
    log_emit: np.ndarray | None
    title: str
    look: dict

    def problem(self, bound=None):
        """Return the search problem, with a bound of this look-ahead or without one."""
        return SequenceSearch(self.model, self.log_emit, bound_order=bound)

    @property
    def order(self):
        """The number of labels that the model uses: no bound uses more."""
        return self.model.scores(self.model.check_emissions(self.log_emit)).order

    def run(self, method, **options):
        """Return the lattice of a builder."""
        lattice, _ = build_lattice(method, self.model, self.log_emit, record=False, **options)
        return lattice

    def run_recorded(self, method, **options):
        """Return the lattice of a builder and its trace."""
        return build_lattice(method, self.model, self.log_emit, **options)


def subject_of(question):
    """Return the ``SearchSubject`` of a question; ValueError says what to do."""
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
    keys = keys_of(text)
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
    """Return the payload of the view; ValueError says what to do if there is none."""
    subject = subject_of(question)
    found = {
        "astar": search_best(subject.problem(question.bound), most=MOST_POPS),
        "queue": search_best(subject.problem(), queue=question.queue, most=MOST_POPS),
        "best-first": search_best(subject.problem(), most=MOST_POPS),
        "greedy": search_best(subject.problem(), queue=1, most=MOST_POPS),
    }
    kept = {method: _search_by_position(subject, method, question.queue) for method in BY_POSITION}
    runs = [Searched(search, method, *WORDS[method]) for method, search in found.items()]
    runs += [Searched(one, method, *_words(method), known=(one.answer, one.score)) for method, one in kept.items()]
    best = _best_of(subject, found["astar"])
    return build_searching(runs, _race(subject, found["astar"]), best, title=subject.title, **subject.look)


def _best_of(subject, astar):
    """Return the best output: that of A*, with full look-ahead if the chosen one has found no proof."""
    proved = astar if astar.proved else search_best(subject.problem(subject.order))
    return {"labels": list(proved.best.steps), "score": proved.best.score}


def _race(subject, astar):
    """Return the score of each method by its number of expansions; each budget or queue size is a run."""
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
    """Return the name of a builder, the context that an expansion takes, and its guarantee."""
    return METHODS[method].heading, *(DROPPING if METHODS[method].drops else MERGING)


def _search_by_position(subject, method, budget):
    """Return a builder as a search that proceeds by position."""
    lattice, trace = subject.run_recorded(method, budget=budget)
    return as_search(lattice, trace, _score(subject.problem(), lattice))


def _contexts(lattice: Lattice) -> int:
    """Return the number of expanded contexts."""
    return int(lattice.offset[lattice.T])


def _score(problem, lattice):
    """Return the model's score of a lattice's best output; a merged context may have used a shorter history."""
    prefix = problem.start()
    for label in rv.viterbi(lattice).labels:
        prefix = next(longer for longer in problem.extend(prefix) if problem.name(longer) == label)
    return prefix.score
