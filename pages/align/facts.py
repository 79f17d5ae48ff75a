"""Facts of Align: the spellings of the methods, their probabilities, and the kept alignments."""

from pages.align.inputs import data_role, load_data, phones_of
from pages.shell.answers import payload_of
from pages.shell.registry import page_named

LEAST = 0.01  # least probability of a drawn line


def source(question):
    """Return the question: some facts are not in its answer."""
    return question


def points(question, view_state, payload):
    """Return the lines and cells of each method; on the learning tab the slider through the checkpoints."""
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
    """Return the run of RCMS, or of the other method, which may be called ``beam``."""
    runs = _runs(question)
    found = [run for run in runs if method == run["kind"]] or (runs[1:] if method == "beam" else [])
    if not found:
        raise ValueError(f"no method {method!r} is shown here: there are {', '.join(run['kind'] for run in runs)}")
    return found[0]


def phones(question):
    """The sounds of the word, in ARPAbet."""
    return " ".join(phones_of(question))


def sounds(question):
    """The number of sounds of the word."""
    return len(phones_of(question))


def keep(question):
    """The number of contexts kept per cell."""
    return question.keep


def unseen(question):
    """Whether the word is not in the training data."""
    return data_role(question) != "learned from"


def learned_from(question):
    """The number of training words."""
    return len(load_data(question).train)


def right(question):
    """Whether RCMS and the other method spell the meant word right."""
    return all(run["best"] and run["best"]["text"] == question.word.strip().lower() for run in _runs(question))


def spelling(question, method):
    """The method's spelling of the sounds; none if it has kept no alignment."""
    best = _run(question, method)["best"]
    return best and best["text"]


def p(question, method, text):
    """The probability of a spelling, summed over its alignments; 0 if it is not among the likeliest."""
    return dict(_run(question, method)["spellings"]).get(str(text), 0.0)


def confidence(question, method):
    """The probability of the method's spelling, summed over its alignments."""
    return p(question, method, spelling(question, method))


def keeps_meant(question, method):
    """Whether the method has kept any alignment of the meant spelling."""
    return _run(question, method)["goldLogZ"] is not None


def letters_of(question, method, phone):
    """The letters of a sound in the best alignment; sounds are numbered from 1."""
    best = _run(question, method)["best"]
    return "".join(best["text"][letter] for at, letter in best["edges"] if at == phone - 1)


def edge(question, method, phone, letter):
    """The probability that a sound and a letter, numbered from 1, are aligned."""
    return float(_run(question, method)["edges"][phone - 1][letter - 1])


def contexts(question, method):
    """The number of contexts in all cells together."""
    return _run(question, method)["contexts"]
