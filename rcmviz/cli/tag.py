"""The commands `tag` and `tagger`: parts of speech with a proof and exact marginals; taggers learnt and tested."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from rcmviz.cli.decode import Finder, columns, finite
from rcmviz.cli.learn import check_out, progress_bar
from rcmviz.cli.options import Json, counted, terminal

DEFAULT_TAGGER = "tagger-ewt"
SHOWN = 4  # tags per word
RARE = 0.001  # a share that is not worth a column

Model = Annotated[str, typer.Option(help="A shipped tagger, or the .npz file of one.")]
Order = Annotated[int, typer.Option(help="Of the tag model: a tag is predicted from so many tags less one.")]
Budget = Annotated[int, typer.Option(help="beam, rcms: contexts kept per position.")]
Tags = Annotated[str, typer.Option(help="xpos, the treebank's own tags, or upos, the universal ones.")]


def tag(
    text: Annotated[str | None, typer.Argument(help="A sentence in English.")] = None,
    file: Annotated[Path | None, typer.Option(help="One sentence per line, split as the treebank does.")] = None,
    model: Model = DEFAULT_TAGGER,
    order: Order = 3,
    method: Annotated[Finder, typer.Option(help="How the best tags are found.")] = Finder.ars,
    budget: Budget = 20,
    n: Annotated[int, typer.Option("-n", "--n", min=0, help="Exact draws for the shares of tags, 0 for none.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="For the draws.")] = 0,
    out: Annotated[Path | None, typer.Option(help="With --file: where the tags go; printed by default.")] = None,
    as_json: Json = False,
):
    """Tag the words of a sentence, or of every line of a file (a word and its tag per line, as CoNLL).

    rcmviz tag "The dog runs" --order 3
    """
    from rcmviz.tasks.english import treebank_words
    from rcmviz.tasks.tagging.shipped import load_tagger

    if (text is None) == (file is None):
        raise ValueError('give either a sentence, e.g. rcmviz tag "The dog runs", or --file')
    if file is None and out is not None:
        raise ValueError("--out is for --file; a sentence is printed")
    tagger = load_tagger(model)
    how = {"order": order, "method": str(method), "budget": budget}
    if file is not None:
        return _tag_file(tagger, file, out, how, as_json)
    words = treebank_words(text)
    if not words:
        raise ValueError("there are no words to tag; write a sentence")
    found = tagger.tag(words, **how)
    shares = tagger.marginals(words, order, n=n, seed=seed) if n else [[] for _ in words]
    if as_json:
        return typer.echo(json.dumps(_tagged_dict(found) | {"shares": shares}, ensure_ascii=False))
    console = terminal()
    console.print(_tagged(found, shares))
    proof = {None: "nothing is proved of these tags", 0.0: "proved to be the most probable tags"}
    told = proof.get(found.gap, f"not proved: others may be better by at most {found.gap} nats")
    drawn = f"; shares of {counted(n, 'exact draw')}" if n else ""
    console.print(f"{told}, log p {found.log_score:.3f}{drawn}", soft_wrap=True)


def _tagged(found, shares):
    """A row per word: its tag, and what the draws say of it."""
    rows = []
    for word, tag, known, drawn in zip(found.words, found.tags, found.known, shares, strict=True):
        told = "  ".join(f"{name} {100 * share:.1f} %" for name, share in drawn[:SHOWN] if share >= RARE)
        rows.append((word if known else f"{word} (new)", tag, told))
    return columns(("word", "tag", "share"), rows, ("word", "tag", "share"))


def _tagged_dict(found):
    return {
        "words": list(found.words), "tags": list(found.tags), "known": list(found.known),
        "log_score": finite(found.log_score), "gap": found.gap,
    }  # fmt: skip


def _tag_file(tagger, file, out, how, as_json):
    from rcmviz.lm.text import read_sentences
    from rcmviz.tasks.english import treebank_words

    if out is not None:
        check_out(out)
    sentences = [treebank_words(" ".join(words)) for words in read_sentences(file)]
    found = [tagger.tag(words, **how) for words in _shown(sentences, f"tagging {file}")]
    if as_json:
        text = json.dumps([_tagged_dict(one) for one in found], ensure_ascii=False) + "\n"
    else:
        blocks = ("".join(f"{w}\t{t}\n" for w, t in zip(one.words, one.tags, strict=True)) for one in found)
        text = "\n".join(blocks)
    if out is None:
        sys.stdout.write(text)
    else:
        out.write_text(text, encoding="utf-8")
        terminal().print(f"{escape(str(out))}: {counted(len(found), 'sentence')}", soft_wrap=True)


def _shown(items, what):
    """The items, with a progress bar."""
    with progress_bar() as progress:
        yield from progress.track(items, description=what)


tagger_app = typer.Typer(no_args_is_help=True, help="Taggers: learn one from a treebank, test one on another.")


@tagger_app.command()
def train(
    treebank: Annotated[Path, typer.Argument(help="A CoNLL-U file, also gzipped.")],
    out: Annotated[Path, typer.Option(help="Where the tagger goes.")] = Path("tagger.npz"),
    order: Annotated[int, typer.Option(help="The highest order of the tag model, 1 to 9; lower ones are in it.")] = 9,
    tags: Tags = "xpos",
):
    """Learn a tagger from a treebank."""
    from rcmviz.tasks.tagging.tagger import Tagger, read_tagged

    if out.suffix != ".npz":
        raise ValueError(f"{out}: a tagger is an .npz file; write e.g. {out.stem}.npz")
    check_out(out)
    sentences = read_tagged(treebank, tags)
    info = {"name": out.stem, "source": treebank.name.removesuffix(".gz"), "tags": tags}
    tagger = Tagger.fit(sentences, order, info=info)
    tagger.save(out)
    words, names = len(tagger.emissions.words), len(tagger.emissions.tags)
    terminal().print(
        f"{escape(str(out))}: {counted(len(sentences), 'sentence')}, {counted(words, 'different word')}, "
        f"{counted(names, 'tag')}, {out.stat().st_size / 1e6:.1f} MB",
        soft_wrap=True,
    )


@tagger_app.command()
def test(
    treebank: Annotated[Path, typer.Argument(help="A CoNLL-U file, also gzipped.")],
    model: Model = DEFAULT_TAGGER,
    orders: Annotated[str, typer.Option(help="Orders of the tag model, with commas.")] = "3,5,9",
    method: Annotated[Finder, typer.Option(help="How the best tags are found.")] = Finder.ars,
    budget: Budget = 20,
    tags: Tags = "xpos",
    as_json: Json = False,
):
    """How many tags a tagger gets right on a treebank, among known and unknown words."""
    from dataclasses import asdict

    from rcmviz.tasks.tagging.shipped import load_tagger
    from rcmviz.tasks.tagging.tagger import read_tagged

    wanted = [part.strip() for part in orders.split(",")]
    if not all(part.isdecimal() for part in wanted):
        raise ValueError(f"--orders {orders}: write whole numbers with commas, e.g. 3,5,9")
    tagger, sentences = load_tagger(model), read_tagged(treebank, tags)
    found = {
        order: tagger.accuracy(_shown(sentences, f"order {order}"), order, str(method), budget=budget)
        for order in map(int, wanted)
    }
    if as_json:
        return typer.echo(json.dumps({order: asdict(one) for order, one in found.items()}))
    rows = [
        (str(order), f"{one.all:.4f}", f"{one.known:.4f}", f"{one.unknown:.4f}", f"{one.words:,}",
         f"{one.unknown_words:,}")
        for order, one in found.items()
    ]  # fmt: skip
    headers = ("order", "accuracy", "known words", "unknown words", "words", "of which unknown")
    terminal().print(columns(headers, rows, ()))
