"""Facts of Align: how methods spell the phones of a word, and which of its alignments they have kept."""

from pages.align.runs import load_data, payload_of, phones_of, share_of
from pages.lessons.facts import fact


def _view(name):
    return fact(f"view.{name}", "align")


def _method(name):
    return fact(f"method.{name}", "align")


def _run(view, who):
    """What the view draws of RCMS, or of the other method, which may be called ``beam``."""
    runs = payload_of(view)["runs"]
    found = [run for run in runs if who == run["kind"]] or (runs[1:] if who == "beam" else [])
    if not found:
        raise ValueError(f"no method {who!r} is shown here: there are {', '.join(run['kind'] for run in runs)}")
    return found[0]


@_view("phones")
def phones(view, who):
    """The sounds of the word, in ARPAbet."""
    return " ".join(phones_of(view))


@_view("sounds")
def sounds(view, who):
    """How many sounds the word has."""
    return len(phones_of(view))


@_view("keep")
def keep(view, who):
    """How many contexts are kept in a cell."""
    return view.keep


@_view("unseen")
def unseen(view, who):
    """Whether the model has not learned from the word."""
    return share_of(view) != "learned from"


@_view("learned_from")
def learned_from(view, who):
    """How many words the model has learned from."""
    return len(load_data(view).train)


@_view("right")
def both_right(view, who):
    """Whether the word that is meant is spelled right by RCMS and by the other method."""
    return all(run["best"] and run["best"]["text"] == view.word.strip().lower() for run in payload_of(view)["runs"])


@_method("spelling")
def spelling(view, who):
    """How the method spells the sounds; none where it has kept no alignment."""
    best = _run(view, who)["best"]
    return best and best["text"]


@_method("p")
def p(view, who, text):
    """The probability of a spelling, all its alignments together; 0 where it is not among the likeliest."""
    return dict(_run(view, who)["spellings"]).get(str(text), 0.0)


@_method("confidence")
def confidence(view, who):
    """The probability of its spelling, all alignments together."""
    return p(view, who, spelling(view, who))


@_method("keeps_meant")
def keeps_meant(view, who):
    """Whether the method has kept any alignment of the meant spelling."""
    return _run(view, who)["goldLogZ"] is not None


@_method("letters_of")
def letters_of(view, who, phone):
    """The letters that the best alignment gives a sound, numbered from 1."""
    best = _run(view, who)["best"]
    return "".join(best["text"][letter] for at, letter in best["edges"] if at == phone - 1)


@_method("edge")
def edge(view, who, phone, letter):
    """The probability that a sound and a letter belong together, both numbered from 1."""
    return float(_run(view, who)["edges"][phone - 1][letter - 1])


@_method("contexts")
def contexts(view, who):
    """How many contexts were kept in all cells together."""
    return _run(view, who)["contexts"]
