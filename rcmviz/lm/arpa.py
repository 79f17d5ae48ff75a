r"""ARPA files read: n-gram models as every toolkit writes them, with every check (docs/language-models.md).

>>> file = parse_arpa(b"\\data\\\nngram 1=2\n\n\\1-grams:\n-0.3 a\n-0.3 </s>\n\n\\end\\\n", "tiny.arpa")
>>> file.vocabulary, file.counts, file.tables[0].log_prob.round(2).tolist()
(('a', '</s>'), (2,), [-0.69, -0.69])
"""

import math
import re
from dataclasses import dataclass
from itertools import islice
from os import PathLike

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.kernels.lm import arpa as kernel
from rcmviz.lm.arpa_bytes import MAX_BYTES, ArpaBytes, quote_bytes, read_bytes, unpack
from rcmviz.lm.arpa_outline import read_outline
from rcmviz.lm.arpa_remarks import remarks_on_form, remarks_on_numbers, remarks_on_words
from rcmviz.lm.language_model import UNKNOWN, LanguageModel
from rcmviz.lm.table import NgramTable

LN10 = math.log(10.0)
LARGEST = 100_000  # of any number in a file, in size: sums of larger ones are further off than a proof may be
NUMBER = re.compile(rb"[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,9})?|[iI][nN][fF])")
FIELDS = re.compile(rb"[ \t\r]+")
COLUMNS = ("log probability", "back-off", "max log probability", "max back-off")


@dataclass(frozen=True, eq=False)
class ArpaFile:
    r"""The content of an ARPA file: ``vocabulary`` (V,) · ``tables``, an ``NgramTable`` per order · ``declared`` counts
    under ``\data\`` · ``remarks``, sentences on what was read with tolerance · ``size`` in bytes, unpacked ·
    ``units`` that texts are split into."""

    source: str
    vocabulary: tuple
    tables: tuple
    declared: tuple
    remarks: tuple
    size: int
    units: str

    @property
    def counts(self):
        """The number of n-grams of each order."""
        return tuple(len(table) for table in self.tables)

    def to_model(self):
        """The ``LanguageModel`` of the file."""
        info = {
            "source": self.source,
            "declared": list(self.declared),
            "remarks": list(self.remarks),
            "units": self.units,
        }
        return LanguageModel.from_tables(self.vocabulary, self.tables, info)


def read_arpa(path: str | PathLike, *, max_bytes: int = MAX_BYTES, any_counts: bool = False) -> LanguageModel:
    """Read a language model from an ARPA or MAX-ARPA file.

    Parameters
    ----------
    path : str or path
        The file, plain or gzip.
    max_bytes : int
        Largest file that is read, in bytes, packed or not.
    any_counts : bool
        Take the n-grams that are there although the file declares another number of them.

    Returns
    -------
    LanguageModel
        The model, in natural logs.

    Raises
    ------
    ValueError
        The file cannot be read or used; the message names the line and what to do.

    Notes
    -----
    ``docs/language-models.md`` lists accepted (with a remark) and refused files. MAX-ARPA is the format of
    Carter, Dymetman and Bouchard (2012).

    Examples
    --------
    >>> import tempfile
    >>> import rcmviz as rv
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rv.train_lm(["a b", "b a"], order=2).write_arpa(f"{folder}/tiny.arpa")
    ...     lm = rv.read_arpa(f"{folder}/tiny.arpa")
    >>> lm.order, lm.vocabulary
    (2, ('<unk>', '<s>', '</s>', 'a', 'b'))
    """
    checks.path("path", path), checks.switch("any_counts", any_counts)
    checks.number("max_bytes", max_bytes, "a number of bytes", least=0)
    return parse_bytes(read_bytes(path, max_bytes), any_counts).to_model()


def read_tables(path, *, max_bytes=MAX_BYTES, any_counts=False):
    """The same as ``(vocabulary, tables, remarks)``: words, an ``NgramTable`` per order, sentences."""
    file = parse_bytes(read_bytes(path, max_bytes), any_counts)
    return file.vocabulary, file.tables, file.remarks


def parse_arpa(content, source, *, max_bytes=MAX_BYTES, any_counts=False):
    """The ``ArpaFile`` written in ``content`` (bytes, plain or gzip); ``source`` is its name in messages."""
    return parse_bytes(unpack(content, source, max_bytes), any_counts)


def parse_bytes(file: ArpaBytes, any_counts: bool = False) -> ArpaFile:
    """The ``ArpaFile`` of bytes that are unpacked already; ``any_counts`` as in ``read_arpa``."""
    outline = read_outline(file)
    if outline.declared[0] == 0:
        file.fail(outline.at[0], "no 1-grams are declared; a model lists its words as 1-grams")
    spans, sections = _read_sections(file, outline)
    _check_counts(file, outline, [len(words) for words, _ in sections], any_counts)
    vocabulary = _decode_words(file, spans)
    remarks = [*remarks_on_form(file, outline), *remarks_on_words(vocabulary)]
    if UNKNOWN not in vocabulary and "<UNK>" in vocabulary:
        vocabulary[vocabulary.index("<UNK>")] = UNKNOWN
    tables = []
    for section, (words, numbers) in zip(outline.sections, sections, strict=True):
        _check_numbers(file, section, numbers, outline.maxima and section.order < len(sections))
        remarks += remarks_on_numbers(section.order, len(sections), vocabulary, words, numbers)
        tables.append(_table(words, numbers, section.order == len(sections)))
    size = len(file.content)
    return ArpaFile(
        file.source, tuple(vocabulary), tuple(tables), outline.declared, tuple(remarks), size, outline.units
    )


def _read_sections(file, outline):
    """The places of the words (V, 2), and per order ids ``(M, k)`` and log10 numbers ``(M, 2 or 4)``."""
    text = np.frombuffer(file.content, np.uint8)
    spans, lexicon = np.empty((0, 2), np.int64), np.empty(0, np.int32)
    found = []
    for section in outline.sections:
        count = kernel.count_lines(text, section.start, section.stop)  # the declared count is not trusted
        if section.order == 1:
            spans, lexicon = np.empty((count, 2), np.int64), _slots(count)
        words, numbers = np.empty((count, section.order), np.int32), np.empty((count, 4 if outline.maxima else 2))
        slots, fields = _slots(count if section.order > 1 else 0), np.empty((section.order + numbers.shape[1], 2), int)
        at = kernel.read_section(text, section.start, section.stop, spans, lexicon, slots, words, numbers, fields)
        if at < section.stop:
            _refuse_line(file, section, at, spans, numbers.shape[1])
        found.append((words, numbers))
    return spans, found


def _slots(entries):
    return np.full(1 << (2 * entries + 1).bit_length(), -1, np.int32)


def _refuse_line(file, section, at, spans, columns):
    """Name the fault of the line at ``at``; the kernel only reports that it could not read it."""
    fields = FIELDS.split(file.stripped_line(at))
    known = {file.content[start:stop] for start, stop in spans.tolist()} if section.order > 1 else set(fields)
    message = _line_error(section.order, fields, known, columns)
    if not message:
        named, first = quote_bytes(b" ".join(fields[1 : section.order + 1])), _first_line(file, section, fields)
        message = f"the {section.order}-gram {named} stands here again, first in line {first}; keep one"
    file.fail(at, message)


def _line_error(order, fields, known, columns):
    """The reason why the ``fields`` of a line are no n-gram of ``known`` words, or None."""
    first, *words = fields[: order + 1]
    if not NUMBER.fullmatch(first):
        return f"{quote_bytes(first)} where the log probability of a {order}-gram is expected; write a number, or -inf"
    if not order < len(fields) <= order + columns:
        form = f"a number, {order} word{'s' * (order > 1)}, at most {columns - 1} more"
        return f"{quote_bytes(b' '.join(fields))} is no {order}-gram: {form}; mend the line"
    for name, field in zip(COLUMNS[1:], fields[order + 1 :], strict=False):
        if not NUMBER.fullmatch(field):
            return (
                f"{quote_bytes(field)} where the {name} of a {order}-gram is expected; write a number, or leave it out"
            )
    for word in words:
        if word not in known:
            return f"the word {quote_bytes(word)} is not among the 1-grams; add it there, or write <unk> in its place"
    return None


def _first_line(file, section, fields):
    """The line of the first n-gram of the section with the words of ``fields``."""
    words = slice(1, section.order + 1)
    lines = file.lines(section.start, section.stop)
    return file.line(next(at for at, line in lines if FIELDS.split(line)[words] == fields[words]))


def _row_at(file, section, row):
    """The byte at which the line of n-gram ``row`` of a section starts."""
    return next(islice(file.lines(section.start, section.stop), int(row), None))[0]


def _check_counts(file, outline, found, any_counts):
    """Refuse a file that is cut off or, unless ``any_counts``, has other counts than it declares."""
    short = [k for k, (count, there) in enumerate(zip(outline.declared, found, strict=True)) if count != there]
    if not outline.ended and (short or not file.content.endswith(b"\n")):
        k = min(short, default=len(found) - 1)
        message = f"the file ends after {found[k]:,} of {outline.declared[k]:,} {k + 1}-grams and without \\end\\"
        file.fail(len(file.content) - 1, f"{message}: it is cut off; copy or write it again")
    if short and not any_counts:
        k = short[0]
        message = f"{outline.declared[k]:,} {k + 1}-grams are declared, {found[k]:,} follow"
        file.fail(outline.at[k], f"{message}; write the file again, or correct this line if none is missing")


def _decode_words(file, spans):
    """The words as text; ValueError with the line of a word that is not UTF-8."""
    vocabulary = []
    for start, stop in spans.tolist():
        try:
            vocabulary.append(file.content[start:stop].decode())
        except UnicodeDecodeError as error:
            word = quote_bytes(file.content[start:stop])
            message = f"byte 0x{file.content[start + error.start]:02x} of {word} is not UTF-8"
            file.fail(start, f"{message}; convert the file, e.g. iconv -f latin1 -t utf-8 old > new")
    return vocabulary


def _check_numbers(file, section, numbers, all_columns):
    """No probability above 1, nothing infinite but log zero, and in a MAX-ARPA file every column."""
    wrong = {
        "the log probability {} is positive; write the log10 of a probability": numbers[:, :1] > 0.0,
        "the number {} is too large for a log; write a smaller one": numbers > LARGEST,
        "the number {} is too small for a log; write -inf for log zero": (numbers < -LARGEST) & np.isfinite(numbers),
        "fewer than four numbers, but the file begins as MAX-ARPA; write {} columns": np.isnan(numbers) & all_columns,
    }
    for message, mask in wrong.items():
        rows, columns = np.nonzero(mask)
        if len(rows):
            value = numbers[rows[0], columns[0]]
            file.fail(_row_at(file, section, rows[0]), message.format("all" if np.isnan(value) else f"{value:g}"))


def _table(words, numbers, highest):
    """The section as a table of natural logs; what a line leaves out is a back-off of 1."""
    logs = numbers * LN10
    logs[np.isnan(logs[:, 1]) | highest, 1] = 0.0
    if highest and logs.shape[1] == 4:
        logs[:, 2:] = logs[:, :2]
    return NgramTable(words, *logs.T)
