"""From settings to finished runs and the player's payload; each kept by the frozen settings that it came from.

Kept with ``lru_cache``, or by how much it holds (``RESULT_CACHE``): the key is the whole value; Streamlit's cache would
hash a sample of a large array.
Nothing here knows of a session or a widget, and a cached value is never changed, so sessions may share it.
"""

import base64
import binascii
import codecs
import math
import zlib
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np

import rcmviz as rv
from pages.shell import text_store
from pages.shell.computing import compute
from pages.shell.errors import NeedsInput
from pages.shell.methods import MOST_RUNS
from pages.shell.trained_models import is_checkpoint, trained_model
from pages.word.code import variables
from pages.word.edits import arguments, check_edits, edits_of_method
from pages.word.question import MAX_LETTERS
from pages.word.words import find_word
from rcmviz.core.builders.blame import blame_problem
from rcmviz.core.builders.build import PASSES
from rcmviz.core.methods import BUILDERS, MethodChoice, numbered_where_alike
from rcmviz.core.problems.problem_file import parse_content
from rcmviz.core.problems.problem_reader import MAX_BYTES, ProblemError
from rcmviz.jobs.memory import RESULT_CACHE
from rcmviz.tasks import TEST_FOLD
from rcmviz.tasks.handwriting.pen import decode_images, word_from_images, write_word
from rcmviz.tasks.handwriting.problems import problem_from_word
from rcmviz.views import Run
from rcmviz.views.mass_flow.payload import best_of
from rcmviz.views.mass_flow.word import build_word, is_large

BYTES_PER_SECOND = 4_000_000  # of a problem file that is read, roughly
ARCS_PER_SECOND = 100_000_000  # of exact inference without a trace, by a rough estimate
MOST_EXACT = 5_000_000  # arcs of exact inference besides the methods: 12 letters, 0.2 s of CPU time
MOST_TRACED = 6_000_000  # arcs; beyond that (exact, about 14 letters) the trace alone would take 250 MB


@dataclass(frozen=True, eq=False)
class FinishedRun:
    """One method on one subject: ``name``, ``lattice``, ``trace`` (or None), edits that this method cannot follow,
    whether it has an output (a beam may lose them all), and whether it is too large for the picture.
    """

    name: str
    lattice: rv.Lattice
    trace: rv.Trace | None
    unused: tuple
    has_output: bool
    is_large: bool


@lru_cache(maxsize=8)
def model_named(name):
    """A shipped model or a checkpoint; ValueError for another name (links must not open files)."""
    if is_checkpoint(name):
        return trained_model(name)
    if name not in rv.shipped_models():
        raise ValueError(f"there is no model {name!r}; shipped are {', '.join(rv.shipped_models()) or 'none'}")
    return rv.load_model(name)


def pack_problem(text):
    """A problem file as text for a link, or the name that it is kept by where that would be too long."""
    return text_store.shorten(base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("="))


def unpack_problem(packed):
    """The problem file that ``pack_problem`` packed; ValueError where it cannot be unpacked."""
    packed = text_store.expand(packed)
    try:
        data = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(data, MAX_BYTES).decode()
    except (binascii.Error, zlib.error, ValueError):
        raise ValueError("the problem in this link is damaged; copy the link again or upload the file") from None
    if not unpacker.eof:
        raise ValueError("the problem in this link is cut short or too large; copy the link again or upload the file")
    return text


def problem_of(subject):
    """The subject as a Problem; ValueError says what to do."""
    return (_large_problem if text_store.is_stored_name(subject.text) else _small_problem)(subject)


@lru_cache(maxsize=128)
def _small_problem(subject):
    return _problem(subject)


@lru_cache(maxsize=6)  # a few megabytes each
def _large_problem(subject):
    return _problem(subject)


def _problem(subject):
    if subject.source == "problem":
        return _parse_problem(unpack_problem(subject.text).encode(), "your problem", subject.model)
    shipped = None if is_checkpoint(subject.model) else subject.model
    return problem_from_word(model_named(subject.model), word_of(subject), shipped)


def _parse_problem(content, source, model, transitions=None, labels=None):
    """A problem that brings no weights is read with ``model`` where it has its labels; JSON always brings them."""
    seconds = len(content) / BYTES_PER_SECOND
    problem = compute(seconds, parse_content, content, source, None, transitions, labels)
    brings_weights = content.lstrip()[:1] == b"{" or problem.model.weights.any()
    if brings_weights or problem.model.labels != model_named(model).labels:
        return problem
    return compute(seconds, parse_content, content, source, model, None, labels)


def word_of(subject):
    """The handwritten Word of a subject; ValueError says what to do."""
    if subject.source == "kassel":
        return find_word(subject.text)
    if subject.source == "drawn" and not subject.text:
        raise NeedsInput("nothing is drawn yet: write a letter into each box above", icon="draw")
    if subject.source == "drawn":
        return word_from_images(decode_images(subject.text), subject.drawn_gold)
    if not subject.text.strip():
        raise ValueError("there is no word: type one of the letters a to z")
    if len(subject.text.strip()) > MAX_LETTERS:
        raise ValueError(
            f"the word has {len(subject.text.strip())} letters, the limit here is {MAX_LETTERS}; shorten it"
        )
    return write_word(subject.text.strip(), seed=subject.seed, noise=subject.noise)


@RESULT_CACHE.memoized
def finished_run(subject, method, options, edits):
    """One method on a subject, as ``FinishedRun``; ValueError says what to do."""
    problem = problem_of(subject)
    check_edits(edits, problem.labels, problem.T)
    call, unused = builder_call(method.kind, options, edits)
    by_expert = call.get("select") == "expert"
    arcs = 0 if method.entry.selects and not by_expert else _exact_arcs(problem)
    traced = arcs <= MOST_TRACED or by_expert
    if by_expert and arcs > MOST_TRACED:
        raise ValueError(
            "the expert needs exact inference, which is too large here; choose a shorter word or another rule"
        )
    record = PASSES if options.every_pass and "passes" in call else traced
    run = partial(problem.run, method.kind, method.budget, record=record, **call)
    # a trace is large for its work (223 MB for .6 s of exact inference): to send it would cost the server more
    lattice, trace = compute(0 if traced else arcs / ARCS_PER_SECOND, run)
    name = method.name + options.suffix(method.entry)
    return FinishedRun(name, lattice, trace, tuple(unused), rv.log_z(lattice) > -math.inf, is_large(lattice))


def builder_call(kind, options, edits):
    """(arguments of a method's builder, edits that it cannot follow); a budget that the user sets is kept."""
    call, unused = arguments(edits, kind)
    call |= options.options_of(BUILDERS[kind])
    if call.get("budgets"):
        call.pop("adaptive", None)
    return call, unused


def _exact_arcs(problem):
    width, order = len(problem.labels), problem.model.order
    return sum(width ** (min(i, order) + 1) for i in range(problem.T))


def allows_exact(problem):
    """Whether exact inference is small enough to be run besides the methods."""
    return _exact_arcs(problem) <= MOST_EXACT


def all_finished(subject, methods, options, edits):
    """Every method with the edits that hold for it, a ``FinishedRun`` each; a method that comes twice is told apart."""
    runs = [finished_run(subject, method, options, edits_of_method(edits, n)) for n, method in enumerate(methods, 1)]
    names = numbered_where_alike([run.name for run in runs])
    return [replace(run, name=name) for run, name in zip(runs, names, strict=True)]


def runs_with_outputs(runs):
    """The numbers of the runs that have an output; all if none has."""
    return [n for n, run in enumerate(runs, 1) if run.has_output] or list(range(1, len(runs) + 1))


def passes_of(run):
    """A run's passes as runs of their own, if they were recorded: up to three, the last one last."""
    traces = () if run.trace is None else run.trace.passes
    shown = traces if len(traces) <= MOST_RUNS else (*traces[: MOST_RUNS - 1], traces[-1])
    if len(shown) < 2:
        return [run]
    names = [f"Pass {trace.settings['passes']}, {_method_name(trace.settings)}" for trace in shown]
    of_pass = zip(names, shown, strict=True)
    return [replace(run, name=name, lattice=trace.lattice, trace=trace) for name, trace in of_pass]


def _method_name(settings):
    return MethodChoice(settings["method"], settings["budget"]).name


def shown_runs(problem, finished_runs, edits):
    """What the player is given of finished runs, with the edits that hold for each of them alone, in words."""
    if len(finished_runs) == 1:
        finished_runs = passes_of(finished_runs[0])
    own = [tuple(edit.said for edit in edits if edit.of == n) for n in range(1, len(finished_runs) + 1)]
    return [
        Run(run.name, run.lattice, run.trace, blame_problem(problem, run.lattice), said)
        for run, said in zip(finished_runs, own, strict=True)
    ]


@lru_cache(maxsize=48)
def label_posterior(subject, method, options):
    """Label posteriors (T, Y) without any what-if edit, that edits are compared with; 0 where no output is left."""
    run = finished_run(subject, method, options, ())
    return rv.posterior(run.lattice).label if run.has_output else np.zeros((run.lattice.T, run.lattice.width))


def word_payload(subject, methods, options, edits, trust=None):
    """What the pages draw: the mass-flow picture, and the player as its details; ValueError says what to do."""
    problem, runs, given = _view_arguments(subject, methods, options, edits)
    has_exact = any(not method.entry.selects for method in methods)
    exact = None if edits or has_exact else _exact_best(subject)
    earlier = shown_runs(problem, all_finished(subject, methods, options, edits[:-1]), edits[:-1]) if edits else None
    return build_word(problem.gold, runs, exact=exact, earlier=earlier, trust=trust, **given)


def _view_arguments(subject, methods, options, edits):
    """The problem, the runs as views take them, and the arguments that the views of a word share."""
    problem = problem_of(subject)
    finished_runs = all_finished(subject, methods, options, edits)
    shown, names = shown_runs(problem, finished_runs, edits), variables(methods)
    if len(shown) > len(methods):
        names = [(f"{name}.lattice", name) for name in (f"trace.passes[{n}]" for n in _numbers_of(shown))]
    baseline = [label_posterior(subject, method, options) for method in methods]
    given = {
        "gold": problem.gold,
        "images": problem.images,
        "title": problem.title or problem.name,
        "tokens": problem.tokens,
        "notes": problem.notes,
        "baseline": baseline * (len(shown) // len(methods)) if edits else None,
        "settings": {
            "source": subject.source,
            "model": subject.model,
            "editsOf": edits[-1].of if edits else None,
            "edits": [str(edit) for edit in edits],
            "variables": [list(each) for each in names],
        },
    }
    return problem, shown, given


def _numbers_of(shown):
    """The index of each pass among the recorded ones."""
    return [run.trace.settings["passes"] - 1 for run in shown]


@lru_cache(maxsize=256)
def _exact_best(subject):
    """What the model says with no budget, for the end of the picture; None where it takes long."""
    problem = problem_of(subject)
    if not allows_exact(problem):
        return None
    lattice, _ = problem.run("exact", None, record=False)
    return best_of(lattice, None if problem.gold is None else tuple(problem.gold))


def compatible_problem(content, source, model, transitions=None, labels=None):
    """A problem file that somebody gave, checked, as (Problem, JSON to keep); ProblemError says what to do.

    ``transitions``, (name, bytes), and ``labels`` are what was given beside it.
    """
    content = content.removeprefix(codecs.BOM_UTF8)
    problem = _parse_problem(content, source, model, transitions, labels)
    if problem.T > MAX_LETTERS:
        raise ProblemError(f"{source}: {problem.T} positions, the application shows up to {MAX_LETTERS}; shorten it")
    return problem, content.decode() if content.lstrip()[:1] == b"{" else problem.to_json()


def origin_of(subject):
    """One line about a real word: which one it is, and whether the model has seen it in training."""
    word = find_word(subject.text)
    seen = "not seen in training" if word.fold == TEST_FOLD else "seen in training"
    return f"Kassel’s word {word.index:,} (“{word.letters}”), fold {word.fold}, {seen}"
