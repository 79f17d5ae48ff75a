"""Tasks that use the engine: EM on a cipher, alignments, adaptive rejection.

*EM*: a pass over 2,000 sentences of Tatoeba, RCMS 60. *Align*: a first pass over words and their sounds, n = 5, 20
contexts per cell. *ARS*: messages of ten words under 5-grams of Europarl. *POS*: the words of UD-EWT's development part
tagged under 5-grams by rejection, compared with Viterbi on the full automaton. Without the data sets, shipped models
and data are used; bounds are for the data sets.
"""

from benchmarks.case import Case
from benchmarks.timing import cpu_ms

MESSAGES, QUICK = 60, 3


def em(quick):
    """A pass of EM over the cipher."""
    from rcmviz.data import registry
    from rcmviz.learn.em import EM
    from rcmviz.tasks.decipher.words import grammar_cipher, tatoeba_cipher

    cipher = tatoeba_cipher() if registry.find("tatoeba") else grammar_cipher()
    learner = EM(cipher.model(2), cipher.lines[: 40 if quick else None], "rcms", 60)
    list(learner.run(1 if quick else 6))  # contexts reach the length that they have in training
    return cpu_ms(learner.advance)


def align(quick):
    """A first pass of a training; its features are new, which later passes do not pay for."""
    from rcmviz.align.settings import AlignTraining
    from rcmviz.align.train import AlignTrainer
    from rcmviz.data import registry
    from rcmviz.tasks.speech import examples

    source = "words" if registry.find("cmudict") and registry.find("speech") and not quick else "lexicon"
    pairs = examples.load(source).train
    settings = AlignTraining(order=5, joined=False, eta=0.2, delta=1e-4)

    def measure():
        figures = cpu_ms(AlignTrainer(pairs, settings).advance)()
        return {"CPU ms per word": figures["CPU ms"] / len(pairs)}

    return measure


def rejection(make, **settings):
    """CPU time per message."""

    def prepare(quick):
        from rcmviz.data import registry
        from rcmviz.experiments import sms_runs

        data = "europarl" if registry.find("europarl") else "shipped"
        spec = getattr(sms_runs, make)(
            data,
            sms_runs.ORDERS[data][-1],
            sentences=QUICK if quick else MESSAGES,
            look_ahead=True,
            slips=False,
            **settings,
        )
        return lambda: {"CPU ms per message": sms_runs.cell(spec)["rows"][0]["ms"]["mean"]}

    return prepare


def tagging(task, order, **settings):
    """CPU time for all sentences."""

    def prepare(quick):
        from rcmviz.data import registry
        from rcmviz.experiments import pos_runs

        data = "ud_ewt" if registry.find("ud_ewt") and not quick else "shipped"
        how = {"emissions": pos_runs.EMISSIONS[data][0], "repeats": 1, **settings}
        spec = pos_runs.tagging_spec(task, data, 3 if quick else order, **how)
        return lambda: {"CPU s": pos_runs.cell(spec)["seconds"]}

    return prepare


CASE = Case(
    "tasks",
    {
        "EM, RCMS 60": em,
        "align": align,
        "ARS, decode": rejection("decoding"),
        "ARS, sample": rejection("sampling", batch=50),
        "POS, ARS": tagging("together", 5),
        "POS, full automaton": tagging("full", 5, shared=True),
    },
    repeats=3,
    compared={"POS, ARS": "POS, full automaton"},
    bounds={
        "EM, RCMS 60: CPU ms": 300,
        "align: CPU ms per word": 1,
        "ARS, decode: CPU ms per message": 12,
        "ARS, sample: CPU ms per message": 5,
    },
)
