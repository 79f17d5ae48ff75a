"""Runs for the figures and tables of Jernite, Rush and Sontag (2015): texts, fields, and the models compared with them.

WikiText-2 in the place of the Penn Treebank, learnt from its training part and measured on its validation part; where
it is not at hand, sentences of our own grammar. Nothing is chosen on the validation part: early stopping and settings
look at the end of the training part. A cell is given a spec, a dict that JSON can write, and returns such a dict.
"""

import time
from collections import Counter
from collections.abc import Iterator
from math import log

from rcmviz.data.registry import need
from rcmviz.experiments import trainings
from rcmviz.experiments.log_bilinear import LogBilinear
from rcmviz.lm.text import read_sentences
from rcmviz.lm.train import train_lm
from rcmviz.mrf.field import MarkovField
from rcmviz.mrf.moments import moments_of
from rcmviz.mrf.star import star_bound
from rcmviz.mrf.vocabulary import encode, read_corpus
from rcmviz.tasks.decipher import grammar

ORDER = 2
ENDS = (".", "!", "?")
SOURCES = ("experiments/mrf_runs.py", "experiments/log_bilinear.py", "lm", "mrf")  # they decide an outcome
EXACT_SIZE = 2_000  # words up to which the exact references are taken
CHAIN_SIZE = 1_000
DESCRIBED = {
    "wikitext2": "WikiText-2, as it is tokenised and cased",
    "grammar": "sentences of our own grammar (not the paper's kind of data)",
}


def text(data: str, part: str, cut: str = "ends") -> list[list[str]]:
    """The ``"train"`` or ``"valid"`` part; a sentence is a line, with ``cut="ends"`` it ends at ``.``, ``!`` or ``?``,
    with ``"stops"`` it is what stands between the full stops inside a line, which are left out.
    """
    if data == "grammar":
        return [list(words) for words in grammar.sentences(4_000 if part == "train" else 400, seed=part == "valid")]
    lines = read_sentences(need("wikitext2", f"{part}.txt"))
    if cut == "stops":
        return [words for line in lines for part in " ".join(line).split(" . ") if (words := part.split())]
    return list(lines) if cut == "lines" else [piece for line in lines for piece in pieces(line)]


def pieces(line: list[str]) -> Iterator[list[str]]:
    """A line cut behind every mark that ends a sentence.

    >>> list(pieces(["a", ".", "b", "c"]))
    [['a', '.'], ['b', 'c']]
    """
    found: list[str] = []
    for word in line:
        found.append(word)
        if word in ENDS:
            yield found
            found = []
    if found:
        yield found


def token_counts(corpus, order: int = ORDER) -> dict:
    """The divisors of sums of log probabilities: the ring's tokens, or words and one end per sentence."""
    words, sentences = len(corpus.ids), len(corpus)
    return {"words": words, "sentences": sentences, "ring": words + order * sentences, "one_end": words + sentences}


def length_cost(learnt, corpus) -> float:
    """Log probability of the sentences' lengths by those of ``learnt``, each one added once, in nats."""
    lengths = [len(ids) for ids in learnt.sentences()]
    longest = max(max(lengths), *(len(ids) for ids in corpus.sentences()))
    counts, total = Counter(lengths), len(lengths) + longest
    return sum(log((counts[len(ids)] + 1) / total) for ids in corpus.sentences())


def learn_field(spec: dict) -> dict:
    """Learn a field, watch the bound on the validation part, and measure everything that can be where it was best."""
    field = MarkovField(
        spec["size"],
        ORDER,
        spec["rank"],
        l2=spec["l2"],
        held_out=spec["held_out"],
        max_steps=spec["max_steps"],
        patience=spec["patience"],
    )
    learning, unseen = (text(spec["data"], part, spec["cut"]) for part in ("train", "valid"))
    began = time.process_time()
    trainer = field.trainer(learning)
    moments = moments_of(unseen, field.vocabulary_, ORDER)
    watched, curve = 0.0, []
    for state in trainer.run(spec["every"]):
        before = time.process_time()
        log_z = star_bound(state.potentials, state.delta, gradient=False).bound
        valid = state.potentials.data_term(moments, gradient=False)[0] - log_z
        watched += time.process_time() - before
        seconds = time.process_time() - began - watched
        curve.append(
            {
                "step": state.step,
                "seconds": seconds,
                "train": state.bound,
                "slice": state.held_out,
                "valid": float(valid),
            }
        )
    field.take(trainer.best)
    found = {
        "step": trainer.best.step,
        "steps": trainer.step,
        "ended": trainer.ended,
        "train": trainer.best.bound,
        "seconds": curve[-1]["seconds"],
        "star": field.bound(unseen),
    }
    if spec["size"] <= CHAIN_SIZE:
        found["chain"] = field.bound(unseen, "chain")
    corpus = encode(unseen, field.vocabulary_)
    if spec["size"] <= EXACT_SIZE:
        found |= {"ring": field.bound(unseen, "ring"), "exact": field.score(unseen)}
        with_length = length_cost(encode(learning, field.vocabulary_), corpus)
        found["with_length"] = found["exact"] + with_length / token_counts(corpus)["ring"]
    return {"curve": curve, "counted": token_counts(corpus)} | found


def log_bilinear(spec: dict) -> dict:
    """Learn the left-context model for some epochs; its best one by the slice, measured on the validation part."""
    vocabulary, corpus = read_corpus(text(spec["data"], "train", spec["cut"]), spec["size"])
    unseen = encode(text(spec["data"], "valid", spec["cut"]), vocabulary)
    learnt, held_out = corpus.cut(spec["held_out"])
    model = LogBilinear(learnt, len(vocabulary), ORDER, spec["rank"], spec["l2"])
    total, curve = token_counts(unseen), []
    for epoch in range(1, spec["epochs"] + 1):
        train = model.epoch()
        here = model.log_prob(held_out) / token_counts(held_out)["ring"]
        valid = model.log_prob(unseen) / total["ring"]
        curve.append({"epoch": epoch, "seconds": model.seconds, "train": train, "slice": here, "valid": valid})
        if here < curve[epoch - 2]["slice"]:
            break
    best = max(curve, key=lambda row: row["slice"])
    return {"curve": curve, "counted": total, "valid": best["valid"], "epoch": best["epoch"]}


def ngrams(spec: dict) -> dict:
    """Interpolated modified Kneser–Ney of some orders on the same words, ends of sentences predicted."""
    vocabulary, corpus = read_corpus(text(spec["data"], "train", spec["cut"]), spec["size"])
    unseen = encode(text(spec["data"], "valid", spec["cut"]), vocabulary)
    learning, validation = ([[vocabulary.words[w] for w in ids] for ids in one.sentences()] for one in (corpus, unseen))
    total, found = token_counts(unseen), {}
    for order in spec["orders"]:
        lm = train_lm(learning, order, cutoffs=(0,) * order)
        found[str(order)] = float(lm.score(validation, True).log_prob.sum()) / total["ring"]
    return {"valid": found, "counted": total}


CELLS = {"lifted": learn_field, "log_bilinear": log_bilinear, "ngrams": ngrams}


def cell(spec: dict) -> dict:
    """The spec and what its task tells."""
    return {"spec": spec} | CELLS[spec["task"]](spec)


def effort(spec: dict) -> float:
    """Work of a cell in arbitrary units, for the progress bar."""
    weight = {"lifted": 4.0, "log_bilinear": 6.0, "ngrams": 1.0}[spec["task"]]
    return weight * (spec["size"] / 1_000) ** 2


def code_digest() -> str:
    """A digest of the sources that decide an outcome."""
    return trainings.code_digest(SOURCES)


def warm_up() -> None:
    """Compile the kernels of the n-gram models."""
    train_lm(["a b"], 2).score(["a b"])
