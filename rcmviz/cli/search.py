"""The command `search`: best-first search and A* of one example, pop by pop."""

import json
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from rcmviz.cli.console import plain_table, show_spinner, terminal
from rcmviz.cli.message_options import DEFAULT_LM
from rcmviz.cli.options import ExampleOptions, Json, as_choices, takes_groups
from rcmviz.cli.search_many import Subject, read_lines, search_lines
from rcmviz.core.methods import METHODS
from rcmviz.core.shared.wording import counted

SearchName = as_choices(kind for kind, method in METHODS.items() if method.searches)
LONGEST = 60  # characters of a hypothesis that are printed


@dataclass(frozen=True)
class KeypadOptions:
    """A message on a keypad, instead of an example."""

    keypad: Annotated[str | None, typer.Option(help='Keys instead, blanks between words, e.g. "3637 843 *".')] = None
    candidates: Annotated[
        int | None, typer.Option(help="Keypad: most candidates per word, those nearest to the keys.")
    ] = None
    lm: Annotated[str, typer.Option("--lm", help="Keypad: an ARPA or .npz file, or a shipped model.")] = DEFAULT_LM

    def language_model(self):
        """The requested one."""
        from rcmviz.lm.shipped import load_lm

        with show_spinner(f"reading {self.lm}"):
            return load_lm(self.lm)

    def read(self, keys, lm):
        """(the message, a function of the ``HMM`` behind it)."""
        from rcmviz.tasks.sms.messages import read_digits

        typed = read_digits(lm, keys, most=self.candidates)
        return typed, partial(typed.hmm, lm, end=lm.end >= 0)


@takes_groups
def search(
    *,
    example: ExampleOptions,
    message: KeypadOptions,
    file: Annotated[
        Path | None, typer.Option(help="Many searches: a word for the pen, or the keys of a message, on each line.")
    ] = None,
    method: Annotated[
        SearchName, typer.Option(help="bestfirst goes by the score so far, astar by that and a bound on the rest.")
    ] = SearchName.astar,
    queue: Annotated[int | None, typer.Option(help="How many hypotheses may wait; 1 is greedy search.")] = None,
    bound_order: Annotated[int | None, typer.Option(help="astar: labels that the bound on the rest can see.")] = None,
    recombine: Annotated[bool, typer.Option("--recombine", help="Extend only the best of equal contexts.")] = False,
    k: Annotated[int, typer.Option("-k", "--k", help="How many of the best answers.")] = 1,
    pops: Annotated[int, typer.Option(help="Most pops.")] = 100_000,
    rows: Annotated[int, typer.Option(min=0, help="Most pops printed, the last ones among them.")] = 20,
    as_json: Json = False,
):
    """Search best-first: the pops, the dropped items, and whether the first answer is proved to be the best.

    rcmviz search --text creation --bound-order 1 · rcmviz search --keypad "3637 843 *" · rcmviz search roads.json ·
    rcmviz search --file words.txt

    A file is a problem as in docs/data.md, or a search of your own: start, goals, steps (docs/search.md).
    """
    from rcmviz.search.engine import search_best

    run = partial(search_best, queue=queue, k=k, most=pops, recombine=recombine)
    if file is not None:
        subjects = _subjects(file, example, message, METHODS[method], bound_order)
        return search_lines(file, subjects, run, spell_steps, as_json)
    name, problem = _read_problem(example, message, METHODS[method], bound_order)
    with show_spinner("searching"):
        found = run(problem)
    if as_json:
        return typer.echo(json.dumps(search_dict(name, found), ensure_ascii=False))
    console = terminal()
    console.print(f"[bold]{escape(name)}[/] · {METHODS[method].title}{_queue_limit_text(queue)}\n", soft_wrap=True)
    if rows:
        console.print(_table(found.trace, rows), end="\n\n")
    for answer in found.answers:
        gap = {None: "", 0.0: "  proved"}.get(answer.gap, f"  a better one may be {answer.gap or 0.0:.3f} above")
        console.print(
            f"[bold]found[/]  {escape(spell_steps(answer.steps))}   score {answer.score:.3f}{gap}", soft_wrap=True
        )
    console.print(escape(found.why), soft_wrap=True)
    hypotheses = counted(len(found.trace.parent), "hypothesis", "hypotheses")
    console.print(f"{counted(found.expansions, 'expansion')}, {hypotheses}")


def _queue_limit_text(queue):
    return "" if queue is None else f" · queue of {queue}"


def _read_problem(example, message, method, bound_order):
    """``(name, problem)`` of the request."""
    _check_bound(method, bound_order)
    if message.keypad is not None:
        if _is_given(example):
            raise ValueError("--keypad and an example are two inputs; give one of them")
        typed, hmm = message.read(message.keypad, message.language_model())
        return typed.digits, _model_problem(method, hmm(), None, bound_order)
    graph = _graph(example.problem, method, bound_order)
    if graph is not None:
        return example.problem, graph
    problem = example.load()
    return problem.name, _model_problem(method, problem.model, problem.log_emit, bound_order)


def _graph(path, method, bound_order):
    from rcmviz.search.graph import GraphSearch, read_graph

    graph = read_graph(path) if path is not None and str(path).endswith(".json") else None
    if graph is None:
        return None
    if bound_order is not None:
        raise ValueError(f"{path}: --bound-order is for sequences; a search of your own brings its bound as rest")
    return GraphSearch(graph.first, graph.goals, graph.steps) if method.has_budget else graph


def _check_bound(method, bound_order):
    if method.has_budget and bound_order is not None:
        raise ValueError(f"--bound-order is for astar: {method.title} search goes by the score alone")


def _is_given(example):
    return any(value is not None for value in (example.problem, example.text, example.index, example.word))


def _subjects(file, example, message, method, bound_order):
    """The searches of a file's lines, as ``search_lines`` takes it; all lines are read before the first search."""
    from rcmviz.core.models.shipped import load_model

    _check_bound(method, bound_order)
    if message.keypad is not None or _is_given(example):
        raise ValueError(f"--file {file} and an example are two inputs; give one of them")
    model, lm = cache(lambda: load_model(example.model or "handwriting-pen")), cache(message.language_model)
    subjects = []
    for number, text in read_lines(file):
        try:
            right, make = _keys(message, text, lm) if _is_typed(text) else _word(replace(example, text=text), model)
        except ValueError as error:
            raise ValueError(f"{file}, line {number}: {error}") from None
        subjects.append(Subject(number, text, right, partial(_make_problem, make, method, bound_order)))
    return subjects


def _is_typed(text):
    return any(sign.isdecimal() or sign == "*" for sign in text)


def _keys(message, text, lm):
    """(None, a function of the model and its emissions) of a message in keys."""
    _, hmm = message.read(text, lm())
    return None, lambda: (hmm(), None)


def _word(example, model):
    """(letters, a function of the model and its emissions) of a word for the pen."""
    from rcmviz.tasks.handwriting.pen import letters_of
    from rcmviz.tasks.handwriting.problems import word_emissions

    return letters_of(example.text), lambda: (model(), word_emissions(model(), example.handwritten_word()))


def _make_problem(make, method, bound_order):
    return _model_problem(method, *make(), bound_order)


def _model_problem(method, model, log_emit, bound_order):
    from rcmviz.search.builders import astar_problem
    from rcmviz.search.sequences import SequenceSearch

    if method.has_budget:
        return SequenceSearch(model, log_emit)
    return astar_problem(model, log_emit, bound_order)


def _table(trace, rows):
    """The pops, the first and the last if there are many."""
    shown = list(range(len(trace)))
    if len(shown) > rows:
        shown = [*shown[: rows // 2], *shown[len(shown) - (rows - rows // 2) :]]
    lines = []
    for row, p in enumerate(shown):
        if row and p > shown[row - 1] + 1:
            lines.append(("…", f"{p - shown[row - 1] - 1:,} more", "", "", "", "", ""))
        n, lost = int(trace.pops[p]), len(trace.dropped(p))
        text = spell_steps(trace.steps(n)) or "start"
        lines.append(
            (
                f"{p + 1:,}",
                text if len(text) <= LONGEST else "…" + text[1 - LONGEST :],
                f"{trace.score[n]:.3f}",
                f"{trace.rest[n]:z.3f}",
                f"{trace.total[n]:.3f}",
                f"{trace.queue[p]:,}",
                f"{lost:,}" if lost else "",
            )
        )
    headers = ("pop", "hypothesis", "score", "rest", "sum", "queue", "dropped")
    return plain_table(headers, lines, ("hypothesis",))


def spell_steps(steps):
    """Steps as a text: letters as a word, longer names with blanks."""
    return ("" if all(len(step) == 1 for step in steps) else " ").join(steps)


def search_dict(name, found):
    """A ``Search`` ready for JSON."""
    answers = [{"steps": list(one.steps), "score": one.score, "gap": one.gap} for one in found.answers]
    return {
        "name": name,
        "answers": answers,
        "proved": found.proved,
        "why": found.why,
        "stopped": found.stopped,
        "pops": found.pops,
        "expansions": found.expansions,
        "trace": found.trace.to_dict(),
    }
