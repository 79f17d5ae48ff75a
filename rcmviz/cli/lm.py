"""The commands `rcmviz lm …`: train and check language models; scores and next words."""

import json
import time
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from math import exp, inf
from operator import add
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

import rcmviz
from rcmviz.cli.console import error_terminal, finite, plain_table, progress_bar, show_spinner, terminal
from rcmviz.cli.files import check_out, sentences_of
from rcmviz.cli.options import Json, takes_groups, whole_numbers
from rcmviz.core.shared.wording import counted

ENDINGS = (".arpa", ".arpa.gz", ".npz")
BATCH = 1_000  # sentences scored at once
LARGEST = 700.0  # exp of more overflows


class Smoothing(StrEnum):
    """Smoothing methods."""

    kneser_ney = "kneser-ney"
    witten_bell = "witten-bell"
    absolute = "absolute"


class Units(StrEnum):
    """Units that a line is split into."""

    tokens = "tokens"
    words = "words"
    characters = "characters"
    letters = "letters"
    english = "english"


lm_app = typer.Typer(no_args_is_help=True, help="Language models: train, check an ARPA file, score a text, next words.")
Model = Annotated[
    str, typer.Argument(metavar="MODEL", help="An .arpa file, also gzipped, an .npz file, or a shipped model by name.")
]
SplitInto = Annotated[Units | None, typer.Option(help="What a line is split into; by default as in training.")]


@dataclass(frozen=True)
class LmOptions:
    """Options of the model."""

    order: Annotated[int, typer.Option(help="Words of the longest n-grams, 1 to 9.")] = 5
    smoothing: Annotated[Smoothing, typer.Option(help="Kneser-Ney is the modified one.")] = Smoothing.kneser_ney
    cutoffs: Annotated[
        str | None, typer.Option(help="Counts up to which n-grams of order 1, 2, … are left out; by default 0,0,1.")
    ] = None
    vocabulary: Annotated[int | None, typer.Option(help="Keep this number of the most frequent words.")] = None
    min_count: Annotated[int, typer.Option(help="Keep words that occur at least this often.")] = 1
    units: Annotated[Units, typer.Option(help="What a line is split into.")] = Units.tokens
    characters: Annotated[bool, typer.Option("--characters", help="The same as --units characters.")] = False
    discount: Annotated[float | None, typer.Option(help="Of absolute discounting, else estimated.")] = None
    end: Annotated[bool, typer.Option(help="Sentences end with </s>.")] = True
    unknown: Annotated[bool, typer.Option(help="Unknown words are possible, as <unk>.")] = True

    def options(self):
        """Keyword arguments for `train_lm`."""
        if self.characters and self.units not in (Units.tokens, Units.characters):
            raise ValueError(f"--characters and --units {self.units} exclude each other; give one of them")
        units = Units.characters if self.characters else self.units
        cutoffs = self.cutoffs and tuple(whole_numbers(self.cutoffs, "--cutoffs", "0,0,1"))
        return {
            "order": self.order,
            "smoothing": str(self.smoothing),
            "cutoffs": cutoffs,
            "vocabulary": self.vocabulary,
            "min_count": self.min_count,
            "units": str(units),
            "discount": self.discount,
            "end": self.end,
            "unknown": self.unknown,
        }


@lm_app.command()
@takes_groups
def train(
    *,
    text: Annotated[Path, typer.Argument(help="UTF-8, also gzipped, one sentence per line; - is standard input.")],
    out: Annotated[Path, typer.Option(help="Where the model goes: .arpa, .arpa.gz or .npz.")] = Path("lm.npz"),
    model: LmOptions,
    max_backoff: Annotated[bool, typer.Option("--max-backoff", help="ARPA with the two columns of bounds.")] = False,
    as_json: Json = False,
):
    """Train a model on a text; nothing is written before it is complete."""
    _check_ending(out, max_backoff)
    check_out(out)
    begin = time.perf_counter()
    trained = _train(text, out, model.options(), max_backoff)
    seconds = time.perf_counter() - begin
    info = trained.info
    if as_json:
        document = {"model": str(out), "counts": trained.counts, "seconds": seconds, "info": info}
        return typer.echo(json.dumps(document, ensure_ascii=False))
    console = terminal()
    console.print(_counts(trained))
    size = f"{out}: {out.stat().st_size / 1000:,.0f} kB, {seconds:.1f} s"
    read = f"{counted(info['sentences'], 'sentence')}, {counted(info['words'], 'word')}, ends counted"
    console.print(escape(f"{size}; {read}, {info['unknown']:,} of them unknown"), soft_wrap=True)


def _check_ending(out, max_backoff):
    if not str(out).endswith(ENDINGS):
        raise ValueError(f"{out}: a model ends in {', '.join(ENDINGS)}; write e.g. {out.with_suffix('.arpa')}")
    if max_backoff and out.suffix == ".npz":
        raise ValueError(f"{out}: --max-backoff is for ARPA files; an .npz file has the bounds anyway")


def _train(text, out, options, max_backoff):
    """The model, trained and written, with a progress bar; Ctrl-C leaves no file."""
    with progress_bar() as progress:
        shown = progress.add_task(f"reading {text}", total=None)

        def showing(what):
            return lambda done, total: progress.update(shown, completed=done, total=total, description=what)

        try:
            sentences = sentences_of(text, options["units"], showing(f"reading {text}"))
            model = rcmviz.train_lm(sentences, **options, progress=showing("counting and smoothing"))
            progress.update(shown, description=f"writing {out}")
            _write(model, out, max_backoff)
        except KeyboardInterrupt:
            progress.console.print("stopped: nothing was written", soft_wrap=True)
            raise typer.Exit(130) from None
    return model


def _write(model, out, max_backoff):
    if out.suffix == ".npz":
        model.save(out)
    else:
        model.write_arpa(out, max_backoff=max_backoff)


def _counts(model):
    """The n-grams of every order, what was cut off and what discounts were found."""
    cutoffs, discounts_of = model.info["cutoffs"], model.info["discounts"]
    rows = [
        (str(k), f"{count:,}", f"count ≤ {cut}" if cut else "", " ".join(f"{discount:.3f}" for discount in discounts))
        for k, (count, cut, discounts) in enumerate(zip(model.counts, cutoffs, discounts_of, strict=True), 1)
    ]
    return plain_table(("order", "n-grams", "cut off", "discounts"), rows)


@lm_app.command()
def check(file: Annotated[Path, typer.Argument(help="An ARPA file, also gzipped.")], as_json: Json = False):
    """Examine an ARPA file: counts, sums, holes, missing beginnings, back-offs above one, and whether bounds hold."""
    from rcmviz.lm.doctor import check_arpa

    with show_spinner(f"examining {file}"):
        diagnosis = check_arpa(file)
    if as_json:
        return typer.echo(json.dumps(diagnosis.to_dict(), ensure_ascii=False))
    table = Table.grid(padding=(0, 2))
    for name, finding in diagnosis.rows():
        table.add_row(name, escape(finding))
    terminal().print(table)


@lm_app.command()
def score(
    model: Model,
    file: Annotated[Path | None, typer.Argument(help="One sentence per line; - is standard input.")] = None,
    text: Annotated[str | None, typer.Option(help="One sentence.")] = None,
    units: SplitInto = None,
    words: Annotated[bool, typer.Option("--each-word", help="Each word's log probability too.")] = False,
    end: Annotated[bool, typer.Option(help="Score the ends of sentences.")] = True,
    as_json: Json = False,
):
    """Log probability (natural) and perplexity of sentences; unknown words count as <unk>, without it not at all."""
    from rcmviz.core.lattices.lattice import spell

    if (file is None) == (text is None):
        raise ValueError("give either a file of sentences (- is standard input) or one sentence with --text")
    lm = _load_model(model)
    units = _units_of(lm, units)
    sentences = sentences_of(file, units) if text is None else [_split(text, units, "--text")]
    rows, total = [], (0.0, 0, 0, 0)
    for number, (sentence, sums) in enumerate(_score_sentences(lm, sentences, end)):
        if not (as_json or number):  # a text that cannot be read has no head
            typer.echo("    log p   words  unknown  perplexity  sentence")
        total = tuple(map(add, total, sums))
        by_word = _word_log_probs(lm, sentence, end) if words else None
        if as_json:
            rows.append(_row(*sums) | {"text": spell(sentence)} | ({"by_word": by_word} if words else {}))
        else:
            _print_row(_row(*sums), spell(sentence), by_word or [])
    if as_json:
        return typer.echo(json.dumps(_row(*total) | {"sentences": rows}, ensure_ascii=False))
    _print_row(_row(*total), "all", [])


def _load_model(model):
    with show_spinner(f"reading {model}"):
        return rcmviz.load_lm(model)


def _units_of(lm, units):
    return str(units or lm.units)


def _split(text, units, option):
    from rcmviz.lm.text import splitter

    sentence = splitter(units)(text)
    if not sentence:
        raise ValueError(f"{option} {text!r}: no {units} in it")
    return sentence


def _score_sentences(lm, sentences, end):
    """(sentence, (log p, words, unknown ones, those that count)) of each, the ends of sentences among the words."""
    sentences = iter(sentences)
    while batch := list(islice(sentences, BATCH)):
        scores = lm.score(batch, end)
        counting = scores.words - (0 if scores.has_unknown else scores.unknown)
        columns = (scores.log_prob, scores.words, scores.unknown, counting)
        yield from zip(batch, zip(*(column.tolist() for column in columns), strict=True), strict=True)


def _row(log_prob, words, unknown, counting):
    """The printed numbers of one or all sentences; None for numbers that are not finite."""
    mean = -log_prob / counting if counting else inf
    perplexity = exp(mean) if mean < LARGEST else None
    return {"log_prob": finite(log_prob), "words": words, "unknown": unknown, "perplexity": perplexity}


def _word_log_probs(lm, sentence, end):
    """[(word, log p)] with the end; None for a word without a probability."""
    closing = ["</s>"] if end and lm.end >= 0 else []
    ids = [lm.begin, *lm.ids([*sentence, *closing])]
    scores = lm.score_words(ids, [0, len(ids)])[1:].tolist()
    return list(zip([*sentence, *closing], map(finite, scores), strict=True))


def _print_row(row, text, by_word):
    perplexity = "–" if row["perplexity"] is None else f"{row['perplexity']:,.2f}"
    typer.echo(f"{_number(row['log_prob'])} {row['words']:>7,} {row['unknown']:>8,} {perplexity:>11}  {text}")
    for word, log_prob in by_word:
        typer.echo(f"{_number(log_prob)}  {word}")


def _number(log_prob):
    return f"{'-inf' if log_prob is None else f'{log_prob:,.3f}':>10}"


@lm_app.command("next")
def next_words(
    model: Model,
    text: Annotated[str, typer.Argument(help="What was said before, oldest first.")] = "",
    k: Annotated[int, typer.Option("-k", "--most", help="How many words are listed.")] = 10,
    start: Annotated[bool, typer.Option("--start", help="The text is the beginning of a sentence.")] = False,
    units: SplitInto = None,
    as_json: Json = False,
):
    """The most probable next words, the end of the sentence among them."""
    from rcmviz.lm.text import words_before

    lm = _load_model(model)
    units = _units_of(lm, units)
    if text.strip():
        _split(text, units, "TEXT")
    history = (["<s>"] if start else []) + words_before("TEXT", text, units)
    found = lm.next_words(history, k)
    if as_json:
        rows = [{"word": word, "log_prob": finite(log_prob)} for word, log_prob in found]
        return typer.echo(json.dumps({"history": history, "next": rows}, ensure_ascii=False))
    unknown = [word for word in history if word not in lm]
    if unknown:
        error_terminal().print(f"note: the model does not know {escape(', '.join(unknown))}")
    rows = [(f"{exp(log_prob):.4f}", f"{log_prob:.3f}", word) for word, log_prob in found]
    terminal().print(plain_table(("p", "log p", "word"), rows, ("word",), wrap=False))
