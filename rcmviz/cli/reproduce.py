"""`rcmviz reproduce`: runs what a figure or table of the papers needs and writes table, figure and JSON."""

from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from rcmviz.cli.console import error_terminal, progress_bar


class Experiment(StrEnum):
    """Figures and tables; each is a module of `rcmviz.experiments`."""

    figure3 = "figure3"
    figure4 = "figure4"
    figure5 = "figure5"
    figure6 = "figure6"
    figure6_decipher = "figure6-decipher"
    folds = "folds"
    tuning = "tuning"
    table1 = "table1"
    table2 = "table2"
    table3 = "table3"
    table4 = "table4"
    figure_sms = "figure-sms"
    figure_pos = "figure-pos"
    figure_field_synthetic = "figure-field-synthetic"
    figure_field_text = "figure-field-text"
    table_neighbours = "table-neighbours"
    table_field_tagging = "table-field-tagging"
    search = "search"
    importance = "importance"
    selection = "selection"


class ExperimentData(StrEnum):
    """Data sets of the reproductions."""

    kassel = "kassel"
    pen = "pen"
    europarl = "europarl"
    ud_ewt = "ud_ewt"
    shipped = "shipped"
    tatoeba = "tatoeba"
    grammar = "grammar"
    cmudict = "cmudict"
    lexicon = "lexicon"
    wikitext2 = "wikitext2"
    synthetic = "synthetic"


HANDWRITING, CIPHERS = (ExperimentData.kassel, ExperimentData.pen), (ExperimentData.tatoeba, ExperimentData.grammar)
SPEECH = (ExperimentData.cmudict, ExperimentData.lexicon)
TEXTS, DRAWN = (ExperimentData.wikitext2, ExperimentData.grammar), (ExperimentData.synthetic,) * 2
MESSAGES, TAGGING = (ExperimentData.europarl, ExperimentData.shipped), (ExperimentData.ud_ewt, ExperimentData.shipped)
ABOUT = {  # the paper's data, or the nearest to it, and what takes its place
    Experiment.figure3: HANDWRITING,
    Experiment.figure4: SPEECH,
    Experiment.figure5: CIPHERS,
    Experiment.figure6: HANDWRITING,
    Experiment.figure6_decipher: CIPHERS,
    Experiment.folds: HANDWRITING,
    Experiment.tuning: HANDWRITING,
    Experiment.table1: MESSAGES,
    Experiment.table2: MESSAGES,
    Experiment.table3: MESSAGES,
    Experiment.table4: MESSAGES,
    Experiment.figure_sms: MESSAGES,
    Experiment.figure_pos: TAGGING,
    Experiment.figure_field_synthetic: DRAWN,
    Experiment.figure_field_text: TEXTS,
    Experiment.table_neighbours: TEXTS,
    Experiment.table_field_tagging: TAGGING,
    Experiment.search: HANDWRITING,
    Experiment.importance: HANDWRITING,
    Experiment.selection: HANDWRITING,
}
REJECTION = tuple(Experiment(f"table{k}") for k in range(1, 5)) + (Experiment.figure_sms, Experiment.figure_pos)
TIMED = (*REJECTION, Experiment.importance)
REGISTERED = {ExperimentData.kassel: "ocr"}  # where the data set has another name
QUICK_SEEDS = 2
QUICK_STANDIN = (Experiment.figure4,)  # a quick run is on what takes the place of its data
MATTERING = ("data", "words", "seeds", "quick", "exact", "large")  # options that decide an outcome
STANDINS = {
    ExperimentData.pen: "the pen's words",
    ExperimentData.shipped: "the shipped model, with sentences drawn from it",
    ExperimentData.grammar: "sentences of our own grammar",
    ExperimentData.lexicon: "our lexicon of common words",
}


def reproduce(
    context: typer.Context,
    what: Annotated[
        Experiment, typer.Argument(help="A figure or table of the papers, all folds, or what helped beyond it.")
    ],
    data: Annotated[
        ExperimentData | None, typer.Option(help="The paper's where it is here, else pen or shipped.")
    ] = None,
    words: Annotated[int, typer.Option(min=50, help="How many words the pen writes.")] = 6000,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="How many seeds; by default those of the stored results, 2 if quick.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A little of everything, to see it work; other options given win over it.")
    ] = False,
    exact: Annotated[
        bool | None,
        typer.Option("--exact/--no-exact", help="Rows that need exact training, far slower; not if quick by default."),
    ] = None,
    large: Annotated[bool, typer.Option("--large", help="figure-field-text with 10,000 words too: an hour.")] = False,
    jobs: Annotated[int, typer.Option(help="Trainings at once; -1 for all cores.")] = 2,
    backend: Annotated[str, typer.Option(help="joblib's: loky (processes), dask, ray.")] = "loky",
    scheduler: Annotated[str | None, typer.Option(help="Of Dask, as tcp://host:8786.")] = None,
    out: Annotated[Path, typer.Option(help="The folder for table, figure and JSON.")] = Path("results"),
):
    """Reproduce what the papers show.

    RCMS: figure3 to figure6, folds, tuning. Adaptive rejection: table1 to table4, figure-sms, figure-pos.
    Markov fields: figure-field-synthetic, figure-field-text, table-neighbours, table-field-tagging.
    Learning to search: search. Weighted draws: importance. Selection rules and adaptive budgets: selection.

    Writes NAME.md, NAME.json and, for a figure, NAME.html and NAME.png. Every finished training is kept in NAME.jsonl,
    so that the same command continues after an interruption; runs of adaptive rejection and draws are timed, so always
    new.
    """
    from rcmviz.experiments.provenance import provenance, seeds_of
    from rcmviz.experiments.report import Plan, add_provenance, write

    module = import_module(f"rcmviz.experiments.{what.name}")
    seeds = seeds or (QUICK_SEEDS if quick else getattr(module, "SEEDS", Plan.seeds))
    plan = Plan(_source(what, data, words, quick), seeds, quick, exact, large)
    out.mkdir(parents=True, exist_ok=True)
    specs = module.specs(plan)
    if what in TIMED:  # no trainings
        results = _measure(module, specs)
    else:
        results = _run_specs(module, specs, out / f"{what}.jsonl", jobs, backend, scheduler)
    origin = provenance(_command(context, what), quick=quick, seeds=seeds_of(specs))
    report = add_provenance(module.report(plan, results), origin)
    files, missing = write(report, out)
    typer.echo(report.text)
    console = error_terminal()
    if missing:
        console.print(missing, style="yellow", markup=False, soft_wrap=True)
    console.print(f"written: {', '.join(map(str, files))}", soft_wrap=True)


def _command(context, what):
    """The command as it was given, without the options that change no number."""
    words = ["rcmviz reproduce", str(what)]
    for option in context.command.params:
        name, value = option.name, context.params.get(option.name)
        if name in MATTERING and context.get_parameter_source(name).name == "COMMANDLINE":
            text = f"--{name}" if value is not False else f"--no-{name}"
            words.append(text if isinstance(value, bool) else f"{text} {value}")
    return " ".join(words)


def _source(what, data, words, quick):
    """``"kassel"``, ``"pen:6000"``, …; prints a note if the paper's data is the default and missing.

    ValueError for data of another task.
    """
    from rcmviz.data.registry import absent, dataset_named, find

    own, standin = ABOUT[what]
    if data not in (None, own, standin):
        if own is standin:
            raise ValueError(f"{what} draws its own data: leave --data out")
        raise ValueError(f"{what} is not about {data}: choose --data {own} or --data {standin}")
    if quick and data is None and what in QUICK_STANDIN:
        data = standin
    name = REGISTERED.get(own, str(own))
    if own is not standin and data is None and not find(name):
        text = f"{absent(dataset_named(name))}. Used instead: {STANDINS[standin]}, for which the paper has no numbers"
        error_terminal().print(text, style="yellow", markup=False, soft_wrap=True)
        data = standin
    return f"pen:{words}" if data is ExperimentData.pen else str(data or own)


def _measure(module, specs):
    """The results of all specs, one after the other on one core, as their times are part of them."""
    from rcmviz.ars import decode

    results = []
    with _progress() as progress:
        shown = progress.add_task("preparing the kernels", total=len(specs))
        getattr(module, "warm_up", decode.warm_up)()
        for number, spec in enumerate(specs, start=1):
            progress.update(shown, description=f"run {number} of {len(specs)}")
            results.append(module.cell(spec))
            progress.advance(shown)
    return results


def _progress():
    """A bar of the work left."""
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

    return progress_bar(TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())


def _run_specs(module, specs, store, jobs, backend, scheduler):
    """The results of all specs, with a bar of the work left; ValueError where a training failed."""
    from rcmviz.experiments import trainings
    from rcmviz.experiments.cells import run_cells
    from rcmviz.learn import trainer

    effort, code_digest = (getattr(module, name, getattr(trainings, name)) for name in ("effort", "code_digest"))
    warm_up = getattr(module, "warm_up", trainer.warm_up)
    finished = []
    with _progress() as progress:
        shown = progress.add_task("preparing the kernels (once, about half a minute)", total=sum(map(effort, specs)))

        def done(spec, result):
            finished.append(spec)
            progress.update(shown, advance=effort(spec), description=f"{len(finished)} of {len(specs)} trainings")

        how = {"jobs": jobs, "backend": backend, "scheduler": scheduler, "version": code_digest()}
        try:
            warm_up()  # here, not in every worker at once
            progress.update(shown, description=f"0 of {len(specs)} trainings")
            results = run_cells(module.cell, specs, store=store, done=done, **how)
        except KeyboardInterrupt:
            kept = f"{len(finished)} of {len(specs)} trainings are kept in {store}"
            progress.console.print(f"stopped: {kept}; the same command continues", soft_wrap=True)
            raise typer.Exit(130) from None
    _check(results, store)
    return results


def _check(results, store):
    """ValueError where a training failed: a table with holes would be worse."""
    failed = [result["error"] for result in results if "error" in result]
    if failed:
        raise ValueError(
            f"{len(failed)} of {len(results)} trainings failed, the first with: {failed[0]}; the others are kept in "
            f"{store}, and the same command runs the missing ones"
        )
