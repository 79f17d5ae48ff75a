"""The command `predict`: labels for the sequences of a file."""

import json
from pathlib import Path
from typing import Annotated

import typer

from rcmviz.cli.files import check_text_out, load_classifier, naming_file, sequences_of, write_or_print
from rcmviz.cli.options import Json, RuleName
from rcmviz.core.rules import FORWARD
from rcmviz.core.shared.wording import counted


def predict_file(
    what: Annotated[Path, typer.Argument(metavar="FILE", help="A file like the training file; - is standard input.")],
    model: Annotated[str, typer.Option(help="The model that rcmviz train wrote.")],
    out: Annotated[Path | None, typer.Option(help="Where the answers go; printed by default, as with -.")] = None,
    confidence: Annotated[bool, typer.Option("--confidence", help="Say how sure each sequence is.")] = False,
    budget: Annotated[int | None, typer.Option(help="Contexts kept per position; as trained by default.")] = None,
    passes: Annotated[int | None, typer.Option(min=1, help="Passes of rcms; as trained by default.")] = None,
    select: RuleName = FORWARD,
    max_mb: Annotated[int, typer.Option(min=1, help="The most megabytes that are read.")] = 100,
    as_json: Json = False,
):
    """Label the sequences of a file, which needs no labels of its own; they become a last column, in CoNLL-U theirs."""
    from rcmviz.core.shared import checks

    check_text_out(out)
    if budget is not None:
        checks.budget(budget)
    classifier, columns = load_classifier(model)
    file = sequences_of(what, max_mb * 1_000_000, columns)
    classifier.set_params(test_budget=budget, test_passes=passes, test_select=select)
    labels, sure = naming_file(file.source, classifier.predict_with_confidence, file.X)
    if as_json:
        text = json.dumps({"labels": labels, "confidence": sure.tolist()}, ensure_ascii=False) + "\n"
    else:
        text = file.with_labels(labels, sure if confidence else None)
    write_or_print(text, out, f"{counted(len(file), 'sequence')}, mean confidence {sure.mean():.3f}")
