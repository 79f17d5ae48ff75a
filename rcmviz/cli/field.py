"""The commands `rcmviz field …`: train Markov fields; scores, blanks, neighbours and tags."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from rcmviz.cli import field_train
from rcmviz.cli.console import finite, plain_table, print_note, show_spinner, terminal, with_progress
from rcmviz.cli.files import sentences_of
from rcmviz.cli.options import Json
from rcmviz.core.shared.wording import counted

BLANK, REASONS = "_", 3
field_app = typer.Typer(
    no_args_is_help=True, help="Markov fields: learn one, score a text, fill a blank, like words, tags."
)
field_app.command()(field_train.train)
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A shipped field, as mrf-english, or the .npz of one.")]
Most = Annotated[int, typer.Option("-k", "--most", help="How many words are listed.")]


def _load_field(model):
    from rcmviz.mrf.shipped import load_field

    with show_spinner(f"reading {model}"):
        return load_field(model)


@field_app.command()
def score(
    model: Model,
    file: Annotated[
        Path | None, typer.Argument(help="UTF-8, also gzipped, a sentence per line; - is standard input.")
    ] = None,
    text: Annotated[str | None, typer.Option(help="One sentence.")] = None,
    bounds: Annotated[bool, typer.Option("--bounds", help="The star and chain bounds and the ring's too.")] = False,
    as_json: Json = False,
):
    """Log probability (natural, exact) of sentences among all of their length, and bounds for the text as a whole."""
    from rcmviz.mrf.vocabulary import encode

    if (file is None) == (text is None):
        raise ValueError("give either a file of sentences or one sentence with --text")
    field = _load_field(model)
    sentences = [field.split(text)] if file is None else sentences_of(file, field.vocabulary_.units)
    sentences = [words for words in sentences if words]
    if not sentences:
        raise ValueError(f"{file or '--text'}: no words; give a sentence with at least one")
    corpus, rows = encode(sentences, field.vocabulary_), []
    unknown = field.vocabulary_.unknown
    if not (corpus.ids != unknown).any():
        print_note("the field knows none of these words: only their number counts")
    for words, ids in with_progress(list(zip(sentences, corpus.sentences(), strict=True)), "scoring"):
        rows.append(
            {
                "text": " ".join(words),
                "words": len(ids),
                "unknown": int((ids == unknown).sum()),
                "log_prob": field.log_prob(words),
            }
        )
    total = _total(field, rows)
    if bounds:
        with show_spinner("bounding"):
            total["bounds"] = {kind: field.bound(sentences, kind) for kind in ("star", "chain", "ring")}
    if as_json:
        return typer.echo(json.dumps(total | {"sentences": rows}, ensure_ascii=False))
    typer.echo("    log p   words  unknown  sentence")
    for row in rows:
        typer.echo(f"{row['log_prob']:>10,.3f} {row['words']:>7,} {row['unknown']:>8,}  {row['text']}")
    typer.echo(
        f"{total['log_prob']:,.3f} in all; {total['per_token']:.4f} nats per token, {total['tokens']:,} tokens "
        f"with {counted(field.potentials_.order, 'separator')} a sentence"
    )
    for kind, value in total.get("bounds", {}).items():
        typer.echo(f"{value:.4f} nats per token by the {kind}{'' if kind == 'ring' else ' bound'}")
    return None


def _total(field, rows):
    tokens = sum(row["words"] for row in rows) + field.potentials_.order * len(rows)
    log_prob = sum(row["log_prob"] for row in rows)
    return {"log_prob": finite(log_prob), "tokens": tokens, "per_token": finite(log_prob / tokens)}


@field_app.command()
def blank(
    model: Model,
    text: Annotated[str, typer.Argument(help=f"A sentence with one blank, {BLANK}.")],
    k: Most = 10,
    as_json: Json = False,
):
    """The most probable words in a blank, given both sides, and what each neighbour adds to their scores.

    rcmviz field blank mrf-english "a cup of _ , please ."
    """
    from rcmviz.mrf.vocabulary import split_at_blank

    field = _load_field(model)
    left, right = split_at_blank(text, field.vocabulary_.units)
    words, here = [*left, BLANK, *right], len(left)
    _note_unknown(field, words)
    filled, edges = field.fill(left, right, k), field.edge_scores(left, right)
    order = field.potentials_.order
    line = ["<S>"] * order + words + ["<S>"] * order
    places = [here + order + shift for shift in (*range(-order, 0), *range(1, order + 1))]
    rows = []
    for word, p in filled:
        w = int(field.words.index(word))
        added = [*edges[0, ::-1, w].tolist(), *edges[1, :, w].tolist()]
        rows.append({"word": word, "p": p, "node": float(field.potentials_.node[w]), "edges": added})
    names = [line[place] for place in places]
    if as_json:
        return typer.echo(json.dumps({"neighbours": names, "words": rows}, ensure_ascii=False))
    headers = (
        "p",
        "word",
        "alone",
        *(f"{name} ({place - here - order:+d})" for name, place in zip(names, places, strict=True)),
    )
    cells = [
        (f"{row['p']:.4f}", row["word"], f"{row['node']:.2f}", *(f"{x:+.2f}" for x in row["edges"])) for row in rows
    ]
    terminal().print(plain_table(tuple(map(escape, headers)), cells, ("word",), wrap=False))
    return None


def _note_unknown(field, words):
    unknown = [word for word in words if word not in (BLANK, *field.words)]
    if unknown:
        print_note(f"the field does not know {', '.join(unknown)}: read as <unk>")


@field_app.command()
def neighbours(
    model: Model, word: Annotated[str, typer.Argument(help="A word of the field.")], k: Most = 10, as_json: Json = False
):
    """The words whose vectors have the smallest angles with that of a word."""
    found = _load_field(model).neighbours(word, k)
    if as_json:
        rows = [{"word": other, "cosine": cosine} for other, cosine in found]
        return typer.echo(json.dumps({"word": word, "neighbours": rows}, ensure_ascii=False))
    rows = [(f"{cosine:.3f}", other) for other, cosine in found]
    terminal().print(plain_table(("cosine", "word"), rows, ("word",), wrap=False))
    return None


@field_app.command()
def tag(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="mrftagger-ewt, or what field train --tagger wrote.")],
    text: Annotated[str, typer.Argument(help="A sentence in English.")],
    as_json: Json = False,
):
    """Tag the words of a sentence, and say which features decided."""
    from rcmviz.mrf.shipped import load_field_tagger

    if not text.strip():
        raise ValueError("there are no words to tag; write a sentence")
    with show_spinner(f"reading {model}"):
        tagger = load_field_tagger(model)
    words = tagger.split(text)
    (tags,) = tagger.predict([words])
    rows = []
    for position, (word, name) in enumerate(zip(words, tags, strict=True)):
        reasons = [reason._asdict() for reason in tagger.reasons(words, position, name)[:REASONS]]
        rows.append({"word": word, "tag": name, "known": tagger.knows(word), "reasons": reasons})
    if as_json:
        return typer.echo(json.dumps(rows, ensure_ascii=False))
    cells = [
        (
            row["word"] if row["known"] else f"{row['word']} (new)",
            row["tag"],
            "  ".join(f"{reason['feature']} {reason['weight']:+.2f}" for reason in row["reasons"]),
        )
        for row in rows
    ]
    terminal().print(plain_table(("word", "tag", "features"), cells, ("word", "tag", "features")))
    return None
