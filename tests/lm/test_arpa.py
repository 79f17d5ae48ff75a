r"""ARPA files: reading, writing, tolerated faults and their notes, errors."""

import gzip
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems.arpa_texts import MAXIMA, TINY
from problems.ngrams import lm_of, tables
from rcmviz.lm.arpa import parse_arpa, read_arpa, read_tables
from rcmviz.lm.arpa_write import log10_texts, write_arpa
from rcmviz.lm.doctor import examine
from rcmviz.lm.language_model import LanguageModel

LN10 = math.log(10.0)


def parsed(text=TINY, **options):
    return parse_arpa(text.encode(), "tiny.arpa", **options)


def same(first, second):
    """Whether two models are equal to the last bit."""
    fields = first.trie.__dataclass_fields__
    arrays = all(np.array_equal(getattr(first.trie, name), getattr(second.trie, name)) for name in fields)
    return arrays and first.vocabulary == second.vocabulary and first.counts[1:] == second.counts[1:]


def test_numbers_words_and_back_offs():
    file = parsed()
    assert file.counts == file.declared == (5, 5, 2)
    assert file.vocabulary == ("</s>", "<s>", "<unk>", "the", "cat")
    bigrams = file.tables[1]
    assert bigrams.words.tolist() == [[1, 3], [3, 4], [4, 0], [2, 4], [4, 3]]
    assert bigrams.log_prob / LN10 == pytest.approx([-0.25, -0.01, -0.5, -3.0, -1.25])
    assert bigrams.back_off / LN10 == pytest.approx([-0.375, -0.5, 0.0, -1.0, 0.0])
    assert file.remarks == ("1 1-gram of log10 -98 or less, kept as written; the first is <s>.",)


def test_a_model_from_a_file():
    model = parsed().to_model()
    assert model.log_prob("cat", ["<s>", "the"]) == pytest.approx(-0.125 * LN10)
    assert model.log_prob("dog", ["the"]) == pytest.approx((-0.5 - 1.5) * LN10)
    assert model.info["source"] == "tiny.arpa" and model.info["declared"] == [5, 5, 2]


FORGIVEN = {
    "byte order mark": ("made", "\ufeffmade", "A byte order mark stands before the text"),
    "line ends": ("\n", "\r\n", "Lines end with CR LF"),
    "line ends of old Macs": ("\n", "\r", "Lines end with CR: read as LF"),
    "no end": ("\n\\end\\\n", "\n", r"No \\end\\ closes the file"),
    "text behind the end": ("\\end\\\n", "\\end\\\n\nthe end\n", r"Text follows \\end\\ from line 26 on"),
    "upper-case <UNK>": ("<unk>", "<UNK>", "<UNK> is read as <unk>"),
    "no <unk>": ("<unk>", "some", "Without <unk>"),
    "no <s>": ("<s>", "start", "Without <s>"),
    "no </s>": ("</s>", "stop", "Without </s>"),
    "back-off at the highest order": ("the cat </s>\n", "the cat </s>\t0\n", "1 3-gram with a back-off at the highest"),
    "log zero": ("-3\t<unk>", "-inf\t<unk>", "1 2-gram of log10 -98 or less, .* the first is <unk> cat"),
    "<s> inside": ("-1.25\tcat the", "-1.25\tcat <s>", "1 2-gram with <s> behind another word"),
}


@pytest.mark.parametrize("old, new, remark", FORGIVEN.values(), ids=FORGIVEN)
def test_what_toolkits_write_differently_is_forgiven_and_said(old, new, remark):
    file = parsed(TINY.replace(old, new))
    assert file.counts == (5, 5, 2)
    assert re.search(remark, "\n".join(file.remarks))


def test_forms_that_need_no_remark():
    plain = parsed()
    for old, new in (("\t", " \t "), ("\n\n", "\n"), ("\n-", "\n \t-"), ("=", " =\t"), ("-0.25", "-2.5E-1")):
        other = parsed(TINY.replace(old, new))
        assert same(plain.to_model(), other.to_model()) and other.remarks == plain.remarks


def test_the_preamble_may_speak_of_anything():
    heading = "Beginning of data mark: \\data\\\nngram 1=nr\n\n\\1-grams:\np_1 wd_1\nend of data mark: \\end\\\n"
    assert same(parsed(heading + TINY).to_model(), parsed().to_model())


def test_only_ascii_blanks_separate():
    file = parsed(TINY.replace("cat", "10\u00a0000\u3000\u2028"))
    assert file.vocabulary[-1] == "10\u00a0000\u3000\u2028" and file.counts == (5, 5, 2)


def test_words_that_look_like_numbers_or_marks():
    file = parsed(TINY.replace("cat", "-0.5").replace("the", "\\end\\"))
    assert file.vocabulary[3:] == ("\\end\\", "-0.5") and file.counts == (5, 5, 2)


def test_sections_without_ngrams():
    empty = re.sub(r"(?s)(\\3-grams:\n).*?(\n\\end)", r"\1\2", TINY.replace("ngram 3=2", "ngram 3=0"))
    missing = empty.replace("\\3-grams:\n", "")
    for text in (empty, missing):
        file = parsed(text)
        assert file.counts == (5, 5, 0) and "No 3-grams." in file.remarks
        assert file.to_model().order == 3


def test_more_or_fewer_ngrams_than_declared_are_read_on_demand():
    for count in (4, 6):
        text = TINY.replace("ngram 2=5", f"ngram 2={count}")
        with pytest.raises(ValueError, match=f"line 4: {count} 2-grams .*, 5 "):
            parsed(text)
        assert parsed(text, any_counts=True).counts == (5, 5, 2)
    with pytest.raises(ValueError, match="line 22: .* cut off"):
        parsed(TINY[: TINY.index("-0.0625\tthe")], any_counts=True)


MISTAKES = {
    "empty": (TINY, " \n", r"line 1: the file is empty"),
    "no data": ("\\data\\", "data", r"line 1: no line \\data\\ .* begins with 'made by hand, to be"),
    "text among counts": ("ngram 2=5", "bigrams: 5", r"line 4: 'bigrams: 5'"),
    "order left out": ("ngram 2=5\n", "", r"line 4: 'ngram 3=2' .*order 2"),
    "no 1-grams": ("ngram 1=5", "ngram 1=0", r"line 3: no 1-grams are declared"),
    "order 10": ("\n\n\\1", "".join(f"\nngram {k}=0" for k in range(4, 11)) + "\n\n\\1", r"line 12: order 10;"),
    "huge count": ("ngram 1=5", "ngram 1=99999999999", r"line 3: 99,999,999,999 1-grams are declared, 5 follow"),
    "count too long": ("ngram 1=5", "ngram 1=" + 5000 * "9", r"line 3: 'ngram 1=999999"),
    "section left out": ("\\2-grams:\n", "", r"line 20: '\\3-grams:' .*2-grams:"),
    "section twice": ("\\3-grams:", "\\2-grams:", r"line 21: '\\2-grams:' .*3-grams:"),
    "sections not all there": (
        "\\3-grams:",
        "\\end\\",
        r"line 21: \\end\\ .*3-grams: .*line 5",
    ),
    "one section more": ("\\end\\", "\\4-grams:", r"line 25: '\\4-grams:' .*\\end"),
    "unknown mark": ("\\end\\", "\\fin\\", r"line 25: '\\fin\\' .*\\end"),
    "no number": ("-1e-2", "1e", r"line 16: '1e' .*log probability"),
    "nan": ("-1e-2", "nan", r"line 16: 'nan' .*log probability"),
    "back-off is no number": ("\t-.5", "\t--5", r"line 16: '--5' .*back-off"),
    "positive": ("-1e-2", "1e-2", r"line 16: the log probability 0.01"),
    "infinite back-off": ("\t-.5", "\tinf", r"line 16: the number inf"),
    "huge back-off": ("\t-.5", "\t1e300", r"line 16: the number 1e\+300"),
    "back-off too large for a proof": ("\t-.5", "\t2147483648", r"line 16: the number 2.14748e\+09"),
    "tiny log": ("-1e-2", "-1e300", r"line 16: the number -1e\+300"),
    "too few words": ("cat </s>\n-3", "cat\n-3", r"line 17: '-0.5 cat' .*2-gram"),
    "too many fields": ("cat the", "cat the the cat", r"line 19: .* is no 2-gram"),
    "unknown word": ("cat the", "cat thee", r"line 19: the word 'thee' .*1-grams"),
    "n-gram twice": ("cat the", "the cat", r"line 19: the 2-gram 'the cat' .*line 16"),
    "word twice": ("<unk>\t-0.125", "the", r"line 11: the 1-gram 'the' .*line 10"),
    "zero byte": ("-.5", "-.5\0", r"line 16: a zero byte"),
    "stray return": ("the cat\t", "the\rcat\t", r"line 16: a carriage return without a line feed"),
    "cut off in the last line": (" </s>\n\n\\end\\\n", " </s>", r"line 23: the file ends after 2 of 2 3-grams"),
    "cut off between lines": ("-0.0625\tthe cat </s>\n\n\\end\\\n", "", r"line 22: the file ends after 1 of 2 3-grams"),
}


@pytest.mark.parametrize("old, new, message", MISTAKES.values(), ids=MISTAKES)
def test_errors_name_the_line(old, new, message):
    assert TINY.count(old) == 1
    with pytest.raises(ValueError, match=f"^tiny.arpa, {message}"):
        parsed(TINY.replace(old, new))


def test_words_that_are_not_utf_8_and_utf_16():
    with pytest.raises(ValueError, match="^x, line 12: byte 0xe9 .*iconv"):
        parse_arpa(TINY.replace("cat", "caf\u00e9").encode("latin1"), "x")
    with pytest.raises(ValueError, match="^x, line 1: .*UTF-16"):
        parse_arpa(TINY.encode("utf-16"), "x")
    with pytest.raises(ValueError, match="^x: .*KenLM.*ARPA"):
        parse_arpa(b"mmap lm http://kheafield.com/code format version 5\n\0" + bytes(64), "x")
    assert parse_arpa(TINY.replace("made", "caf\u00e9").encode("latin1"), "x").counts == (5, 5, 2)


def test_the_example_of_the_docs_is_sound():
    page = (Path(__file__).parents[2] / "docs" / "language-models.md").read_text(encoding="utf-8")
    example = re.search(r"```\n(anything: .*?)```", page, re.S)[1]
    assert examine(parsed(example)).sound


def test_a_max_arpa_file_keeps_its_columns_for_comparison():
    file = parsed(MAXIMA)
    words, pairs = file.tables
    assert words.max_log_prob / LN10 == pytest.approx([-0.25, -0.5]) and words.max_back_off.tolist() == [0.0, 0.0]
    assert pairs.max_log_prob.tolist() == pairs.log_prob.tolist()
    assert any("MAX-ARPA" in remark for remark in file.remarks)
    with pytest.raises(ValueError, match="line 8: .*MAX-ARPA"):
        parsed(MAXIMA.replace("b\t0\t-0.5\t0", "b\t0"))
    with pytest.raises(ValueError, match="line 7: .*1-gram"):
        parsed(MAXIMA.split("\n", 1)[1].replace("-0.5\tb\t0\t-0.5\t0", "-0.5\tb").replace("data\\\n", "data\\\n\n"))


def test_gzip_is_known_by_its_bytes_and_named_where_it_is_damaged(tmp_path):
    packed, path = gzip.compress(TINY.encode()), tmp_path / "tiny.arpa"
    path.write_bytes(packed)
    assert same(read_arpa(path), parsed().to_model())
    path.write_bytes(packed[:-12])
    with pytest.raises(ValueError, match=r"tiny.arpa, line \d+ or later: .*gzip"):
        read_arpa(path)
    for at in range(len(packed)):
        broken = packed[:at] + bytes([packed[at] ^ 255]) + packed[at + 1 :]
        try:
            assert same(parse_arpa(broken, "x").to_model(), parsed().to_model())  # of its header nothing matters
        except ValueError as error:
            assert re.match(r"x, line \d+", str(error))


def test_files_that_are_too_large_are_refused_before_they_are_read(tmp_path):
    path = tmp_path / "sparse.arpa"
    with open(path, "wb") as file:
        file.truncate(2_000_000_000)
    with pytest.raises(ValueError, match="1,000,000,000 .* max_bytes"):
        read_arpa(path)
    bomb = gzip.compress(bytes(50_000_000))
    with pytest.raises(ValueError, match="unpacked .*1,000,000"):
        parse_arpa(bomb, "bomb", max_bytes=1_000_000)
    path.write_text(TINY)
    assert read_tables(path, max_bytes=len(TINY))[0][3] == "the"
    with pytest.raises(ValueError, match="at most 10"):
        read_tables(path, max_bytes=10)


def test_paths_that_are_no_files_are_refused(tmp_path):
    for path, message in ((tmp_path, "not a file"), (tmp_path / "none", "no such file")):
        with pytest.raises(ValueError, match=f"{message}; .*path"):
            read_arpa(path)


@given(tables(), st.booleans(), st.sampled_from([".arpa", ".arpa.gz"]))
@settings(max_examples=150, deadline=None)
def test_a_model_that_was_written_is_read_as_it_was(tmp_path_factory, table, maxima, ending):
    model = lm_of(table)
    path = tmp_path_factory.getbasetemp() / f"round{ending}"
    write_arpa(model, path, maxima)
    again = read_arpa(path)
    assert same(model, again) and again.counts[0] == len(model.vocabulary)
    assert any("MAX-ARPA" in remark for remark in again.info["remarks"]) == maxima


@given(tables())
@settings(max_examples=50, deadline=None)
def test_the_maxima_that_are_written_are_those_of_the_model(tmp_path_factory, table):
    model = lm_of(table)
    path = tmp_path_factory.getbasetemp() / "maxima.arpa"
    write_arpa(model, path, max_backoff=True)
    vocabulary, sections, _ = read_tables(path)
    for section in sections:
        for ids, highest in zip(section.words.tolist(), section.max_log_prob.tolist(), strict=True):
            words = [vocabulary[w] for w in ids]
            assert highest == pytest.approx(model.max_log_prob(words[-1], words[:-1]), rel=1e-6, abs=1e-30)


@given(st.lists(st.floats(width=32, max_value=0.0, allow_nan=False), min_size=1))
def test_written_digits_give_the_float_back(logs):
    logs = np.array([log for log in logs if log == -math.inf or log >= -1e5], np.float32)
    again = np.array(log10_texts(logs), float) * LN10
    assert again.astype(np.float32).tolist() == logs.tolist()


def test_numbers_keep_the_digits_that_a_toolkit_wrote(tmp_path):
    parsed().to_model().write_arpa(tmp_path / "a.arpa")
    text = (tmp_path / "a.arpa").read_text()
    assert "\n-0.25\t<s> the\t-0.375\n" in text and "\n-99\t<s>\t-0.25\n" in text
    assert text.startswith("\\data\\\nngram 1=5\nngram 2=5\nngram 3=2\n\n\\1-grams:\n") and text.endswith(
        "\n\n\\end\\\n"
    )


def test_equal_models_are_equal_files(tmp_path):
    for name in ("a.gz", "b.gz"):
        write_arpa(parsed().to_model(), tmp_path / name)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


@pytest.mark.parametrize("word", ["", "a b", "a\tb", "a\n", "a\r", "\ud800"])
def test_a_word_that_no_line_can_hold(tmp_path, word):
    tables = parsed().tables
    model = LanguageModel.from_tables(("</s>", "<s>", "<unk>", "the", word), tables)
    with pytest.raises(ValueError, match="blanks"):
        write_arpa(model, tmp_path / "x.arpa")
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "x.arpa"
    path.write_text("old")
    model = parsed().to_model()
    monkeypatch.setattr("os.fsync", lambda number: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space left on device.*x.arpa"):
        write_arpa(model, path)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]
    with pytest.raises(OSError, match="not a file.*/dev/null"):
        write_arpa(model, "/dev/null")
