"""The command `decipher`: word ciphers read by EM, and cryptograms as in puzzle books."""

import json
import re
import sys
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from rcmviz.cli.console import plain_table, progress_bar, terminal, until_stopped
from rcmviz.cli.files import INPUT, STDIN, naming_file
from rcmviz.cli.options import Json, as_choices, takes_groups
from rcmviz.core.methods import OF_EM
from rcmviz.core.shared.text_file import decode
from rcmviz.core.shared.wording import counted

SHOWN_LINES, SURE = 8, 0.9
LETTER_MODEL = "lm-english-characters"
FILE_NAME = re.compile(r"\S+\.\w{1,4}|\S*[/\\]\S*")  # a word with an ending or a slash

DecipherMethod = as_choices(OF_EM)


class WordCipher(StrEnum):
    """Prepared word ciphers."""

    tatoeba = "tatoeba"
    grammar = "grammar"


class Decoding(StrEnum):
    """Readings of a symbol."""

    emission = "emission"
    posterior = "posterior"
    assignment = "assignment"


@dataclass(frozen=True)
class EmOptions:
    """Options of EM; None where letters and words have different defaults."""

    method: Annotated[DecipherMethod, typer.Option(help="Which contexts are kept; exact with --order 1.")] = (
        DecipherMethod.rcms
    )
    budget: Annotated[int | None, typer.Option(help="Contexts per position: 60, of letters 40.")] = None
    order: Annotated[int, typer.Option(help="Words or letters of history.")] = 2
    passes: Annotated[int, typer.Option("--em-passes", min=1, help="Of EM; of letters those of a round.")] = 20
    pin: Annotated[list[str] | None, typer.Option(help="SYMBOL=WORD that is known; may be repeated.")] = None
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0

    @property
    def pins(self):
        """``{symbol: word}``; ValueError for one that is not written so, and for two of one symbol."""
        wrong = [pin for pin in self.pin or () if pin.count("=") != 1 or pin.startswith("=") or pin.endswith("=")]
        if wrong:
            raise ValueError(f"--pin {wrong[0]!r}: write SYMBOL=WORD, e.g. 417=the, or X=e for letters")
        found = {}
        for symbol, word in (pin.split("=") for pin in self.pin or ()):
            if found.setdefault(symbol, word) != word:
                raise ValueError(f"--pin: {symbol!r} is pinned to {found[symbol]!r} and to {word!r}; leave one out")
        return found


@dataclass(frozen=True)
class CipherOptions:
    """Which cipher is read, of words or of letters."""

    text: Annotated[
        str | None, typer.Argument(help="A file; with --letters also a cryptogram itself, or - for standard input.")
    ] = None
    letters: Annotated[bool, typer.Option("--letters", help="A cryptogram: every letter replaces another.")] = False
    plain: Annotated[
        Path | None,
        typer.Option("--plaintext", help="One sentence per line, to learn from; TEXT is then a cipher of unknown key."),
    ] = None
    data: Annotated[WordCipher | None, typer.Option(help="A prepared cipher: Tatoeba where it is here, else ours.")] = (
        None
    )
    prepared: Annotated[str | None, typer.Option(help="With --letters: one of our ten texts, bakery to dog.")] = None
    blanks: Annotated[bool | None, typer.Option(help="With --letters: blanks are between words.")] = None

    def word_cipher(self, size, seed):
        """The cipher of words; ValueError for options that exclude each other."""
        from rcmviz.data.registry import find
        from rcmviz.tasks.decipher import words

        if self.prepared is not None or self.blanks is not None:
            raise ValueError("--prepared and --blanks are for cryptograms: add --letters")
        if self.data is not None and (self.text is not None or self.plain is not None):
            raise ValueError(f"--data {self.data} is a cipher of its own: leave TEXT and --plaintext out")
        if STDIN in (self.text, str(self.plain)):
            raise ValueError("standard input is for cryptograms, with --letters; write the words into a file")
        if self.plain is not None:
            if self.text is None:
                raise ValueError("--plaintext is the text to learn the language from: name the cipher's file as well")
            return words.given_cipher(self.plain, self.text, size=size)
        if self.text is not None:
            return words.text_cipher(self.text, seed, size=size)
        if self.data is WordCipher.tatoeba or (self.data is None and find("tatoeba")):
            return words.tatoeba_cipher(seed, size=size)
        return words.grammar_cipher(seed)

    def cryptogram(self, seed):
        """The cipher of letters; ValueError for options that exclude each other."""
        from rcmviz.tasks.decipher.letters import encipher_text, read_cryptogram
        from rcmviz.tasks.decipher.texts import TEXTS

        if self.plain is not None or self.data is not None:
            raise ValueError("--plaintext and --data are for words; leave them out for a cryptogram")
        if self.text is not None and self.prepared is not None:
            raise ValueError("--prepared is one of our texts: leave TEXT out")
        if self.text is not None:
            text = _read_cryptogram(self.text)
            if text is self.text:
                return read_cryptogram(text, has_blanks=self.blanks)
            return naming_file(
                INPUT if self.text == STDIN else self.text, read_cryptogram, text, has_blanks=self.blanks
            )
        name = self.prepared or next(iter(TEXTS))
        if name not in TEXTS:
            raise ValueError(f"--prepared {name!r}: choose one of {', '.join(TEXTS)}")
        return encipher_text(TEXTS[name], seed)


def _read_cryptogram(text):
    """The cryptogram in a file or on standard input, or the text itself where it cannot be the name of a file."""
    if text == STDIN:
        return _decode_text(sys.stdin.buffer.read(), "standard input")
    if text and _is_file(text):  # an empty name would be that of the folder one is in
        return _decode_text(Path(text).read_bytes(), text)
    if FILE_NAME.fullmatch(text):
        raise ValueError(f"{text}: no such file; write the path of one, or the cryptogram itself")
    return text


def _is_file(text):
    try:
        if Path(text).is_dir():
            raise ValueError(f"{text}: a folder; give the path of a file")
        return Path(text).is_file()
    except OSError:  # a long cryptogram is no file name
        return False


def _decode_text(content, where):
    return decode(content, where, fault="{source}: not UTF-8", remedy="is it a text? If so, convert it to UTF-8")


@takes_groups
def decipher(
    *,
    cipher: CipherOptions,
    learning: EmOptions,
    reading: Annotated[Decoding, typer.Option(help="Of words: what a symbol is taken to mean.")] = Decoding.emission,
    size: Annotated[int, typer.Option(min=2, max=5_000, help="Of words: number of the commonest.")] = 500,
    seconds: Annotated[float, typer.Option(min=0.1, help="Of letters: seconds after the first round.")] = 15.0,
    as_json: Json = False,
):
    """Read a cipher whose symbols stand one to one for words, or with --letters for letters.

    A TEXT file of words is enciphered here, a tenth of it, and read again; with --plaintext it is a cipher already.

    rcmviz decipher --letters cryptogram.txt
    """
    if cipher.letters:
        _letters(cipher.cryptogram(learning.seed), learning, seconds, as_json)
    else:
        _words(cipher.word_cipher(size, learning.seed), learning, reading, as_json)


def _words(cipher, learning, reading, as_json):
    from rcmviz.tasks.decipher.symbols import Decipherment

    budget = 60 if learning.budget is None else learning.budget
    how = {"order": learning.order, "reading": str(reading), "pins": learning.pins}
    work = Decipherment(cipher, str(learning.method), budget, **how)
    states = []
    with until_stopped(lambda: _reading_summary(states)), _bar("preparing the kernels", learning.passes) as step:
        for state in work.run(learning.passes):
            states.append(state)
            step(f"pass {state.number}")
    if as_json:
        return typer.echo(json.dumps(_words_dict(cipher, states), ensure_ascii=False))
    console = terminal()
    console.print(
        f"{counted(len(cipher.lines), 'line')} of {escape(cipher.source)}, {counted(len(cipher.symbols), 'symbol')}, "
        f"{counted(len(cipher.vocabulary), 'word')}; the language from {counted(len(cipher.plain), 'sentence')}",
        soft_wrap=True,
    )
    console.print(_passes(states))
    for line in cipher.lines[:SHOWN_LINES]:
        console.print(_plaintext_line(cipher, states[-1], line), soft_wrap=True)
    console.print(f"bold: the symbol is that word in {SURE:.0%} of its expected occurrences", style="dim")
    return None


def _passes(states):
    known = states[0].by_type is not None
    heads = ("pass", "log-likelihood", "context length", *(("symbols right", "tokens right") if known else ()))
    rows = [
        (
            str(s.number),
            f"{s.log_likelihood:,.1f}",
            f"{s.mean_length:.2f}",
            *((f"{s.by_type:.3f}", f"{s.by_token:.3f}") if known else ()),
        )
        for s in states
    ]
    return plain_table(heads, rows)


def _plaintext_line(cipher, state, line):
    """A line as it is read, sure words in bold, and its symbols if the key is unknown."""
    words = [(escape(cipher.vocabulary[state.guess[x]]), state.confidence[x] >= SURE) for x in line]
    text = " ".join(f"[bold]{word}[/]" if sure else f"[dim]{word}[/]" for word, sure in words)
    source = cipher.words(line) if cipher.key is not None else [cipher.symbols[x] for x in line]
    return f"{text}   [dim]({escape(' '.join(source))})[/]"


def _words_dict(cipher, states):
    names = ("number", "log_likelihood", "mean_length", "by_type", "by_token", "seconds")
    last = states[-1]
    mapping = [
        {"symbol": symbol, "word": cipher.vocabulary[last.guess[x]], "confidence": round(float(last.confidence[x]), 4)}
        for x, symbol in enumerate(cipher.symbols)
    ]
    lines = [" ".join(cipher.vocabulary[last.guess[x]] for x in line) for line in cipher.lines]
    passes = [{name: getattr(state, name) for name in names} for state in states]
    return {"source": cipher.source, "passes": passes, "mapping": mapping, "lines": lines}


def _letters(cryptogram, learning, seconds, as_json):
    from rcmviz.lm.shipped import load_lm
    from rcmviz.tasks.decipher.letters import BUDGET, Solver, split_letters

    lm = load_lm(LETTER_MODEL)
    how = {"order": learning.order, "passes": learning.passes, "pins": learning.pins, "seed": learning.seed}
    budget = BUDGET if learning.budget is None else learning.budget
    solver = Solver(cryptogram, lm, str(learning.method), budget, **how)
    latest = deque(maxlen=1)
    with until_stopped(lambda: _reading_summary(latest)), _bar("preparing the kernels", None) as step:
        for guess in solver.run(seconds=seconds):
            latest.append(guess)
            step(f"round {guess.round}: {guess.best_text[:60]}")
    guess = latest[0]
    text = guess.best_text
    spaced = None if cryptogram.has_blanks else split_letters("".join(filter(str.isalpha, text)).lower(), lm)
    if as_json:
        return typer.echo(json.dumps(_letters_dict(cryptogram, guess, spaced), ensure_ascii=False))
    console = terminal()
    console.print(escape(text), soft_wrap=True)
    if spaced is not None:
        console.print(escape(f"with blanks: {spaced}"), soft_wrap=True)
    console.print(escape(_certificate(cryptogram, guess)), style="dim", soft_wrap=True)
    return None


def _certificate(cryptogram, guess):
    rounds = counted(guess.round, "round")
    found = f"found by {guess.agreed} of {rounds}" if guess.solved else f"not sure: no two of {rounds} agree"
    right = cryptogram.accuracy(guess.best)
    share = "" if right is None else f"; {right:.1%} of the letters right"
    return f"{found}, log p {guess.best_log_prob:.1f}{share}"


def _letters_dict(cryptogram, guess, spaced):
    from rcmviz.tasks.decipher.letter_model import LETTERS
    from rcmviz.tasks.decipher.letters import SYMBOLS

    key = {SYMBOLS[x]: LETTERS[y] for x, y in enumerate(guess.best) if cryptogram.counts[x]}
    return {
        "text": guess.best_text,
        "spaced": spaced,
        "key": key,
        "log_prob": guess.best_log_prob,
        "rounds": guess.round,
        "agreed": guess.agreed,
        "solved": guess.solved,
        "accuracy": cryptogram.accuracy(guess.best),
    }


def _reading_summary(made):
    """A sentence, None where nothing has been ``made`` yet."""
    return f"stopped after {counted(made[-1].number, 'step')}; this is how it reads by then" if made else None


@contextmanager
def _bar(description, total):
    """A bar on standard error, with the time left where the total is known; yields ``step(text)``."""
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    clock = TimeElapsedColumn() if total is None else TimeRemainingColumn()
    with progress_bar(TextColumn("{task.description}"), BarColumn(20), clock) as progress:
        shown = progress.add_task(description, total=total)
        yield lambda text: progress.update(shown, advance=1, description=escape(text))
