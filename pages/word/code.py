"""The few lines of Python that reproduce a view in a notebook."""

import re

from pages.learn.code import checkpoint_lines
from pages.shell.trained_models import is_checkpoint
from pages.word.edits import arguments, edits_of_method
from rcmviz.core.methods import numbered_where_alike
from rcmviz.core.rules import FORWARD


def reproducing_code(subject, methods, options, edits, position=None):
    """Python source; it runs as it stands where rcmviz (and, for Kassel's words, the data) is installed."""
    lines = ["import rcmviz as rv", *_subject_lines(subject)]
    for number, (method, names) in enumerate(zip(methods, variables(methods), strict=True), 1):
        lines.append(f"{', '.join(names)} = {_call(method, options, edits_of_method(edits, number))}")
    lines += _questions(methods, position)
    return "\n".join(lines) + "\n"


def _subject_lines(subject):
    if subject.source == "problem":
        return ['problem = rv.read_problem("problem.json")  # "download this problem" writes it']
    load = {
        "pen": (
            "rcmviz.tasks.handwriting.pen",
            "write_word",
            f"write_word({subject.text.strip()!r}, seed={subject.seed}, noise={subject.noise:g})",
        ),
        "drawn": (
            "rcmviz.tasks.handwriting.pen",
            "decode_images, word_from_images",
            f"word_from_images(decode_images({subject.text!r}){_gold_argument(subject)})",
        ),
        "kassel": ("rcmviz.tasks.handwriting", "load_words", _kassel_expression(subject)),
    }
    module, names, expression = load[subject.source]
    trained = is_checkpoint(subject.model)
    return [
        "from rcmviz.tasks.handwriting.problems import problem_from_word",
        f"from {module} import {names}",
        *(checkpoint_lines(subject.model) if trained else [""]),
        f"word = {expression}",
        f"problem = problem_from_word({'model' if trained else f'rv.load_model({subject.model!r})'}, word)",
    ]


def _gold_argument(subject):
    return f", {subject.drawn_gold!r}" if subject.drawn_gold else ""


def _kassel_expression(subject):
    text = subject.text.strip()
    if text.isdecimal():
        return f"load_words()[{int(text)}]"
    letters, _, number = text.lower().partition(" ")
    return f"[word for word in load_words() if word.letters == {letters!r}][{int(number or 1) - 1}]"


def _call(method, options, edits):
    arguments_of_edits, _ = arguments(edits, method.kind)
    taken = options.options_of(method.entry)
    given = {"budget": method.budget} if method.has_budget else {}
    if taken.get("deduplicate"):
        given["deduplicate"] = True
    if taken.get("select", FORWARD) != FORWARD:
        given["select"] = taken["select"]
    if taken.get("adaptive") and "budgets" not in arguments_of_edits:
        given["adaptive"] = taken["adaptive"]
    if taken.get("passes", 1) > 1:
        given["passes"] = options.passes
    if options.every_pass and "passes" in taken:
        given["record"] = "passes"
    if taken.get("seed"):
        given["seed"] = options.draw
    if "root_weight" in taken:
        given["root_weight"] = options.root_weight
    given |= arguments_of_edits
    listed = "".join(f", {name}={value!r}" for name, value in given.items())
    return f"rv.{method.entry.builder}(problem.model, problem.log_emit{listed})"


def variables(methods):
    """What the code calls the lattice and the trace of each method: ``rcms_10``, ``rcms_10_2`` where it comes again."""
    if len(methods) == 1:
        return [("lattice", "trace")]
    names = [re.sub(r"\W+", "_", name).strip("_") for name in numbered_where_alike([str(method) for method in methods])]
    return [(name, f"{name}_trace") for name in names]


def _questions(methods, position):
    if len(methods) == 1:
        at = [] if position is None else [f"trace.table({position}).sort_values('rank').head(12)"]
        return ["print(rv.viterbi(lattice), rv.posterior(lattice).log_z)", *at]
    names = ", ".join(name for name, _ in variables(methods))
    return [f"for lattice in ({names}):", "    print(rv.viterbi(lattice), rv.posterior(lattice).log_z)"]
