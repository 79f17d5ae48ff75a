"""Odd arguments for every public function, class and method: a call is a line of Python, so a corpus file is one.

A call that works is made by the signature: every argument has a sample by its name (``SAMPLES``). One or two of them,
or of those with defaults, then become odd values (``ODD``), or samples of other arguments.
"""

from __future__ import annotations

import inspect
from functools import cache
from random import Random

import numpy as np

import rcmviz as rv
from fuzz.files import fixtures, folder
from fuzz.target import target
from fuzz.targets.models import SENTENCES, TAGS, TEXT, X, Y, words
from rcmviz import plot

ODD = (
    "None",
    "True",
    "-1",
    "0",
    "1",
    "2",
    "0.5",
    "2.5",
    "-0.0",
    "1e-300",
    "1e16",
    "-1e16",
    "1e308",
    "2**31",
    "2**63",
    "-(2**63)",
    "10**40",
    "float('nan')",
    "float('inf')",
    "-float('inf')",
    "3+4j",
    "''",
    "'x'",
    "'é'",
    "'\\0'",
    "'*'",
    "'^'",
    "'a' * 3000",
    "b'ab'",
    "[]",
    "()",
    "{}",
    "[[]]",
    "[[], []]",
    "[[1, 2], [3]]",
    "[None]",
    "['a', 'a']",
    "{'a': 1}",
    "{1: 2}",
    "{0: -1}",
    "[(1, 'a')]",
    "[(0, 'a')]",
    "[(99, 'a')]",
    "[('a', 1)]",
    "set()",
    "object()",
    "repr",
    "range(3)",
    "iter([1])",
    "np.zeros(0)",
    "np.zeros((0, 2))",
    "np.zeros((3, 0))",
    "np.zeros((2, 2, 2))",
    "np.full((3, 2), np.nan)",
    "np.full((3, 2), -np.inf)",
    "np.full((3, 2), 1e16)",
    "np.full((3, 2), -1e300)",
    "np.array([1, 2, 3], '>i4')",
    "np.array(['a', 'b'])",
    "np.array([None, 1], object)",
    "np.array([2**62, -(2**62) - 1, 3])",
    "np.int8(3)",
    "np.float32(0.1)",
    "np.bool_(True)",
    "np.arange(6)[::-2]",
    "np.ones((3, 2), '>f8')",
    "np.ones((3, 2), bool)",
    "np.array('2020', 'M8[Y]')",
    "'rcms'",
    "'beam'",
    "'exact'",
    "'f4'",
    "'/no/such/file'",
    "folder",
    "rv",
    "model",
    "lattice",
    "trace",
    "lm",
    "hmm",
)
HUGE = {"1e16", "1e308", "2**31", "2**63", "10**40", "float('inf')"}
EFFORT = {  # of these a huge number only asks for a lot of work
    "epochs",
    "iterations",
    "max_steps",
    "patience",
    "examples",
    "batch",
    "max_iterations",
    "max_trials",
    "every",
    "seconds",
    "passes",
    "n_jobs",
    "threads",
    "report",
    "shown",
    "look_ahead",
    "most",
    "beyond",
}
SAMPLES = {
    "model": "model",
    "log_emit": "emit",
    "log_emits": "[emit, emit[:1]]",
    "lattice": "lattice",
    "trace": "trace",
    "gold": "'abab'",
    "hmm": "hmm",
    "lm": "lm",
    "candidates": "[['the', 'a'], ['cat', 'dog']]",
    "log_obs": "[[0.0, -1.0], [0.0, -2.0]]",
    "k": "2",
    "n": "2",
    "seed": "1",
    "labels": "'abab'",
    "pattern": "'a?*'",
    "sequence": "sequences.take([0])",
    "sentences": "sentences",
    "settings": "rv.Training(epochs=1)",
    "data": "sequences",
    "path": "made('file')",
    "y_": "1",
    "path_or_text": "problem_text",
    "source": "lattice_text",
    "name": "'x'",
    "problem": "rv.SequenceSearch(model, emit)",
    "shown": "lattice",
    "window": "('a', 'b')",
    "index": "{'a': 0, 'b': 1}",
    "features": "features",
    "position": "1",
    "length": "1",
    "codes": "np.array([0, 1])",
    "context": "('a',)",
    "weights": "{('a', 'b'): 1.0}",
    "log_probs": "np.log(np.full((4, 3), 1 / 3))",
    "order": "1",
    "mode": "'single'",
    "keys": "np.array([0])",
    "vocabulary": "lm.vocabulary",
    "tables": "tables",
    "trie": "lm.trie",
    "counts": "lm.counts",
    "words": "['the', 'cat']",
    "word": "'cat'",
    "ngrams": "[[0, 1]]",
    "histories": "[[0], [1]]",
    "ids": "[0, 1, 2]",
    "offset": "[0, 2, 3]",
    "path_": "[0, 1]",
    "X": "X",
    "y": "Y",
    "x": "X[0]",
    "left": "['the']",
    "right": "['sat']",
    "tokens": "'abab'",
    "sentence": "['the', 'cat']",
    "text": "'the cat'",
    "state": "field.history_[-1]",
    "hypothesis": "start",
    "known": "(0,)",
    "F": "2",
    "start": "[0, 1, 2, 3]",
    "feature": "[0, 1, 0]",
    "value": "[1.0, 0.5, 2.0]",
    "lengths": "[2, 1]",
    "emission": "np.zeros((3, 2))",
    "which": "[0]",
    "values": "settings_dict",
    "trainer": "field_trainer()",
    "c": "1",
    "i": "1",
    "m": "0",
    "fate": "'kept'",
    "rank": "1",
    "share": "0.5",
    "hmms": "[hmm, hmm]",
    "into": "'*'",
    "lattices": "{'RCMS': lattice, 'beam': lattice}",
    "runs": "{'RCMS': trace}",
    "answers": "{'RCMS': ([0.9, 0.6, 0.4], [True, True, False])}",
    "iterations": "1",
    "among": "'ab'",
    "epoch": "0",
    "report": "None",
    "tag": "'N'",
    "scores": "emit",
    "scorer": "lm",
    "check": "None",
    "names": "['eta']",
    "ranges": "{}",
}
OWN = {  # (function, argument) → sample, where the name alone does not say
    ("lm.log_rows", "words"): "[0, 1]",
    ("rv.ctc", "labels"): "'ab'",
    ("rv.LanguageModel.from_weights", "labels"): "'ab'",
    ("rv.ScorerModel", "labels"): "['the', 'cat']",
    ("lm.scorer", "labels"): "['the', 'cat']",
    ("scored.check_emissions", "log_emit"): "np.zeros((2, 3))",
    ("scored.scores", "log_emit"): "np.zeros((2, 3))",
    ("rv.log_prob", "labels"): "'abab'",
    ("rv.load_model", "name"): "made('model')",
    ("rv.load_field", "name"): "made('field')",
    ("rv.load_field_tagger", "name"): "made('tags')",
    ("rv.read_trace", "source"): "trace_text",
    ("rv.read_arpa", "path"): "made('lm.arpa')",
    ("rv.read_sequences", "path"): "made('x.conll')",
    ("rv.train_lm", "sentences"): "sentences",
    ("rv.train", "data"): "sequences",
    ("rv.NgramModel", "labels"): "('a', 'b')",
    ("rv.NgramModel", "weights"): "np.ones((1, 2))",
    ("rv.NgramModel.from_windows", "labels"): "'ab'",
    ("rv.Sequences", "labels"): "('a', 'b')",
    ("rv.Sequences", "start"): "[0, 1, 2, 3]",
    ("rv.Sequences", "offset"): "[0, 2, 3]",
    ("rv.Sequences", "gold"): "[0, 1, 0]",
    ("rv.Sequences.from_arrays", "features"): "[[[1.0, 2.0], [0.0, 1.0]], [[1.0, 1.0]]]",
    ("rv.Sequences.from_arrays", "gold"): "['ab', 'a']",
    ("rv.Sequences.from_arrays", "labels"): "'ab'",
    ("rv.Sequences.from_entries", "labels"): "'ab'",
    ("rv.NgramModel.load", "path"): "made('model')",
    ("rv.LanguageModel.load", "path"): "made('lm')",
    ("rv.MarkovField.load", "path"): "made('field')",
    ("rv.FieldTagger.load", "path"): "made('tags')",
    ("rv.SequenceClassifier.load", "path"): "made('classifier')",
    ("rv.SearchClassifier.load", "path"): "made('searn')",
    ("rv.Trainer.resume", "path"): "made('training')",
    ("rv.SearchTrainer.resume", "path"): "made('search-training')",
    ("hmm.names", "path"): "[0, 1]",
    ("hmm.check_emissions", "log_emit"): "None",
    ("hmm.scores", "log_emit"): "hmm.log_emit",
    ("model.log_emit", "features"): "np.ones((2, 2))",
    ("rv.SearchTraining.from_dict", "values"): "rv.SearchTraining().to_dict()",
    ("rv.SearchTrainer", "settings"): "rv.SearchTraining(iterations=1, epochs=1)",
    ("field_tagger.predict", "X"): "sentences",
    ("field_tagger.accuracy", "X"): "sentences",
    ("field_tagger.accuracy", "y"): "tags",
    ("field_tagger.score", "X"): "sentences",
    ("field_tagger.score", "y"): "tags",
    ("rv.FieldTagger(max_steps=1).fit", "X"): "sentences",
    ("rv.FieldTagger(max_steps=1).fit", "y"): "tags",
    ("field.score", "sentences"): "sentences",
    ("lattice.indices_of", "labels"): "'ab'",
    ("lattice.find", "name"): "'*'",
    ("trace.sentence", "name"): "'a'",
    ("rv.LanguageModel", "vocabulary"): "lm.vocabulary",
    ("search.explain", "y"): "Y[0]",
    ("rv.explain_update", "settings"): "rv.Training()",
    ("lm.score_words", "ids"): "[0, 1, 2]",
    ("rv.plot.label_posteriors", "gold"): "'abab'",
    ("field.bound", "sentences"): "sentences",
    ("rv.read_problem", "labels"): "None",
    ("classifier.problem", "y"): "Y[0]",
    ("rv.Trace", "label"): "trace.label",
    ("rv.show", "gold"): "None",
    ("lattice.label_of", "y"): "1",
    ("lattice.name_of", "y"): "1",
    ("field.log_z", "tokens"): "9",
    ("rv.MarkovField(size=None, max_steps=1).take", "state"): "field_trainer().advance()",
    ("model.address_of_window", "window"): "('a', 'a', 'b')",
    ("search.read", "data"): "numbered",
    ("rv.Sequences.from_entries", "gold"): "['ab', 'a']",
    ("sequences.log_emits", "emission"): "np.zeros((5, 3))",
    ("sequences.stacked_log_emits", "emission"): "np.zeros((5, 3))",
    ("trace.sentence", "fate"): "0",
    ("trace.sentence", "into"): "1",
    ("rv.load_lm", "name"): "made('lm.arpa')",
    ("rv.load_tagger", "name"): "made('tagger.npz')",
    ("rv.explain_update", "sequence"): "sequences.take([0])",
    ("rv.explain_update", "model"): "trained",
    ("lm.score_words", "offset"): "[0, 2, 3]",
}
FIELDS = {"rv.Lattice": "lattice", "rv.Trace": "trace"}  # classes whose arguments are those of a sample
INSTANCES = {
    "NgramModel": "model",
    "HMM": "hmm",
    "LanguageModel": "lm",
    "Lattice": "lattice",
    "Trace": "trace",
    "Problem": "problem",
    "SequenceSearch": "sequence_search",
    "Sequences": "sequences",
    "Training": "rv.Training()",
    "SearchTraining": "rv.SearchTraining()",
    "Trainer": "rv.Trainer(sequences, rv.Training(epochs=1))",
    "SearchTrainer": "rv.SearchTrainer(sequences, rv.SearchTraining(iterations=1, epochs=1))",
    "SequenceClassifier": "classifier",
    "SearchClassifier": "search",
    "MarkovField": "field",
    "FieldTagger": "field_tagger",
    "ScorerModel": "scored",
}
FITTED = {
    "SequenceClassifier": "rv.SequenceClassifier(epochs=1)",
    "SearchClassifier": "rv.SearchClassifier(iterations=1, epochs=1)",
    "MarkovField": "rv.MarkovField(size=None, max_steps=1)",
    "FieldTagger": "rv.FieldTagger(max_steps=1)",
}

CHANGES = ("fit", "trainer", "finish", "take")  # methods that change their object
STATES = ("TrainingState", "IterationState", "TrainState")  # which have fields that are not known yet
GIVEN = ("log_emit",)  # arguments with defaults that are always given


@cache
def names():
    """Return the names that calls may use."""
    model = rv.NgramModel.from_windows("ab", 2, {("*", "a", "b"): 1.0, ("^", "^", "a"): 0.5}, emission=np.ones((3, 2)))
    emit = np.array([[0.0, 1.0], [0.5, -1.0], [-0.5, 0.0], [0.0, 0.25]])
    lattice, trace = rv.rcms(model, emit, 2)
    lm = rv.train_lm(SENTENCES, order=2)
    sequences = words()
    found = {
        "rv": rv,
        "np": np,
        "plot": plot,
        "model": model,
        "emit": emit,
        "lattice": lattice,
        "trace": trace,
        "lm": lm,
        "hmm": rv.HMM(lm, [["the", "a"], ["cat", "dog"]], [[0.0, -1.0], [0.0, -2.0]]),
        "problem": rv.Problem(model, emit, tuple("abab")),
        "sequences": sequences,
        "sentences": SENTENCES,
        "tags": TAGS,
        "X": X,
        "Y": Y,
        "folder": str(folder()),
        "made": made,
        "features": np.ones((3, 4)),
        "sequence_search": rv.SequenceSearch(model, emit),
        "settings_dict": rv.Training().to_dict(),
        "classifier": rv.SequenceClassifier(epochs=1).fit(X, Y),
        "search": rv.SearchClassifier(iterations=1, epochs=1).fit(X, Y),
        "field": rv.MarkovField(size=None, max_steps=2).fit(TEXT),
        "field_tagger": rv.FieldTagger(max_steps=2, rare=1).fit(SENTENCES, TAGS),
        "field_trainer": lambda: rv.MarkovField(size=None, max_steps=2).trainer(TEXT),
        "lattice_text": lattice.to_json(),
        "trace_text": trace.to_json(),
        "trained": rv.Trainer(sequences, rv.Training()).model(),
        "problem_text": rv.Problem(model, emit).to_json(),
        "tables": tables(lm),
        "scored": rv.ScorerModel(lm, ["the", "cat", "dog"]),
    }
    found["start"] = found["sequence_search"].start()
    found["numbered"] = found["search"].encoder_.encode(X)
    return found


def tables(lm):
    """The tables of a language model, as ``from_tables`` takes them."""
    from rcmviz.lm.shorten import ngram_tables

    return ngram_tables(lm)


def made(name):
    """A path of the child's folder; models are written there by their own ``save``, once."""
    path = folder() / f"call-{name}"
    if not path.exists():
        whole = names()
        save = {
            "model": whole["model"].save,
            "lm": whole["lm"].save,
            "field": whole["field"].save,
            "tags": whole["field_tagger"].save,
            "classifier": whole["classifier"].save,
            "searn": whole["search"].save,
            "lm.arpa": whole["lm"].write_arpa,
            "training": rv.Trainer(words(), rv.Training(epochs=1)).save,
            "search-training": rv.SearchTrainer(words(), rv.SearchTraining(iterations=1, epochs=1)).save,
            "tagger.npz": lambda path: path.write_bytes(next(iter(fixtures("tagger.npz").values()))),
            "x.conll": lambda path: path.write_text("the DET\ncat NOUN\n", encoding="utf-8"),
        }.get(name)
        if save:
            save(path)
    return str(path)


@cache
def calls():
    """Return ``{call: {argument: sample}}`` of arguments without defaults, and ``{call: [argument, …]}``."""
    required, known = {}, {}
    for called, function in public():
        parameters = [one for one in inspect.signature(function).parameters.values() if one.name not in ("self", "cls")]
        parameters = [one for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
        known[called] = [one.name for one in parameters]
        required[called] = {
            one.name: sample(called, one.name) for one in parameters if one.default is one.empty or one.name in GIVEN
        }
    return required, known


def sample(called, argument):
    """Return the usual value of an argument."""
    if called in FIELDS:
        return f"{FIELDS[called]}.{argument}"
    return OWN.get((called, argument)) or SAMPLES[argument]


def public():
    """Yield (name in a call, function) of every public function, class and method."""
    for name in sorted(rv.__all__):
        thing = getattr(rv, name)
        if inspect.ismodule(thing):
            yield from ((f"rv.{name}.{part}", getattr(thing, part)) for part in thing.__all__)
        elif inspect.isclass(thing):
            yield f"rv.{name}", thing
            for part, method in inspect.getmembers(thing, callable):
                if not part.startswith("_") and (getattr(method, "__module__", None) or "").startswith("rcmviz"):
                    of_class = inspect.ismethod(method)
                    instance = FITTED.get(name, INSTANCES[name]) if part in CHANGES else INSTANCES[name]
                    yield f"{f'rv.{name}' if of_class else instance}.{part}", method
        elif callable(thing) and name != "show":  # which is of notebooks, and an extra
            yield f"rv.{name}", thing


def usual_calls():
    """Every call with its samples alone."""
    required, _ = calls()
    return {called: written(called, given).encode() for called, given in required.items()}


def written(called, given):
    """A call as Python."""
    return f"{called}({', '.join(f'{name}={value}' for name, value in given.items())})"


def with_odd_arguments(random: Random, samples: list[bytes]) -> bytes:
    """A call in which one to three arguments are odd."""
    required, known = calls()
    called = random.choice(list(known))
    given = dict(required[called])
    for argument in random.sample(known[called], min(len(known[called]), random.choice((1, 1, 1, 2, 3)))):
        value = random.choice(ODD) if random.random() < 0.85 else random.choice(list(SAMPLES.values()))
        given[argument] = "1" if argument in EFFORT and value in HUGE else value
    return written(called, given).encode()


@target("calls", usual_calls, with_odd_arguments)
def call(content):
    answer = eval(content.decode(), dict(names()))
    has_unknown = type(answer).__name__ in STATES or content.startswith(b"field_tagger.accuracy")  # NaN: there are none
    return None if has_unknown else answer
