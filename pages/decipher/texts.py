"""The cipher of a puzzle and its layout; pasted texts are stored by digest."""

import hashlib
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

import rcmviz as rv
from pages.shell.errors import NeedsInput
from pages.shell.uploads import Uploads, keep_latest
from rcmviz.core.shared.text_file import lines_of, unix_line_ends
from rcmviz.tasks.decipher.letter_model import LETTERS
from rcmviz.tasks.decipher.letters import SYMBOLS, Cryptogram, encipher_text, read_cryptogram, reads_as_english
from rcmviz.tasks.decipher.texts import TEXTS
from rcmviz.tasks.decipher.words import Cipher, given_cipher, grammar_cipher, tatoeba_cipher, text_cipher
from rcmviz.views.decipher.payload import SHOWN_LINES, CipherLayout, words_layout

OWN = "own"  # pasted text or sentences
MAX_CHARS = 2_000  # of a cryptogram in a link
COMMONEST = "etaoinshrdlucmfwypvbgkjqxz"  # of English, from typesetting machines
LETTERS_MODEL = "lm-english-characters"
MOST_PLAIN, MOST_ENCIPHERED = 500_000, 50_000  # characters of pasted texts
MOST_UPLOADS = 8
GONE = "these texts are missing: the latest eight of a browser are kept; paste them again"
UPLOADS = Uploads(lambda: _forget_texts())  # digest → (plain, enciphered)


@dataclass(frozen=True, eq=False)
class CipherText:
    """A ``cipher``, a Cryptogram or a Cipher, with its ``layout`` and its ``description`` in a sentence."""

    cipher: Cryptogram | Cipher
    layout: CipherLayout
    description: str


@lru_cache(maxsize=1)
def letters_lm():
    """Return the shipped language model of letters."""
    return rv.load_lm(LETTERS_MODEL)


def subject_of(puzzle):
    """Return the CipherText of a puzzle; ValueError says what to do."""
    if puzzle.kind == "letters":
        return _letters(puzzle.text, puzzle.own if puzzle.text == OWN else "", puzzle.plain, puzzle.seed)
    if puzzle.sentences == OWN and puzzle.upload:
        UPLOADS.need(puzzle.upload, GONE)
    return _words(puzzle.sentences, puzzle.upload if puzzle.sentences == OWN else "", puzzle.seed)


@lru_cache(maxsize=16)
def _letters(name, own, plain, seed):
    text = own if name == OWN else TEXTS[name]
    if not text.strip():
        raise NeedsInput("the text is empty: paste a cryptogram, or a plain text to encipher", "edit_note")
    if len(text) > MAX_CHARS:
        raise ValueError(f"{len(text):,} characters; at most {MAX_CHARS:,} are allowed: paste a part of it")
    enciphered = name != OWN or plain
    cryptogram = encipher_text(text, seed) if enciphered else read_cryptogram(text)
    description = f"{cryptogram.counts.sum():,} letters, {np.count_nonzero(cryptogram.counts)} different symbols"
    description += "" if cryptogram.has_blanks else ", without blanks between words"
    return CipherText(
        cryptogram, letters_layout(cryptogram), description + (", key known." if enciphered else ", key unknown.")
    )


@lru_cache(maxsize=16)
def is_english(text):
    """Whether a pasted cryptogram is plain English."""
    try:
        return reads_as_english(read_cryptogram(text[:MAX_CHARS]), letters_lm())
    except ValueError:
        return False


def letters_layout(cryptogram):
    """Return the layout of a cryptogram: its text by symbols, with punctuation unchanged."""
    message = tuple(
        tuple(tuple(_item(character) for character in group) for group in line.split())
        for line in lines_of(unix_line_ends(cryptogram.text))
        if line.strip()
    )
    ranks = np.array([LETTERS.index(letter) for letter in COMMONEST])
    return CipherLayout(
        tuple(LETTERS), tuple(SYMBOLS), cryptogram.counts.copy(), cryptogram.key, message, ranks, "letter"
    )


def _item(character):
    return SYMBOLS.index(character.upper()) if character.upper() in SYMBOLS else character


def _forget_texts() -> None:
    _words.cache_clear()


@lru_cache(maxsize=4)
def _words(sentences, upload, seed):
    cipher = {"grammar": grammar_cipher, "tatoeba": tatoeba_cipher, OWN: lambda seed: _own_text(upload, seed)}[
        sentences
    ](seed)
    description = (
        f"{len(cipher.lines):,} enciphered sentences with {len(cipher.symbols)} different symbols; "
        f"{len(cipher.plain):,} plain ones train the language model of {len(cipher.vocabulary)} words. Shown: the "
        f"first {min(SHOWN_LINES, len(cipher.lines))}."
    )
    return CipherText(cipher, words_layout(cipher), description)


def keep_texts(plain, enciphered):
    """Read pasted texts and store them; returns their digest. ValueError says what is wrong."""
    for name, text, most in (("plain", plain, MOST_PLAIN), ("enciphered", enciphered, MOST_ENCIPHERED)):
        if len(text) > most:
            raise ValueError(f"the {name} text has {len(text):,} characters, at most {most:,} are allowed")
    if not plain.strip():
        raise ValueError("the plain text is empty: paste sentences to learn the language from, one per line")
    digest = hashlib.sha256(f"{plain}\0{enciphered}".encode()).hexdigest()[:16]
    keep_latest(UPLOADS, digest, (plain, enciphered), MOST_UPLOADS, lambda: _own_text(digest, 0))
    return digest


def _own_text(digest, seed):
    if not digest:
        raise NeedsInput("paste sentences to learn the language from, and press “Take these”", "edit_note")
    given = UPLOADS.need(digest, GONE)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("the plain text", "the enciphered text")]
        for file, text in zip(files, given, strict=True):
            file.write_text(text, encoding="utf-8")
        try:
            return given_cipher(*files) if given[1].strip() else text_cipher(files[0], seed)
        except ValueError as error:
            raise ValueError(str(error).replace(f"{folder}/", "")) from None
