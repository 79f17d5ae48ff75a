"""Language models in one run: training, scoring beside KenLM, memory per n-gram, and how long files take to load.

    python benchmarks/lm.py [--repeats 5] [--json results.json]

Europarl's 5 million English tokens where the data is found, else random words of as skew a frequency. The last 2,000
sentences are held out for scoring. One core; scoring is the best of the repeats, which are interleaved; KenLM has a row
where its Python module can be imported.
"""

import argparse
import json
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from engine import best_times, show

import rcmviz as rv
from rcmviz.data import registry
from rcmviz.lm.text import read_sentences

HAS_KENLM = find_spec("kenlm") is not None
ORDER, HELD_OUT = 5, 2_000
LARGE = (0, 0, 0, 0, 1)  # cut-offs that leave more than four million n-grams of Europarl
SIZES = {"sentences": 180_000, "words": 44_000, "length": 28}  # of the random text


def load():
    """(source, sentences to learn from, sentences to score)."""
    path = registry.find("europarl")
    sentences = list(read_sentences(path)) if path else random_text(np.random.default_rng(0))
    return "europarl" if path else "random", sentences[:-HELD_OUT], sentences[-HELD_OUT:]


def random_text(rng):
    """Sentences whose words are drawn by Zipf's law."""
    weights = 1 / np.arange(1, SIZES["words"] + 1)
    drawn = rng.choice(SIZES["words"], (SIZES["sentences"], SIZES["length"]), p=weights / weights.sum())
    return [[f"w{word}" for word in row] for row in drawn.tolist()]


def timed(task):
    """(what the task returns, seconds)."""
    start = time.perf_counter()
    result = task()
    return result, time.perf_counter() - start


def training_rows(sentences):
    """A row per choice of cut-offs, and the model of the last."""
    tokens = sum(map(len, sentences))
    rows = []
    for smoothing, cutoffs in (("kneser-ney", None), ("witten-bell", None), ("kneser-ney", LARGE)):
        model, seconds = timed(lambda s=smoothing, c=cutoffs: rv.train_lm(sentences, ORDER, s, c))
        rows.append({
            "training": f"{ORDER}-gram {smoothing}", "cut offs": ",".join(map(str, model.info["cutoffs"])),
            "million tokens": tokens / 1e6, "million n-grams": sum(model.counts) / 1e6, "seconds": seconds,
            "tokens per s": tokens / seconds,
        })  # fmt: skip
    return rows, model


def file_rows(model, folder):
    """Seconds to write and to load the model as ARPA and as npz; KenLM on the same ARPA."""
    arpa, npz = str(folder / "large.arpa"), str(folder / "large.npz")
    writing = {arpa: timed(lambda: model.write_arpa(arpa))[1], npz: timed(lambda: model.save(npz))[1]}
    loading = {"ARPA": (arpa, rv.read_arpa), "npz": (npz, rv.LanguageModel.load)}
    if HAS_KENLM:
        loading["ARPA by KenLM"] = arpa, kenlm_model
    rows = []
    for name, (path, load_file) in loading.items():
        _, seconds = timed(lambda load_file=load_file, path=path: load_file(path))
        rows.append({
            "file": name, "million n-grams": sum(model.counts) / 1e6, "MB": Path(path).stat().st_size / 1e6,
            "written in s": writing[path] if "KenLM" not in name else float("nan"), "loaded in s": seconds,
        })  # fmt: skip
    return rows, arpa


def memory_row(model):
    """Bytes per listed n-gram, with and without the two columns of bounds."""
    bounds = (model.trie.max_log.nbytes + model.trie.max_back.nbytes) / sum(model.counts)
    whole = model.bytes_per_ngram
    return {"bytes per n-gram": whole, "without bounds": whole - bounds, "blanks": len(model.trie.blanks)}


def scoring_rows(model, arpa, sentences, repeats):
    """N-grams scored per second from Python."""
    texts = [" ".join(words) for words in sentences]
    rows = [[model.begin, *model.ids(words).tolist(), model.end] for words in sentences]
    ids, offset = np.concatenate(rows).astype(np.int32), np.cumsum([0, *map(len, rows)])
    tasks = {
        "lists of words": lambda: model.perplexity(sentences), "strings": lambda: model.perplexity(texts),
        "ids": lambda: model.score_words(ids, offset),
    }  # fmt: skip
    if HAS_KENLM:
        other = kenlm_model(arpa)
        tasks["KenLM, full_scores"] = lambda: [sum(p for p, *_ in other.full_scores(text)) for text in texts]
        tasks["KenLM, score"] = lambda: [other.score(text) for text in texts]
    count = len(ids) - len(sentences)
    best = best_times(tasks, repeats)
    slow = best.get("KenLM, full_scores", float("nan"))
    return [
        {"scoring": name, "n-grams per s": count / seconds, "times full_scores": slow / seconds}
        for name, seconds in best.items()
    ]


def kenlm_model(arpa):
    """KenLM's model of an ARPA file."""
    import kenlm

    quiet = kenlm.Config()
    quiet.show_progress = False
    return kenlm.Model(arpa, quiet)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", default=None)
    options = parser.parse_args()
    source, sentences, held_out = load()
    rv.train_lm(sentences[:10], ORDER).perplexity(held_out[:1])  # compiles
    print(f"{source}: {len(sentences):,} sentences to learn from, {len(held_out):,} to score")
    training, model = training_rows(sentences)
    show("training, one core", training)
    with tempfile.TemporaryDirectory() as folder:
        files, arpa = file_rows(model, Path(folder))
        scoring = scoring_rows(model, arpa, held_out, options.repeats)
    show("files", files)
    show("memory", [memory_row(model)])
    show(f"scoring, perplexity {model.perplexity(held_out):.1f}", scoring)
    if options.json:
        everything = {"source": source, "training": training, "files": files, "memory": memory_row(model)}
        Path(options.json).write_text(json.dumps(everything | {"scoring": scoring}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
