"""The command `predict`: labels for the sequences of a file."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from rcmviz.cli.console import counted, terminal
from rcmviz.cli.files import check_out, load_classifier, naming_file
from rcmviz.cli.options import Json
from rcmviz.core.whole_file import write_text


def predict(
    what: Annotated[Path, typer.Argument(metavar="FILE", help="A CoNLL or CSV file like the training file.")],
    model: Annotated[str | None, typer.Option(help="The model that rcmviz train wrote.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where the answers go; printed by default.")] = None,
    confidence: Annotated[bool, typer.Option("--confidence", help="Say how sure each sequence is.")] = False,
    budget: Annotated[int | None, typer.Option(help="Contexts kept per position; as trained by default.")] = None,
    passes: Annotated[int | None, typer.Option(min=1, help="Passes of rcms; as trained by default.")] = None,
    max_mb: Annotated[int, typer.Option(min=1, help="The most megabytes that are read.")] = 100,
    as_json: Json = False,
):
    """Label the sequences of a file, which needs no labels of its own; a last column with the answers is added."""
    from rcmviz.sequences.file import read_sequences

    if out is not None:
        check_out(out)
    classifier, columns = load_classifier(model)
    file = read_sequences(what, like=columns, max_bytes=max_mb * 1_000_000)
    classifier.set_params(test_budget=budget, test_passes=passes)
    labels, sure = naming_file(file.source, classifier.predict_with_confidence, file.X)
    if as_json:
        text = json.dumps({"labels": labels, "confidence": sure.tolist()}, ensure_ascii=False) + "\n"
    else:
        text = file.with_labels(labels, sure if confidence else None)
    if out is None:
        sys.stdout.write(text)
    else:
        write_text(out, text)
        terminal().print(f"{out}: {counted(len(file), 'sequence')}, mean confidence {sure.mean():.3f}", soft_wrap=True)
