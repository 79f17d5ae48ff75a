"""Facts of Align: how methods spell the phones of a word, and which of its alignments they have kept."""

from pages.align.inputs import load_data, phones_of, share_of
from pages.shell.answers import payload_of
from pages.shell.registry import page_named

LEAST = 0.01  # probability of an alignment's line that is drawn


def source(question):
    """Facts ask the question: some are not of its answer."""
    return question


def points(question, view_state, payload):
    """The lines and cells of each method; of the strategies the slider through their checkpoints."""
    if question.tab == "learning":
        return {"slider": [{"checkpoint"}]}
    runs = payload()["runs"]
    lines = [
        {f"{a}.{i}" for a, row in enumerate(run["edges"], 1) for i, p in enumerate(row, 1) if p >= LEAST}
        for run in runs
    ]
    cells = [{f"{cell['a']}.{cell['i']}" for cell in run["cells"]} for run in runs]
    return {"slider": [{"cell"}], "line": lines, "cell": cells}


def _runs(question):
    return payload_of(page_named("align"), question)["runs"]


def _run(question, method):
    """What the view draws of RCMS, or of the other method, which may be called ``beam``."""
    runs = _runs(question)
    found = [run for run in runs if method == run["kind"]] or (runs[1:] if method == "beam" else [])
    if not found:
        raise ValueError(f"no method {method!r} is shown here: there are {', '.join(run['kind'] for run in runs)}")
    return found[0]


def phones(question):
    """The sounds of the word, in ARPAbet."""
    return " ".join(phones_of(question))


def sounds(question):
    """How many sounds the word has."""
    return len(phones_of(question))


def keep(question):
    """How many contexts are kept in a cell."""
    return question.keep


def unseen(question):
    """Whether the model has not learned from the word."""
    return share_of(question) != "learned from"


def learned_from(question):
    """How many words the model has learned from."""
    return len(load_data(question).train)


def right(question):
    """Whether the word that is meant is spelled right by RCMS and by the other method."""
    return all(run["best"] and run["best"]["text"] == question.word.strip().lower() for run in _runs(question))


def spelling(question, method):
    """How the method spells the sounds; none where it has kept no alignment."""
    best = _run(question, method)["best"]
    return best and best["text"]


def p(question, method, text):
    """The probability of a spelling, all its alignments together; 0 where it is not among the likeliest."""
    return dict(_run(question, method)["spellings"]).get(str(text), 0.0)


def confidence(question, method):
    """The probability of its spelling, all alignments together."""
    return p(question, method, spelling(question, method))


def keeps_meant(question, method):
    """Whether the method has kept any alignment of the meant spelling."""
    return _run(question, method)["goldLogZ"] is not None


def letters_of(question, method, phone):
    """The letters that the best alignment gives a sound, numbered from 1."""
    best = _run(question, method)["best"]
    return "".join(best["text"][letter] for at, letter in best["edges"] if at == phone - 1)


def edge(question, method, phone, letter):
    """The probability that a sound and a letter belong together, both numbered from 1."""
    return float(_run(question, method)["edges"][phone - 1][letter - 1])


def contexts(question, method):
    """How many contexts were kept in all cells together."""
    return _run(question, method)["contexts"]
