"""Table 1 of Jernite, Rush and Sontag (2015): which words are alike by what was learnt, in the same time."""

import importlib
import time
from collections.abc import Mapping
from dataclasses import asdict
from importlib.util import find_spec

import numpy as np

from rcmviz.experiments import conclusions, mrf_runs, tables
from rcmviz.experiments.mrf_runs import ORDER, code_digest, text
from rcmviz.experiments.report import Plan, Report
from rcmviz.mrf.field import MarkovField
from rcmviz.mrf.vocabulary import read_corpus
from rcmviz.tasks.tagging.shipped import load_tagger

__all__ = ["cell", "code_digest", "effort", "report", "specs", "warm_up"]

WORDS = {"wikitext2": ("company", "red", "has", "dollar", "Jack"), "grammar": ("book", "red", "was", "coins", "tom")}
PUBLISHED = {  # lifted, pseudo-likelihood SGD for 48 hours, word2vec
    "company": ("firm industry group", "he it corp.", "holding anacomp uniroyal"),
    "red": ("conservative freedom black", "vietnamese delegation judge", "cross tape delicious"),
    "has": ("had is was", "have had n't", "had been have"),
    "dollar": ("currency economy government", "intergroup market uses", "currency pound stabilized"),
    "Jack": ("richard david carl", "like needed first", "kemp porter timothy"),
}
NAMES = {
    "lifted": "lifted",
    "pseudo": "pseudo-likelihood, SGD",
    "word2vec": "word2vec",
    "longer": "word2vec, the same time",
}
EPOCHS = 5  # of word2vec in the paper
SHOWN, JUDGED, OF_EACH, TAGGER = 6, 500, 10, "tagger-ewt"


def specs(plan: Plan) -> list[dict]:
    """One cell, as the others take as long as the lifted field; with word2vec where gensim is installed."""
    return [
        {
            "data": plan.data,
            "size": 100 if plan.quick else 2_500,
            "rank": 30,
            "l2": 3.0,
            "max_steps": 20 if plan.quick else 400,
            "word2vec": find_spec("gensim") is not None,
        }
    ]


def effort(spec: dict) -> float:
    """Work of a cell, for the progress bar."""
    return 3.0


def warm_up() -> None:
    """No kernel is needed."""


def cell(spec: dict) -> dict:
    """Nearest neighbours of the paper's words by every way of learning, its CPU seconds, and how many share a tag."""
    learning = text(spec["data"], "train")
    rows = [_row(spec, *found) for found in _fields(spec, learning)]
    if spec["word2vec"]:
        rows += [_row(spec, *found) for found in _word2vec(spec, learning, rows[0]["seconds"])]
    return {"spec": spec, "rows": rows}


def _fields(spec, learning):
    """(name, words, vectors, seconds, note) of the lifted field, and of its rival in the same time."""
    how = {"l2": spec["l2"], "max_steps": spec["max_steps"], "patience": 30}
    lifted = MarkovField(spec["size"], ORDER, spec["rank"], **how)
    began = time.process_time()
    trainer = lifted.trainer(learning)
    for _ in trainer.run():
        pass
    budget = time.process_time() - began
    lifted.take(trainer.best)
    yield "lifted", lifted.words, lifted.vectors, budget, f"{trainer.step} steps"
    rival = MarkovField(
        spec["size"], ORDER, spec["rank"], **how | {"max_steps": 10**6, "patience": None}, objective="pseudo-likelihood"
    )
    began = time.process_time()
    trainer = rival.trainer(learning)
    while time.process_time() - began < budget:
        trainer.advance()
    tokens = trainer.step * 50 * rival.batch
    rival.take(trainer.best)
    seconds, seen = time.process_time() - began, f"{tokens / rival.tokens_:.1f} epochs"
    yield "pseudo", rival.words, rival.vectors, seconds, seen


def _word2vec(spec, learning, budget):
    """The same of word2vec as in the paper, and with as many epochs as take the lifted field's time."""
    vocabulary, corpus = read_corpus(learning, spec["size"])
    sentences = [[vocabulary.words[w] for w in ids] for ids in corpus.sentences()]
    make, epochs = importlib.import_module("gensim.models").Word2Vec, EPOCHS
    for name in ("word2vec", "longer"):
        began = time.process_time()
        model = make(sentences, vector_size=100, window=4, min_count=1, epochs=epochs, workers=1, seed=0)
        seconds = time.process_time() - began
        vectors = np.array([model.wv[word] if word in model.wv else np.zeros(100) for word in vocabulary.words])
        yield name, vocabulary.words, vectors, seconds, f"{epochs} epochs, D = 100, window 4"
        epochs = max(EPOCHS + 1, round(EPOCHS * budget / seconds))


def _row(spec, name, words, vectors, seconds, work):
    order = nearest(np.asarray(vectors, np.float64))
    place = {word: k for k, word in enumerate(words)}
    found = {word: [words[w] for w in order[place[word]][:SHOWN]] for word in WORDS[spec["data"]] if word in place}
    share, judged = same_tag(words, order)
    return {"name": name, "seconds": seconds, "work": work, "neighbours": found, "same_tag": share, "judged": judged}


def nearest(vectors: np.ndarray, fewest: int = 2) -> np.ndarray:
    """Words (C, C − 1 − fewest) by angle, the nearest first, the first ``fewest`` numbers (<S>, <unk>) left out.

    >>> nearest(np.array([[0.0, 1], [0, 1], [1, 0], [1, 0.1], [0, 1]]))[2].tolist()
    [3, 4]
    """
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -np.inf)
    cosines[:, :fewest] = -np.inf
    return np.argsort(-cosines, axis=1, kind="stable")[:, : len(vectors) - 1 - fewest]


def same_tag(words: tuple, order: np.ndarray) -> tuple[float, int]:
    """(share of the nearest neighbours of frequent words that have their usual tag in UD-EWT, how many words)."""
    emissions = load_tagger(TAGGER).emissions
    usual = {}
    for k, word in enumerate(emissions.words):
        pairs = slice(emissions.offset[k], emissions.offset[k + 1])
        usual[word] = int(emissions.tag[pairs][emissions.count[pairs].argmax()])
    tags = np.array([usual.get(word, -1) for word in words])
    judged = [w for w in range(2, len(words)) if tags[w] >= 0][:JUDGED]
    shares = []
    for w in judged:
        near = tags[order[w]]
        shares.append(np.mean(near[near >= 0][:OF_EACH] == tags[w]))
    return float(np.mean(shares)), len(judged)


def report(plan: Plan, results: list[dict]) -> Report:
    """A column of neighbours per way of learning, next to the paper's."""
    rows, spec = [row for one in results for row in one["rows"]], results[0]["spec"]
    heads = ("word", *(NAMES[row["name"]] for row in rows), "paper: lifted", "paper: SGD", "paper: word2vec")
    lines = [
        [word, *(" ".join(row["neighbours"].get(word, ["–"])) for row in rows), *PUBLISHED.get(word, ("",) * 3)]
        for word in WORDS[plan.data]
    ]
    shares = [
        [NAMES[row["name"]], f"{row['seconds']:.0f}", row["work"], tables.number_text(row["same_tag"])] for row in rows
    ]
    absent = "" if spec["word2vec"] else " gensim is not installed here, so word2vec is missing."
    described = mrf_runs.DESCRIBED[plan.data]
    words = (
        f"# Table 1 of the paper: nearest neighbours\n\nOn {described}, sentences end at `.`, `!`, `?`; C = "
        f"{spec['size']:,}, K = 2, D = {spec['rank']}; cosines of the vectors U, `<S>` and `<unk>` left out. The "
        f"pseudo-likelihood (AdaGrad) gets the CPU seconds of the lifted field.{absent}\n\n"
        f"{tables.markdown_table(heads, lines)}\n\n*Same tag*: of the {rows[0]['judged']} most frequent words that "
        f"UD-EWT has, the share of the {OF_EACH} nearest that have the same usual part of speech there.\n\n"
        f"{tables.markdown_table(('learnt by', 'CPU s', 'work', 'same tag'), shares)}\n\n## What reproduces\n\n"
        "The paper's lifted neighbours are alike in syntax and sense, those of SGD, which did not converge in 48 "
        f"hours, less so.\n\n{conclusions.claims_table(claims_of({row['name']: row['same_tag'] for row in rows}))}\n"
    )
    document = {"table": "table-neighbours", "plan": asdict(plan), "runs": results}
    return Report("table-neighbours", words, document)


def claims_of(share: Mapping[str, float]) -> list[tuple]:
    """Whether the lifted field's neighbours have the same tag more often than those of each other way of learning.

    >>> claims_of({"lifted": 0.57, "pseudo": 0.57})
    [('same tag: lifted above pseudo-likelihood, SGD', '.570 and .570', 'tied')]
    """
    return [
        (
            f"same tag: lifted above {NAMES[name]}",
            f"{tables.number_text(share['lifted'])} and {tables.number_text(other)}",
            conclusions.above(share["lifted"], other),
        )
        for name, other in share.items()
        if name != "lifted"
    ]
