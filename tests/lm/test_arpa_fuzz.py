r"""Damaged ARPA files: the reader agrees with a slow one on which files are valid and on their content."""

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.arpa import Broken, read
from problems.arpa_texts import MAXIMA, TINY
from rcmviz.lm.arpa import parse_arpa

FILES = [TINY.encode(), MAXIMA.encode()]
SNIPPETS = (
    b"\n",
    b"\r\n",
    b"\t",
    b" ",
    b"\xc2\xa0",
    b"\xef\xbb\xbf",
    b"\0",
    b"\r",
    b"\xff",
    b"\\end\\\n",
    b"\\2-grams:\n",
    b"-inf",
    b"nan",
    b"1e99",
    b"-",
    b"ngram 1=99999999999\n",
    b"\\data\\\n",
    b"-0.5\tcat\n",
    b"-0.5\tthe cat\n",
    b"<s> ",
    b"e",
)


def agree(content):
    """Check that both readers refuse, rcmviz with a line number, or both read equal n-grams and numbers."""
    try:
        expected = read(content)
    except Broken:
        with pytest.raises(ValueError, match=r"^fuzz, line \d+: .+[;:] .+"):
            parse_arpa(content, "fuzz")
        return False
    found = parse_arpa(content, "fuzz")
    assert (found.declared, found.counts) == (expected.declared, tuple(map(len, expected.sections)))
    for table, section in zip(found.tables, expected.sections, strict=True):
        same_section(found.vocabulary, table, section, table.order == len(found.tables))
    return True


def same_section(vocabulary, table, section, highest):
    columns = [table.log_prob, table.back_off, table.max_log_prob, table.max_back_off]
    for row, (gram, numbers) in enumerate(section.items()):
        spelled = tuple(vocabulary[w] for w in table.words[row])
        assert spelled == gram or ("<UNK>" in gram and "<unk>" in spelled)
        wanted = [numbers[0], 0.0, numbers[0], 0.0] if highest else [*numbers, *[0.0] * (2 - len(numbers))]
        for column, number in zip(columns, wanted, strict=False):
            if column is not None:
                assert column[row] == pytest.approx(number * math.log(10.0), rel=1e-12, abs=1e-300)


def flipped(content, at, bit):
    return content[:at] + bytes([content[at] ^ (1 << bit)]) + content[at + 1 :]


@pytest.mark.parametrize("content", FILES, ids=["arpa", "max-arpa"])
def test_a_file_cut_off_anywhere(content):
    whole = [at for at in range(len(content) + 1) if agree(content[:at])]
    end = content.index(b"\\end\\")
    assert set(whole) == {end - 1, end, end + 5, end + 6}  # without \end\ all n-grams are there, whole


@pytest.mark.parametrize("content", FILES, ids=["arpa", "max-arpa"])
def test_a_bit_flipped_anywhere(content):
    outcomes = {agree(flipped(content, at, bit)) for at in range(len(content)) for bit in range(8)}
    assert outcomes == {True, False}


@pytest.mark.parametrize("content", FILES, ids=["arpa", "max-arpa"])
def test_carriage_returns_marks_and_hard_spaces_change_nothing_else(content):
    assert agree(content.replace(b"\n", b"\r\n"))
    assert agree(b"\xef\xbb\xbf" + content)
    assert agree(re.sub(rb"(cat|b)\b", b"c\xc2\xa0t", content))
    assert agree(content.replace(b"\t", b"  \t "))


@given(st.sampled_from(FILES), st.lists(st.tuples(st.integers(0, 400), st.sampled_from(SNIPPETS)), max_size=3))
@settings(max_examples=300, deadline=None)
def test_snippets_put_in_anywhere(content, edits):
    for at, snippet in edits:
        at = at % (len(content) + 1)
        content = content[:at] + snippet + content[at:]
    agree(content)


@given(st.sampled_from(FILES), st.integers(0, 40), st.integers(0, 40), st.booleans())
@settings(max_examples=200, deadline=None)
def test_lines_repeated_swapped_and_left_out(content, first, second, leave_out):
    lines = content.splitlines(keepends=True)
    first, second = first % len(lines), second % len(lines)
    if leave_out:
        del lines[first]
    else:
        lines[first] = lines[second]
    agree(b"".join(lines))


@given(st.binary(max_size=200) | st.binary(max_size=50).map(b"\x1f\x8b\x08".__add__))
@settings(max_examples=200, deadline=None)
def test_bytes_of_any_kind(content):
    with pytest.raises(ValueError, match=r"^fuzz, line \d+( or later)?: "):
        parse_arpa(content, "fuzz")


@given(st.text("+-.0123456789eEinfaINF_x", min_size=1, max_size=12))
@settings(max_examples=400, deadline=None)
def test_numbers_are_read_as_the_format_writes_them(number):
    agree(TINY.replace("-0.375", number).encode())
    agree(TINY.replace("-1e-2", f"-{number}").encode())
