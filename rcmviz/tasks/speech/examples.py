"""Phones to spelling: words of a pronouncing dictionary, and utterances, with unobserved alignments.

Three sources: a small lexicon of ours; words of CMUdict; and utterances, which are *semi-synthetic*: words and
canonical phones of 5,000 real recordings (speechocean762), passed through the confusions that were counted in
conversations (Buckeye, by way of Cohen Priva & Gleason 2020), phone by phone. The paper's Switchboard transcripts
are licensed and have no such substitute in public; what carries over is unobserved alignment, reduced and varying
pronunciation and size.

>>> spoken("hh ay1")
('HH', 'AY')
"""

import random
import re
import string
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rcmviz.align.model import UTTERANCES, WORDS, AlignLimits
from rcmviz.align.pairs import Pairs
from rcmviz.core.shared import checks
from rcmviz.core.shared.packed import unpack_gzip
from rcmviz.core.shared.text_file import Entries, decode, lines_of
from rcmviz.core.shared.wording import counted
from rcmviz.data import registry
from rcmviz.tasks.speech.pronunciations import LEXICON, PHONES

TRAIN, TEST = 746, 253  # as in the paper
SOURCES = ("lexicon", "words", "utterances")
ALTERNATE = re.compile(r"(?<=.)\(\d+\)$")  # CMUdict: a further pronunciation of a word
REMARK = re.compile(r"[ \t]#|;;;")
FAULTS_LISTED, FAULTS_NAMED = 20, 3  # entries that an error names, and that a remark does
NOT_UTF8 = "{source}, line {line}: not UTF-8"
PLAIN = re.compile(r"[a-z]{2,}")
STRESS = "012"


@dataclass(frozen=True)
class Speech:
    """``train`` and ``test`` Pairs with the same inventories · ``source`` one of SOURCES · ``described`` in words ·
    ``remarks`` on what was skipped of a file.
    """

    train: Pairs
    test: Pairs
    source: str
    described: str
    remarks: tuple[str, ...] = ()


def spoken(text, inventory=PHONES):
    """Phones written with blanks or commas between, in capitals or not, with stress or not, as a tuple.

    ValueError for none at all and for phones that are not in the inventory, which it lists.
    """
    marks = text.replace(",", " ").split()
    phones = tuple(mark.upper().rstrip(STRESS) for mark in marks)
    unknown = dict.fromkeys(phone or mark for mark, phone in zip(marks, phones, strict=True) if phone not in inventory)
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: not in ARPAbet; write {' '.join(inventory)}, with blanks between")
    if not phones:
        raise ValueError(f"no phones: write some of {' '.join(inventory)}, with blanks between")
    return phones


def pronunciation(word):
    """The phones of a word: of our lexicon, else the first of CMUdict; ValueError where neither has it."""
    word = word.strip().lower()
    if word in LEXICON:
        return LEXICON[word]
    has_dictionary = registry.find("cmudict") is not None
    found = dictionary().get(word) if has_dictionary else None
    if found is None and not PLAIN.fullmatch(word):
        raise ValueError(f"{word!r}: only words of plain letters, two or more, are looked up; write its phones instead")
    if found is None:
        more = "CMUdict" if has_dictionary else "our lexicon (CMUdict is not here: rcmviz data get cmudict)"
        raise ValueError(f"{word!r} has no pronunciation in {more}; write its phones instead")
    return found


def load(source="lexicon", seed=0, train=None, test=None):
    """``Speech`` of a source, shuffled with the seed: 746 words or utterances to learn from and 253 to test on.

    Of the lexicon three in four are learnt from. ValueError for another source, if data are missing, or if there
    are too few.
    """
    checks.choice("source", source, SOURCES)
    pool = {"lexicon": _lexicon, "words": _words, "utterances": _utterances}[source](seed)
    limits = pool.limits
    fits = [(phones, text) for phones, text in pool.pairs if phones and limits.why_not(len(phones), len(text)) is None]
    random.Random(seed).shuffle(fits)
    train = train or (len(fits) * 3 // 4 if source == "lexicon" else TRAIN)
    test = test or (len(fits) - train if source == "lexicon" else TEST)
    if min(train, test) < 1 or train + test > len(fits):
        raise ValueError(f"{source}: {train} to learn from and {test} to test on requested, only {len(fits)} exist")
    return speech_of(fits[:train], fits[train : train + test], source, pool.described, limits)


def read_speech(path, seed=0):
    """``Speech`` of a file's words, shuffled with the seed: three in four to learn from, the others to test on, each
    with all its pronunciations.

    ValueError as ``read_pairs``, for fewer than two words, and for more letters than a model can have.
    """
    pairs = read_pairs(path)
    words = list(dict.fromkeys(word for _, word in pairs))
    if len(words) < 2:
        raise ValueError(f"{path}: one word only; write at least two, as some are kept to test on")
    random.Random(seed).shuffle(words)
    rank, first = {word: k for k, word in enumerate(words)}, max(1, len(words) * 3 // 4)
    shuffled = sorted(pairs, key=lambda pair: rank[pair[1]])
    cut = sum(rank[word] < first for _, word in pairs)
    try:
        return replace(speech_of(shuffled[:cut], shuffled[cut:], "file", f"words of {path}"), remarks=pairs.remarks)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def speech_of(train, test, source, described, limits=WORDS):
    """``Speech`` of (phones, text) pairs; the inventories are those of both parts."""
    letters = tuple(sorted({letter for _, text in (*train, *test) for letter in text} | set(string.ascii_lowercase)))
    phones = tuple(sorted({phone for said, _ in (*train, *test) for phone in said} | set(PHONES)))
    parts = (Pairs.from_pairs(part, limits, letters=letters, phones=phones) for part in (train, test))
    return Speech(*parts, source, described)


def read_pairs(path):
    """(phones, word) pairs of a file as CMUdict's: a word and its phones a line, with blanks or tabs between.

    Phones may have stress; words become lower case; ``read(2)`` is another pronunciation of ``read``. Skipped are
    blank lines, comments (lines that begin with ``;;;``, or with ``#`` and are no entry), and entries that cannot be
    read: a phone is none of ARPAbet, or the word cannot be aligned with its phones. ``remarks`` of the list count them
    and name the first. ``#`` behind a blank begins a remark. The file may be gzipped. ValueError, which names them
    with their lines, if they are half of all entries or more, and for a file without any word.
    """
    pairs, faults, comments = [], [], 0
    for number, line in enumerate(_lines(path), start=1):
        word, _, phones = REMARK.split(line, maxsplit=1)[0].replace("\t", " ").strip(" ").partition(" ")
        if not word:
            comments += bool(line.strip())
            continue
        try:
            pairs.append(_alignable(spoken(phones), ALTERNATE.sub("", word).lower()))
        except ValueError as error:
            if word.startswith("#"):
                comments += 1
            else:
                faults.append(f"line {number}: {word!r}: {error}")
    if faults and len(faults) >= len(pairs):
        raise ValueError(f"{path}, {_first_of(faults, FAULTS_LISTED)}")
    if not pairs:
        raise ValueError(f"{path}: no words; write one a line, with its phones behind it: hello HH AH L OW")
    skipped = [f"{counted(comments, 'comment')} skipped"] if comments else []
    if faults:
        entries = f"{len(faults):,} of {len(faults) + len(pairs):,} entries skipped"
        skipped.append(f"{entries}: {_first_of(faults, FAULTS_NAMED)}")
    return Entries(pairs, skipped)


def _first_of(faults, most):
    return "; ".join(faults[:most]) + (f"; and {len(faults) - most:,} more" if len(faults) > most else "")


def _alignable(phones, word):
    """The pair; ValueError where no alignment could explain it, or where a letter is none that can be read."""
    if not word.isprintable():
        raise ValueError("a sign that cannot be printed; take it out")
    reason = WORDS.why_not(len(phones), len(word))
    if reason:
        raise ValueError(reason)
    return phones, word


def dictionary():
    """{word: phones without stress} of CMUdict, the first pronunciation of each."""
    found = {}
    for line in _data_lines("cmudict"):
        word, *phones = line.split("#")[0].split()
        if PLAIN.fullmatch(word):
            found[word] = tuple(phone.rstrip(STRESS) for phone in phones)
    return found


class _Pool(NamedTuple):
    """Pairs (phones, text) of a source, how far their alignments may go, and what they are."""

    pairs: list
    limits: AlignLimits
    described: str


def _lexicon(seed):
    pairs = [(phones, word) for word, phones in LEXICON.items()]
    return _Pool(pairs, WORDS, f"our lexicon of {len(LEXICON)} common words")


def _words(seed):
    """Words of CMUdict in plain letters that occur in the utterances, which leaves out most names and abbreviations."""
    known = {word.lower() for text in _texts().values() for word in text.split()}
    pairs = [(phones, word) for word, phones in sorted(dictionary().items()) if word in known]
    return _Pool(pairs, WORDS, f"words of CMUdict, of the {len(pairs):,} that occur in speechocean762")


def _utterances(seed):
    """Utterances in their canonical phones, each once, through the channel."""
    channel, rng = Channel.read(), np.random.default_rng([seed, 1])
    canonical, pairs = _canonical(), {}
    for name, text in sorted(_texts().items()):
        if name in canonical and text not in pairs:
            pairs[text] = channel.say(canonical[name], rng)
    pairs = [(phones, text.lower()) for text, phones in pairs.items()]
    return _Pool(pairs, UTTERANCES, "semi-synthetic utterances: speechocean762 through Buckeye's confusions")


def _texts():
    """{utterance: its words} of both parts of speechocean762."""
    names = ("speechocean762_train_text.gz", "speechocean762_test_text.gz")
    lines = (line.split("\t") for name in names for line in _data_lines("speech", name))
    return {utterance: words.strip() for utterance, words in lines}


def _canonical():
    """{utterance: its phones with stress, as the dictionary has them}."""
    found = {}
    for line in _data_lines("speech"):
        name, *phones = line.split()
        found.setdefault(name.partition(".")[0], []).extend(phone.partition("_")[0] for phone in phones)
    return found


@dataclass(frozen=True)
class Channel:
    """p(said | meant), phone by phone: ``said`` {meant: (phones, probabilities)}, where ``""`` means an omitted
    phone; ``inserted`` (phones, probabilities) after any phone, ``""`` nothing. Meant phones have stress, lower case.
    """

    said: dict
    inserted: tuple

    @classmethod
    def read(cls, path=None):
        """From counts of (meant, said) as Buckeye's, a header and three columns, ``-`` for nothing."""
        counts, total = {}, 0
        path = path or registry.need("speech", "buckeye_counts_cmu.tsv.gz")
        for number, line in enumerate(list(_lines(path))[1:], start=2):
            meant, _, said = line.partition("\t")
            heard, _, count = said.partition("\t")
            if line.count("\t") != 2 or not (count.isascii() and count.isdigit()) or not 0 < int(count[:12]) < 10**9:
                raise ValueError(f"{path}, line {number}: give what was meant, what was said and a count, tabs between")
            counts.setdefault(meant, {})["" if heard == "-" else heard.upper()] = int(count)
            total += int(count) * (meant != "-")
        inserted = counts.pop("-", {})
        if total <= sum(inserted.values()):
            raise ValueError(f"{path}: no counts of what was said; it has a line of titles, then a count a line")
        inserted[""] = total - sum(inserted.values())
        return cls({meant: _shares(heard) for meant, heard in counts.items()}, _shares(inserted))

    def say(self, phones, rng):
        """Pronounced phones, drawn phone by phone; an uncounted phone stays as it is meant."""
        heard = []
        for phone in phones:
            known = self.said.get(phone.lower())
            heard.append(_draw(known, rng) if known else phone.rstrip(STRESS))
            heard.append(_draw(self.inserted, rng))
        return tuple(phone for phone in heard if phone)


def _shares(counts):
    values = np.array(list(counts.values()), float)
    return tuple(counts), np.cumsum(values / values.sum())


def _draw(shares, rng):
    names, summed = shares
    return names[min(int(np.searchsorted(summed, rng.random(), side="right")), len(names) - 1)]


def _data_lines(name, filename=None):
    """The lines of a file of a data set; ValueError where it cannot be read or is empty."""
    path = registry.need(name, filename)
    lines = _lines(path)
    if not any(lines):
        raise ValueError(f"{path}: empty; copy it again, or remove it and run `rcmviz data get {name}`")
    return lines


def _lines(path):
    """The lines of a text, plain or gzipped; ValueError where it cannot be read."""
    try:
        content = Path(path).read_bytes()
        if content.startswith(b"\x1f\x8b"):
            content = unpack_gzip(content, path)
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror or error}") from error
    except (EOFError, zlib.error) as error:
        raise ValueError(f"{path}: a damaged gzip file ({error}); copy it again") from error
    return lines_of(decode(content, path, fault=NOT_UTF8, remedy="is it a text? If so, convert it to UTF-8"))
