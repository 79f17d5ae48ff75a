"""The commands `rcmviz tagger …`: taggers learnt from a treebank, and tested on another."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from rcmviz.cli.console import finite, plain_table, terminal, with_progress
from rcmviz.cli.files import check_npz, print_remarks
from rcmviz.cli.options import DEFAULT_TAGGER, DecoderBudget, DecoderName, Json, TaggerName, whole_numbers
from rcmviz.core.shared.wording import counted

Tags = Annotated[str, typer.Option(help="xpos, the treebank's own tags, or upos, the universal ones.")]
Treebank = Annotated[Path, typer.Argument(help="A CoNLL-U file, also gzipped.")]
tagger_app = typer.Typer(no_args_is_help=True, help="Taggers: learn one from a treebank, test one on another.")


@tagger_app.command()
def train(
    treebank: Treebank,
    out: Annotated[Path, typer.Option(help="Where the tagger goes.")] = Path("tagger.npz"),
    order: Annotated[int, typer.Option(help="The highest order of the tag model, 1 to 9; lower ones are in it.")] = 9,
    tags: Tags = "xpos",
):
    """Learn a tagger from a treebank."""
    from rcmviz.tasks.tagging.tagger import Tagger, read_tagged

    check_npz(out, "a tagger")
    sentences = print_remarks(treebank, read_tagged(treebank, tags))
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
    treebank: Treebank,
    model: TaggerName = DEFAULT_TAGGER,
    orders: Annotated[str, typer.Option(help="Orders of the tag model, with commas.")] = "3,5,9",
    method: Annotated[DecoderName, typer.Option(help="How the best tags are found.")] = DecoderName.ars,
    budget: DecoderBudget = 20,
    tags: Tags = "xpos",
    as_json: Json = False,
):
    """Accuracy of a tagger on a treebank, for known and unknown words."""
    from rcmviz.tasks.tagging.shipped import load_tagger
    from rcmviz.tasks.tagging.tagger import read_tagged

    wanted = whole_numbers(orders, "--orders", "3,5,9")
    tagger, sentences = load_tagger(model), print_remarks(treebank, read_tagged(treebank, tags))
    found = {
        order: tagger.accuracy(with_progress(sentences, f"order {order}"), order, str(method), budget=budget)
        for order in wanted
    }
    if as_json:
        numbers = {order: {name: finite(value) for name, value in asdict(one).items()} for order, one in found.items()}
        return typer.echo(json.dumps(numbers))
    rows = [
        (
            str(order),
            f"{one.all:.4f}",
            f"{one.known:.4f}",
            f"{one.unknown:.4f}",
            f"{one.words:,}",
            f"{one.unknown_words:,}",
        )
        for order, one in found.items()
    ]
    headers = ("order", "accuracy", "known words", "unknown words", "words", "of which unknown")
    terminal().print(plain_table(headers, rows))
