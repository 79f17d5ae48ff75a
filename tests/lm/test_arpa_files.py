r"""Real ARPA files of many toolkits: counts, numbers compared with a slow reader, scores compared with KenLM."""

import gzip
import math
import os
import random
import re
from pathlib import Path

import numpy as np
import pytest

from oracles import arpa
from oracles.ngrams import Table
from rcmviz.lm.arpa import read_arpa, read_tables

LN10 = math.log(10.0)
FOLDER = Path(os.environ.get("RCMVIZ_DATA", "nowhere")) / "arpa"
FILES = sorted(FOLDER.glob("*.gz"))
REFUSED = {
    "pocketsphinx_106": r"line 29: the file ends after 5 of 10 2-grams and without \\end\\",
    "pocketsphinx_107": r"line 29: '-0\.60206 go' is no 2-gram",
    "pocketsphinx_not-enough-ngrams": r"line 4: \\data\\",
}
pytestmark = pytest.mark.skipif(not FILES, reason="RCMVIZ_DATA names no folder with arpa/*.gz")
READ = [path for path in FILES if not path.name.startswith(tuple(REFUSED))]
NOT_BY_KENLM = {
    "kaldi_missing_bos": "KenLM reads no model without <s>",
    "kaldi_input": "KenLM has no room for missing suffixes in so small a table",
    "kaldi_unused_backoffs": "KenLM has no room for missing suffixes in so small a table",
    "kaldi_yesno": "KenLM reads no model of order 1",
    "pocketsphinx_turtle.ug": "KenLM reads no model of order 1",
    "sphinx4_an4": "KenLM reads no model of order 1",
    "sphinx4_test": "KenLM reads no model of order 1",
}


def on_files(paths):
    return pytest.mark.parametrize("path", paths, ids=[path.name for path in paths])


@on_files([path for path in FILES if path not in READ])
def test_a_broken_file_is_refused_with_line_and_reason(path):
    message = next(message for name, message in REFUSED.items() if path.name.startswith(name))
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}, {message}"):
        read_tables(path)
    with pytest.raises(arpa.Broken):
        arpa.read(gzip.decompress(path.read_bytes()))


@on_files(READ)
def test_a_file_has_the_documented_counts(path):
    entry = (FOLDER / "SOURCE.md").read_text().split(f"## {path.name} ")[1]
    _, tables, _ = read_tables(path)
    assert "/".join(str(len(table)) for table in tables) == re.search(r"counts ([\d/]+)", entry)[1]


@on_files([path for path in READ if path.stat().st_size < 200_000])
def test_probabilities_are_those_of_a_slow_reader_and_eq_7(path):
    model, table = read_arpa(path), slow_table(path)
    for history, word in queries(random.Random(0), table, 300):
        slow = table.log_prob(word, history)
        assert model.log_prob(word, history) == pytest.approx(slow, abs=1e-4, rel=1e-6)


def slow_table(path):
    """The table of a real file, read and asked without the engine."""
    sections = arpa.read(gzip.decompress(path.read_bytes())).sections
    names = {} if ("<unk>",) in sections[0] else {"<UNK>": "<unk>"}
    listed = {}
    for section in sections:
        for gram, numbers in section.items():
            back_off = numbers[1] if len(numbers) > 1 and len(gram) < len(sections) else 0.0
            listed[tuple(names.get(word, word) for word in gram)] = (numbers[0] * LN10, back_off * LN10)
    return Table(len(sections), tuple(gram[0] for gram in listed if len(gram) == 1), listed)


def queries(rng, table, n):
    """Histories and words, many of them along listed n-grams."""
    grams = list(table.listed)
    for _ in range(n):
        words = sum((rng.choice(grams) for _ in range(3)), ())
        at = rng.randrange(len(words))
        yield words[:at], words[at] if rng.random() < 0.7 else rng.choice(table.vocabulary)


@on_files(READ)
def test_a_file_is_written_back_as_it_was(path, tmp_path):
    model = read_arpa(path)
    model.write_arpa(tmp_path / "again.arpa")
    again = read_arpa(tmp_path / "again.arpa")
    assert again.counts == model.counts and again.vocabulary == model.vocabulary
    for first, second in zip(model.trie.arrays, again.trie.arrays, strict=True):
        assert np.array_equal(first, second)


@on_files(READ)
def test_scores_are_those_of_kenlm(path, tmp_path):
    if reason := next((reason for name, reason in NOT_BY_KENLM.items() if path.name.startswith(name)), None):
        pytest.skip(reason)
    kenlm = pytest.importorskip("kenlm", reason="kenlm is not installed; pip install kenlm compiles it")
    vocabulary, tables, _ = read_tables(path)
    model, judge = read_arpa(path), judged(kenlm, path, tmp_path / "plain.arpa")
    rng = random.Random(0)
    for _ in range(200):
        words = sentence(rng, vocabulary, tables)
        scores = judge.full_scores(" ".join(words))
        for i, (word, (theirs, _, unknown)) in enumerate(zip([*words, "</s>"], scores, strict=True)):
            ours = model.log_prob(word, ["<s>", *words[:i]]) / LN10
            assert ours == pytest.approx(theirs, abs=1e-5, rel=1e-6) or (unknown and model.unknown < 0)


def judged(kenlm, path, plain):
    """Return KenLM's model of the file, or of the file rewritten by rcmviz if KenLM refuses its preamble or blanks."""
    config = kenlm.Config()
    config.show_progress = False
    plain.write_bytes(gzip.decompress(path.read_bytes()))
    try:
        return kenlm.Model(str(plain), config)
    except OSError:
        read_arpa(path).write_arpa(plain)
        return kenlm.Model(str(plain), config)


def sentence(rng, vocabulary, tables):
    """Words of listed n-grams, one n-gram after the other, and now and then a word that is in no vocabulary."""
    words = []
    for table in rng.choices([table for table in tables if len(table)], k=rng.randint(0, 4)):
        words += [vocabulary[w] for w in rng.choice(table.words)]
    words = [word for word in words if word not in ("<s>", "</s>", "<unk>", "<UNK>")]
    return words + ["zyzzyva"] * (rng.random() < 0.3)
