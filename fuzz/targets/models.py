"""npz files: models, checkpoints of trainings, problems. Accepted files must answer the usual queries."""

import io
from functools import cache

import numpy as np

import rcmviz as rv
from fuzz.damage import damage_npy, damage_npz, pack_npz
from fuzz.files import as_file, fixtures, saved_bytes
from fuzz.target import target
from fuzz.targets.documents import ask_problem
from rcmviz.align.infer import Aligner
from rcmviz.align.model import AlignModel
from rcmviz.core.problems.problem_file import parse_content
from rcmviz.core.shared.npz import read_npz
from rcmviz.ctc_decoding.file import parse_frames, parse_labels
from rcmviz.tasks.tagging.tagger import Tagger

SENTENCES = [
    line.split() for line in ("the cat sat", "a dog ran", "the dog sat", "a cat ran far", "the end", "a dog sat far")
]
TEXT = SENTENCES * 4
TAGS = [["D", "N", "V", "A"][: len(sentence)] for sentence in SENTENCES]
X = [[{"a": 1.0, "b": "x"}, {"a": 0.5}], [{"b": "y"}]]
Y = [["u", "v"], ["u"]]


def fitted(kind, *given, **settings):
    """The bytes of a model that was fitted."""
    return saved_bytes(kind(**settings).fit(*given).save)


@cache
def words():
    """Return the training data of the fixtures' checkpoints."""
    rows = [
        [[((7 * w + 3 * t + 5 * f + "abc".index(y) * (f + 1)) % 4) / 2 for f in range(4)] for t, y in enumerate(word)]
        for w, word in enumerate(["abcab", "cabca", "bca", "abc", "cab", "abcabc"])
    ]
    return rv.Sequences.from_arrays(rows, ["abcab", "cabca", "bca", "abc", "cab", "abcabc"], "abc")


@target("model-npz", lambda: fixtures("model-[as]*.npz"), damage_npz)
def model(content):
    found = rv.load_model(str(as_file(content, "model.npz")))
    log_emit = np.linspace(-1, 1, 3 * len(found.labels)).reshape(3, -1)
    lattice, trace = rv.rcms(found, log_emit, 3)
    beam, _ = rv.beam(found, log_emit, 2)
    batch = rv.infer_batch(found, [log_emit], "rcms", 3, posterior=True)
    saved_bytes(found.save)
    return rv.posterior(lattice), rv.log_z(beam), batch, trace.log_mass, found.emission


def frames_of(kind):
    """Frames of two labels and a blank."""
    shares = np.array([[0.6, 0.1, 0.3], [0.1, 0.2, 0.7], [0.2, 0.6, 0.2]])
    if kind == "npz":
        return pack_npz({"log_probs": np.log(shares), "labels": np.array(["a", "b", "<blank>"])})
    content = io.BytesIO()
    np.save(content, shares)
    return content.getvalue()


@target(
    "frames-npz",
    lambda: {"frames": frames_of("npz")},
    damage_npz,
    read=lambda content: parse_frames(content, "frames.npz"),
)
def frames_npz(content):
    return ask_frames(parse_frames(content, "frames.npz"))


@target(
    "frames-npy",
    lambda: {"frames": frames_of("npy")},
    damage_npy,
    read=lambda content: parse_frames(content, "frames.npy", parse_labels(b"a\nb\n", "labels.txt")),
)
def frames_npy(content):
    return ask_frames(parse_frames(content, "frames.npy", parse_labels(b"a\nb\n", "labels.txt")))


def ask_frames(frames):
    """Run the usual queries of frames, also for targets of texts."""
    read = rv.ctc(frames.log_probs, frames.labels, None, 3, blank=frames.blank)
    return frames.log_probs, (read.best.log_score, read.posterior) if read.log_z > -np.inf else read.log_z


@target("language-model-npz", lambda: fixtures("lm-*.npz"), damage_npz)
def language_model(content):
    return ask_language_model(rv.load_lm(str(as_file(content, "lm.npz"))))


def ask_language_model(lm):
    """Run the usual queries of a language model, also for targets of ARPA files."""
    known = [word for word in lm.vocabulary if word not in ("<s>", "</s>", "<unk>")][:3] or ["x"]
    answers = [lm.log_prob(word, (known[0],)) for word in known], lm.next_words((known[0],), 3)
    if all(lm.word_id(word) >= 0 for word in known):
        hmm = rv.HMM(lm, [known] * 3, [np.zeros(len(known))] * 3, end=lm.end >= 0)
        best, trace = rv.ars_decode(hmm, max_iterations=200)
        lattice, _ = rv.rcms(hmm, budget=3)
        answers += best, rv.posterior(lattice), lm.max_log_prob(known[0]), trace.lattice(1).score
    return answers


@target("tagger-npz", lambda: fixtures("tagger.npz"), damage_npz)
def tagger(content):
    found = Tagger.load(as_file(content, "tagger.npz"))
    return found.tag(["the", "Cats", "zzz"], budget=3)


@target("alignment-npz", lambda: fixtures("align-*.npz"), damage_npz)
def alignment(content):
    found = AlignModel.load(as_file(content, "align.npz"))
    aligner = Aligner(found, budget=3).forward(np.zeros(2, np.int64))
    return aligner.log_z, aligner.best()


@target("classifier-npz", lambda: fixtures("model-of-*.npz") | fixtures("classifier.npz"), damage_npz)
def classifier(content):
    found = rv.SequenceClassifier.load(as_file(content, "classifier.npz"))
    return found.predict_proba([[{"2": "the"}, {}]]), found.predict(X)


@target("checkpoint-npz", lambda: fixtures("training-*.npz"), damage_npz)
def checkpoint(content):
    trainer = rv.Trainer.resume(as_file(content, "training.npz"), words())
    trainer.advance(2)
    return trainer.model("f8").weights


@cache
def searn_files():
    """A classifier and a checkpoint of learning to search."""
    trainer = rv.SearchTrainer(words(), rv.SearchTraining(iterations=2, epochs=1))
    trainer.iterate()
    return {
        "classifier": fitted(rv.SearchClassifier, X, Y, iterations=2, epochs=1),
        "checkpoint": saved_bytes(trainer.save),
    }


@target("searn-npz", lambda: {"classifier": searn_files()["classifier"]}, damage_npz)
def searn(content):
    found = rv.SearchClassifier.load(as_file(content, "searn.npz"))
    return found.predict(X), found.explain(X[0], Y[0], 1)


@target("searn-checkpoint-npz", lambda: {"checkpoint": searn_files()["checkpoint"]}, damage_npz)
def searn_checkpoint(content):
    return rv.SearchTrainer.resume(as_file(content, "searn.npz"), words(), iterations=3).iterate().mixture


@cache
def field_files():
    """Small fields of full and of low rank, a checkpoint of one, a tagger."""
    trainer = rv.MarkovField(size=None, max_steps=2).trainer(TEXT)
    trainer.advance()
    return {
        "full": fitted(rv.MarkovField, TEXT, size=None, max_steps=3),
        "low": fitted(rv.MarkovField, TEXT, size=None, rank=2, max_steps=3),
        "checkpoint": saved_bytes(trainer.save),
        "tagger": fitted(rv.FieldTagger, SENTENCES, TAGS, max_steps=3, rare=1),
    }


@target("field-npz", lambda: {name: field_files()[name] for name in ("full", "low")}, damage_npz)
def field(content):
    found = rv.load_field(str(as_file(content, "field.npz")))
    return found.fill(["the"], ["sat"], 3), found.log_prob(["the", "cat"]), found.neighbours("cat", 2)


@target("field-checkpoint-npz", lambda: {"checkpoint": field_files()["checkpoint"]}, damage_npz)
def field_checkpoint(content):
    return rv.MarkovField(size=None, max_steps=3).trainer(TEXT, resume=as_file(content, "field.npz")).advance()


@target("field-tagger-npz", lambda: {"tagger": field_files()["tagger"]}, damage_npz)
def field_tagger(content):
    found = rv.load_field_tagger(str(as_file(content, "tagger.npz")))
    return found.predict([["the", "Cats"]]), found.reasons(["the", "dog"], 1, "N")


def problem_samples():
    """Problems as npz, with everything that one can hold."""
    scores = np.log(
        [[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]],
        where=[[True] * 2, [True] * 2, [True, False]],
        out=np.full((3, 2), -np.inf),
    )
    whole = {
        "log_emit": scores,
        "labels": np.array(["a", "b"]),
        "transitions": np.eye(2),
        "start": np.zeros(2),
        "forgotten": np.ones(2),
        "gold": np.array(["a", "b", "a"]),
        "tokens": np.array(["x", "y", "z"]),
        "notes": np.array(["", "here", ""]),
        "images": np.zeros((3, 4, 2), np.uint8),
        "name": np.array("n"),
        "title": np.array("t"),
    }
    return {"whole": pack_npz(whole), "logits": pack_npz({"logits": np.ones((2, 3), "f4"), "gold": np.array([0, 2])})}


@target("problem-npz", problem_samples, damage_npz)
def problem(content):
    return ask_problem(parse_content(content, "problem.npz"))


@target("problem-npy", lambda: {"logits": saved_array(np.ones((2, 3))), "after": saved_array(np.eye(3))}, damage_npy)
def problem_array(content):
    table = ("after.npy", content) if content.count(b"(3, 3)") else None
    return ask_problem(parse_content(saved_array(np.ones((2, 3))) if table else content, "problem.npy", None, table))


def saved_array(array):
    """An array as the bytes of an npy."""
    path = as_file(b"", "array.npy")
    np.save(path, array)
    return path.read_bytes()


@target("any-npz", lambda: fixtures("model-trained.npz") | problem_samples(), damage_npz)
def arrays(content):
    return list(read_npz(as_file(content, "any.npz"), "thing", "make it again"))
