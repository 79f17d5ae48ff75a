"""Facts of Field: the ring and its bounds, words for a blank, neighbours of a word."""

import rcmviz as rv
from pages.field.models import model_of
from pages.field.runs import payload_of
from pages.lessons.facts import fact


def _view(name):
    return fact(f"view.{name}", "field")


def _bounds(view):
    return [step["bound"] for step in _shown(view, "lifting")["steps"]]


def _shown(view, tab):
    if view.tab != tab:
        raise ValueError(f"this is told on the tab {tab}, view={tab}")
    return payload_of(view)


@_view("tokens")
def tokens(view, who):
    """How many tokens the ring has, separators included."""
    return len(_shown(view, "lifting")["ring"])


@_view("words")
def words(view, who):
    """How many different tokens there are."""
    return len(_shown(view, "lifting")["words"])


@_view("edges")
def edges(view, who):
    """How many edges the ring has."""
    return len(_shown(view, "lifting")["ring"]) * view.order


@_view("steps")
def steps(view, who):
    """How many steps the tightening took."""
    return len(_bounds(view))


@_view("bound")
def bound(view, who, step=None):
    """The star bound on log Z per token after a step of the tightening; the last one where none is said."""
    return _bounds(view)[-1 if step is None else step - 1]


@_view("chain")
def chain(view, who):
    """The chain bound on log Z per token."""
    return _shown(view, "lifting")["chain"]


@_view("chain_is")
def chain_is(view, who):
    """``exact`` where the chain bound is the truth, to six digits, else ``close``."""
    shown = _shown(view, "lifting")
    return "exact" if abs(shown["chain"] - shown["exact"]) < 1e-6 else "close"


@_view("exact")
def exact(view, who):
    """Log Z per token of the ring, exactly."""
    return _shown(view, "lifting")["exact"]


@_view("fill")
def fill(view, who, rank=1):
    """The word of a rank for the blank, the likeliest first."""
    return _ranked(view)[rank - 1][0]


@_view("p")
def p(view, who, word):
    """The probability of a word in the blank, given the words on both sides."""
    return dict(_ranked(view)).get(str(word), 0.0)


@_view("p_left")
def p_left(view, who, word):
    """The probability that a trigram gives a word in the blank, which sees only what comes before."""
    return dict(_shown(view, "blank")["following"]["words"]).get(str(word), 0.0)


@_view("fill_left")
def fill_left(view, who, rank=1):
    """The word of a rank by that trigram."""
    return _shown(view, "blank")["following"]["words"][rank - 1][0]


@_view("edge")
def edge(view, who, word, slot):
    """What a neighbour says for a word in the blank, in nats; neighbours are numbered from 1, left to right."""
    shown = _shown(view, "blank")
    return shown["edges"][slot - 1][shown["words"].index(str(word))]


def _ranked(view):
    shown = _shown(view, "blank")
    return sorted(zip(shown["words"], shown["p"], strict=True), key=lambda pair: -pair[1])


@_view("neighbour")
def neighbour(view, who, word, rank=1):
    """The word of a rank among those whose vectors have the most similar direction."""
    field: rv.MarkovField = model_of(view.model).field
    return field.neighbours(str(word), rank)[rank - 1][0]
