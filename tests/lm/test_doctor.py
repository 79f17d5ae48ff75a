r"""The ARPA doctor compared with slow definitions and with known facts of real files; its report."""

import json
import math
import re
from dataclasses import replace
from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings
from test_arpa_files import FOLDER, READ, on_files

from oracles.ngrams import BEGIN, END, suffixes
from problems.arpa_texts import TINY
from problems.ngrams import tables
from rcmviz.lm.arpa import parse_arpa
from rcmviz.lm.arpa_bytes import read_bytes
from rcmviz.lm.arpa_lines import lines_of
from rcmviz.lm.doctor import MEANINGS, check_arpa, examine

LN10 = math.log(10.0)
ROUNDING = 1e-4  # nats: sums of float32


def with_all_words(table):
    """The table with a 1-gram for each word, as a file has it."""
    return replace(table, listed={(word,): (-math.inf, 0.0) for word in table.vocabulary} | table.listed)


def file_of(table):
    """The table as an ARPA file."""
    lines = ["\\data\\"]
    sections = [[gram for gram in table.listed if len(gram) == k] for k in range(1, table.order + 1)]
    lines += [f"ngram {k}={len(grams)}" for k, grams in enumerate(sections, start=1)]
    for k, grams in enumerate(sections, start=1):
        lines.append(f"\\{k}-grams:")
        for gram in grams:
            log_prob, back_off = (number / LN10 for number in table.listed[gram])
            lines.append(f"{log_prob!r} {' '.join(gram)} {back_off!r}")
    return parse_arpa("\n".join([*lines, "\\end\\", ""]).encode(), "random.arpa")


def stated_bound(table):
    """Return Eq. 8 of the paper with maxima over the listed n-grams: (h, x) → w."""

    def longer(gram):
        return [other for other in table.listed if other[1:] == gram]

    @cache
    def context_weight(context):
        return max([0.0, *(table.back_off(other) + context_weight(other) for other in longer(context))])

    @cache
    def entry(gram):
        return max([table.listed[gram][0], *(entry(other) for other in longer(gram))])

    def bound(history, word):
        if (*history, word) in table.listed:
            return entry((*history, word))
        return (context_weight(history) if history in table.listed else 0.0) + table.log_prob(word, history)

    return bound


def excess(value, bound):
    """Return the excess of a value over its bound, 0 within rounding."""
    above = value - bound if value > bound else 0.0
    return above if above > ROUNDING else 0.0


@given(tables())
@settings(max_examples=150, deadline=None)
def test_missing_ngrams_are_counted(table):
    table = with_all_words(table)
    found = examine(file_of(table), contexts=3)
    longer = [gram for gram in table.listed if len(gram) > 1]
    closed = {suffix for gram in longer for suffix in suffixes(gram) if suffix}
    for k in range(1, table.order + 1):
        grams = [gram for gram in longer if len(gram) == k]
        assert found.without_suffix[k - 1] == sum(gram[1:] not in table.listed for gram in grams)
        assert found.without_prefix[k - 1] == sum(gram[:-1] not in table.listed for gram in grams)
        assert found.blanks[k - 1] == sum(len(gram) == k for gram in closed - set(table.listed))
    assert sum(found.positive_back_offs) == sum(
        table.back_off(gram) > 0 for gram in table.listed if len(gram) < table.order
    )
    assert all(gram in table.listed and gram[1:] not in table.listed for gram in found.examples["without_suffix"])
    assert all(gram in table.listed and gram[:-1] not in table.listed for gram in found.examples["without_prefix"])
    assert found.complete == (not any(found.without_suffix) and not any(found.without_prefix))


@given(tables())
@settings(max_examples=150, deadline=None)
def test_violations_of_eq_8_are_those_of_the_definition(table):
    table = with_all_words(table)
    found, bound = examine(file_of(table), contexts=3), stated_bound(table)
    above = [
        max(
            excess(log_prob, bound(suffix[:-1], suffix[-1])) for suffix in suffixes(gram) if 0 < len(suffix) < len(gram)
        )
        for gram, (log_prob, _) in table.listed.items()
        if len(gram) > 1
    ]
    assert found.violations == sum(value > 0 for value in above)
    assert found.excess == pytest.approx(max(above, default=0.0), rel=1e-4, abs=1e-3)


@given(tables(max_order=3))
@settings(max_examples=300, deadline=None)
def test_eq_8_holds_if_and_only_if_no_longer_history_exceeds_it(table):
    table = with_all_words(table)
    table = replace(table, listed={gram: f for gram, f in table.listed.items() if BEGIN not in gram[1:]})
    table = replace(table, listed={gram: f for gram, f in table.listed.items() if END not in gram[:-1]})
    bound = stated_bound(table)
    histories = [h for k in range(table.order) for h in product(table.before, repeat=k) if BEGIN not in h[1:]]
    holds = not any(
        excess(table.max_log_prob(word, history), bound(history, word))
        for history in histories
        for word in table.vocabulary
        if word != BEGIN
    )
    assert examine(file_of(table), contexts=3).bounds_hold == holds


@given(tables(max_order=3))
@settings(max_examples=100, deadline=None)
def test_sums_are_over_all_words_but_the_start(table):
    table = with_all_words(table)
    found = examine(file_of(table), contexts=20)
    assert 1 <= found.contexts <= 21 and len(found.sums) == min(5, found.contexts)
    for context, total in found.sums:
        words = [word for word in table.vocabulary if word != BEGIN]
        assert total == pytest.approx(sum(math.exp(table.log_prob(word, context)) for word in words), rel=1e-4)
        assert context == () or (context in table.listed and context[-1] != END)
    assert found.normalised == all(abs(total - 1) <= 0.01 for _, total in found.sums)


def test_a_sound_file():
    words = "-0.30103 </s>\n-99 <s> 0\n-0.60206 a -0.1760913\n-0.60206 <unk>\n"
    text = f"\\data\\\nngram 1=4\nngram 2=1\n\\1-grams:\n{words}\\2-grams:\n-0.1760913 a </s>\n\\end\\\n"
    found = examine(parse_arpa(text.encode(), "a.arpa"))
    assert found.sound and found.order == 2 and found.special == {"<s>": True, "</s>": True, "<unk>": True}
    assert dict(found.rows())["verdict"] == "sound"
    assert dict(found.rows())["sums of probabilities"] == "1 within 1% after every context sampled, 4 in all"


def test_findings_in_words(tmp_path):
    path = tmp_path / "tiny.arpa"
    path.write_text(TINY.replace("ngram 2=5", "ngram 2=6").replace("the cat </s>", "cat the </s>"))
    found = check_arpa(path)
    rows = dict(found.rows())
    assert (found.declared, found.found) == ((5, 6, 2), (5, 5, 2)) and not found.counted_right
    assert rows["n-grams"] == "5 + 5 + 2" and rows["declared"] == "5 + 6 + 2"
    assert rows["repaired when read"] == "0 + 1 + 0 blanks"
    assert rows["without suffix"] == "0 + 0 + 1 · such as cat the </s>"
    assert rows["without prefix"] == "none" and rows["back-offs above 1"] == "1 + 0 + 0"
    assert "n-grams exceed it by up to" in rows["bounds as the file is"]
    assert rows["verdict"].startswith("usable, but not counted right, not complete, not normalised, not a table whose")
    assert check_arpa(path) == found
    pointed = found.pointed_at()
    assert set(MEANINGS) >= {name for name, _ in found.rows()[:-1]} >= set(pointed)
    lines = path.read_text().splitlines()
    for gram, (number, line) in lines_of(read_bytes(path, 10**6), sum(pointed.values(), [])).items():
        assert line.split() == lines[number - 1].split() and line.split()[1 : len(gram) + 1] == list(gram)
    assert pointed["without suffix"] == [("cat", "the", "</s>")]


def test_findings_as_json():
    found = examine(parse_arpa(TINY.encode(), "tiny.arpa"))
    again = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert again["found"] == [5, 5, 2] and again["sound"] is found.sound and again["order"] == 3
    endless = replace(found, excess=math.inf).to_dict()
    assert endless["excess"] is None


def test_a_file_that_cannot_be_read(tmp_path):
    path = tmp_path / "cut.arpa"
    path.write_text(TINY[:150])
    with pytest.raises(ValueError, match=r"cut.arpa, line \d+: "):
        check_arpa(path)


def said(entry, pattern):
    """Return a number that SOURCE.md gives for a file, else 0."""
    match = re.search(rf"(\d+) {pattern}", entry)
    return int(match[1]) if match else 0


@on_files([path for path in READ if path.stat().st_size < 500_000])
def test_it_finds_the_known_facts_of_real_files(path):
    entry = (FOLDER / "SOURCE.md").read_text().split(f"## {path.name} ")[1].split("\n## ")[0]
    found = check_arpa(path, contexts=5)
    assert sum(found.without_suffix) == said(entry, "n-grams whose suffix is absent")
    assert sum(found.without_prefix) == said(entry, "n-grams whose history is absent")
    assert sum(found.positive_back_offs) == said(entry, "positive backoffs")
    assert found.special["<unk>"] == ("no <unk>" not in entry or "has <UNK>" in entry)


@on_files([path for path in READ if path.name.startswith("joshua_bn-en")])
def test_a_5_gram_file_on_which_eq_8_fails(path):
    found = check_arpa(path, contexts=20)
    assert sum(found.found[1:]) == 236_561 and found.violations == 9_429  # science notes, counted by other means
    assert found.excess == pytest.approx(10.2, abs=0.05) and not found.bounds_hold
