"""The command `tag`: parts of speech, with a proof and exact marginals."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from rcmviz.cli.console import finite, plain_table, terminal, with_progress
from rcmviz.cli.files import STDIN, check_text_out, sentences_of, write_or_print
from rcmviz.cli.options import DEFAULT_TAGGER, DecoderBudget, DecoderName, Json, TaggerName
from rcmviz.core.shared.wording import counted

SHOWN = 4  # tags per word
RARE = 0.001  # a share that is not worth a column


def tag(
    text: Annotated[str | None, typer.Argument(help="A sentence in English.")] = None,
    file: Annotated[
        Path | None, typer.Option(help="One sentence per line, split as the treebank does; - is standard input.")
    ] = None,
    model: TaggerName = DEFAULT_TAGGER,
    order: Annotated[int, typer.Option(help="Of the tag model: 3 predicts a tag from the two before it.")] = 3,
    method: Annotated[DecoderName, typer.Option(help="How the best tags are found.")] = DecoderName.ars,
    budget: DecoderBudget = 20,
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
    if text is not None and (text == STDIN or os.path.isfile(text)):
        raise ValueError(f"{text!r} is a file, no sentence; write --file {text}")
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
        return typer.echo(json.dumps(_tags_dict(found) | {"shares": shares}, ensure_ascii=False))
    console = terminal()
    console.print(_tag_table(found, shares))
    proof = {None: "nothing is proved of these tags", 0.0: "proved to be the most probable tags"}
    certificate = proof.get(found.gap, f"not proved: others may be better by at most {found.gap or 0.0:.3f} nats")
    drawn = f"; shares of {counted(n, 'exact draw')}" if n else ""
    console.print(f"{certificate}, log p {found.log_score:.3f}{drawn}", soft_wrap=True)


def _tag_table(found, shares):
    """A row per word: its tag, and what the draws say of it."""
    rows = []
    for word, tag, known, drawn in zip(found.words, found.tags, found.known, shares, strict=True):
        text = "  ".join(f"{name} {100 * share:.1f} %" for name, share in drawn[:SHOWN] if share >= RARE)
        rows.append((word if known else f"{word} (new)", tag, text))
    return plain_table(("word", "tag", "share"), rows, ("word", "tag", "share"))


def _tags_dict(found):
    return {
        "words": list(found.words),
        "tags": list(found.tags),
        "known": list(found.known),
        "log_score": finite(found.log_score),
        "gap": found.gap,
    }


def _tag_file(tagger, file, out, how, as_json):
    from rcmviz.tasks.english import treebank_words

    check_text_out(out)
    sentences = [treebank_words(" ".join(words)) for words in sentences_of(file)]
    found = [tagger.tag(words, **how) for words in with_progress(sentences, f"tagging {file}")]
    if as_json:
        text = json.dumps([_tags_dict(one) for one in found], ensure_ascii=False) + "\n"
    else:
        blocks = ("".join(f"{w}\t{t}\n" for w, t in zip(one.words, one.tags, strict=True)) for one in found)
        text = "\n".join(blocks)
    write_or_print(text, out, counted(len(found), "sentence"))
