"""Examples on which two methods disagree: both answers, both confidences, and whose fault a wrong one is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rcmviz.core.builders.blame import RIGHT, SEARCH_ERROR, FullModel
from rcmviz.core.builders.build import build_lattice
from rcmviz.core.builders.regret import total_regrets
from rcmviz.core.inference.infer import log_z, viterbi
from rcmviz.core.lattices.lattice import spell
from rcmviz.core.methods import USUAL_BUDGET, MethodChoice
from rcmviz.core.models.model import NgramModel
from rcmviz.core.problems.problem import Problem
from rcmviz.core.shared import checks
from rcmviz.evaluation.evaluate import Contender, answer
from rcmviz.sequences.table import Sequences as LabelledSequences

if TYPE_CHECKING:
    import pandas

SURE = 0.9
SIDES = FIRST, SECOND = "first", "second"
COLUMNS = ["number", "gold", "gap"] + [
    f"{side}{part}"
    for side in SIDES
    for part in ("", "_confidence", "_right", "_verdict", "_position", "_cause", "_regret")
]


@dataclass(frozen=True)
class Filter:
    """Which examples are listed: ``sentence`` about the ``{first}`` and the ``{second}`` method, and a test of the
    columns. ``judges`` names the sides whose verdicts it needs, ``needs_gold`` whether it needs right labels.
    """

    sentence: str
    test: Callable[[dict[str, np.ndarray]], np.ndarray]
    judges: tuple[str, ...] = ()
    needs_gold: bool = True

    def said(self, first: str, second: str) -> str:
        """The sentence with the names of both methods.

        >>> FILTERS["sure"].said("Beam 10", "RCMS 10")
        'Beam 10 is wrong and at least 90 % sure; RCMS 10 is right.'
        """
        return self.sentence.format(first=first, second=second)


FILTERS = {
    "differ": Filter("{first} and {second} answer differently.", lambda c: c["differ"], needs_gold=False),
    "sure": Filter(
        "{first} is wrong and at least 90 % sure; {second} is right.",
        lambda c: ~c["first_right"] & (c["first_confidence"] >= SURE) & c["second_right"],
    ),
    "saved": Filter("{first} is wrong; {second} is right.", lambda c: ~c["first_right"] & c["second_right"]),
    "harmed": Filter("{first} is right; {second} is wrong.", lambda c: c["first_right"] & ~c["second_right"]),
    "first-budget": Filter("{first} is wrong because of its budget.", lambda c: ~c["first_right"], (FIRST,)),
    "second-budget": Filter("{second} is wrong because of its budget.", lambda c: ~c["second_right"], (SECOND,)),
    "wrong": Filter("{first} or {second} is wrong.", lambda c: ~(c["first_right"] & c["second_right"])),
    "all": Filter("All examples.", lambda c: np.ones(len(c["differ"]), bool), needs_gold=False),
}


class _Example(NamedTuple):
    model: Any
    log_emit: np.ndarray
    gold: tuple | None  # names; None for an unknown one


class _Answers(NamedTuple):
    """One method: label names of each example, None where no output is left, and the confidences (N,)."""

    outputs: list
    confidence: np.ndarray


def disagreements(
    data: LabelledSequences | Iterable[Problem],
    model: NgramModel | None = None,
    methods: Sequence[str | MethodChoice] = ("beam:10", "rcms:10"),
    *,
    show: str = "differ",
    regrets: int = 100,
    threads: int | None = None,
) -> pandas.DataFrame:
    """List the examples on which two methods disagree, those with the largest confidence gap first.

    Parameters
    ----------
    data : Sequences or iterable of Problem
        The examples: labelled sequences, which ``model`` decodes in bulk, or problems, which have their own models.
    model : NgramModel, optional
        The model of the sequences; left out for problems.
    methods : sequence of two str
        The methods with their budgets, such as ``"beam:10"``.
    show : str
        Which examples: ``"differ"`` (the answers differ), ``"sure"`` (the first is wrong and at least 90 % sure, the
        second is right), ``"saved"`` (the first is wrong, the second is right), ``"harmed"`` (the reverse),
        ``"first-budget"``, ``"second-budget"`` (that method is wrong because of its budget), ``"wrong"`` (one is
        wrong) or ``"all"``.
    regrets : int
        For how many of the first rows the regret is computed, which takes exact inference; 0 for none.
    threads : int, optional
        Number of threads of the decoding; None or −1 for all cores.

    Returns
    -------
    pandas.DataFrame
        One row for each example: ``number`` (from 0), ``gold``, ``gap`` (difference of the confidences), and for both
        methods, as ``first…`` and ``second…``: the answer, ``_confidence``, ``_right``, ``_verdict``, ``_position``
        and ``_cause`` of a search error (as ``rv.blame`` gives them) and ``_regret``, the total of ``rv.regret``.
        Unknown values are missing. ``attrs`` has the ``methods``, and the filter as a ``sentence``.

    Raises
    ------
    ValueError
        An argument is malformed, the data does not fit the model, or a filter needs gold labels that are missing.

    Examples
    --------
    >>> import rcmviz as rv
    >>> model = rv.NgramModel.from_windows("ab", 1, {("a", "b"): 2.0})
    >>> problem = rv.Problem(model, [[0.0, 0.1], [0.1, 0.0]], gold="ab")
    >>> table = rv.disagreements([problem], methods=("greedy", "exact"))
    >>> table[["gold", "first", "first_verdict", "first_position", "second"]].values.tolist()
    [['ab', 'ba', 'search error', 1, 'ab']]
    """
    chosen = [_contender(method) for method in checks.as_list("methods", methods, "two methods")]
    if len(chosen) != 2:
        raise ValueError(f"methods: {len(chosen)} given; choose two, such as ('beam:10', 'rcms:10')")
    wanted = FILTERS[checks.choice("show", show, FILTERS)]
    checks.whole("regrets", regrets, 0)
    examples, answers = _read(data, model, chosen, threads)
    if wanted.needs_gold and not any(example.gold for example in examples):
        raise ValueError(f"show={show!r} needs right labels: the examples have none; choose 'differ' or 'all'")
    columns = _columns(examples, answers)
    shown = np.flatnonzero(wanted.test(columns))
    shown = shown[np.argsort(-columns["gap"][shown], kind="stable")]
    rows: list[dict[str, Any]] = []
    for number in shown.tolist():
        row = _table_row(number, examples[number], answers, columns)
        judged = [_judge(examples[number], method, row, side) for method, side in zip(chosen, SIDES, strict=True)]
        if any(row[f"{side}_verdict"] != SEARCH_ERROR for side in wanted.judges):
            continue
        if len(rows) < regrets and len(examples[number].log_emit) > 1:
            row |= _regrets(examples[number], judged)
        rows.append(row)
    return _as_frame(rows, chosen, wanted)


def _contender(method):
    if isinstance(method, Contender):
        return method
    if isinstance(method, str):
        method = MethodChoice.parse(method, USUAL_BUDGET)
    if not isinstance(method, MethodChoice):
        raise ValueError(f"methods: {method!r:.60} is no method and its budget, such as 'beam:10'")
    return Contender(method.kind, method.budget)


def _read(data, model, methods, threads):
    """The examples, and the ``_Answers`` of each method."""
    if isinstance(data, LabelledSequences):
        if not isinstance(model, NgramModel):
            raise ValueError("model: labelled sequences are decoded by an NgramModel; give model=")
        found = answer(model, data, methods, threads)
        names = np.array([*data.labels, None], dtype=object)  # the last one for −1, an unknown label
        golds = [tuple(names[gold].tolist()) for gold in data.golds()]
        golds = [None if all(label is None for label in gold) else gold for gold in golds]
        pairs = zip(data.log_emits(model.emission), golds, strict=True)
        outputs = [[tuple(names[each].tolist()) for each in one.decoded] for one in found]
        answers = [_Answers(*pair) for pair in zip(outputs, (one.confidence for one in found), strict=True)]
        return [_Example(model, *pair) for pair in pairs], answers
    if model is not None:
        raise ValueError("model: problems have their own; leave model out, or give rv.Sequences")
    problems = checks.as_list("data", data, "rv.Sequences or a list of problems")
    if not all(isinstance(problem, Problem) for problem in problems):
        raise ValueError("data: give rv.Sequences with a model, or a list of rv.Problem")
    examples = [_Example(one.model, one.log_emit, None if one.gold is None else tuple(one.gold)) for one in problems]
    return examples, [_answers_of(examples, method) for method in methods]


def _answers_of(examples, method):
    outputs, confidence = [], np.zeros(len(examples))
    for number, example in enumerate(examples):
        lattice, _ = _run_method(example, method, record=False)
        best = viterbi(lattice) if log_z(lattice) > -np.inf else None
        outputs.append(best and best.labels)
        confidence[number] = np.exp(best.log_prob) if best else 0.0
    return _Answers(outputs, confidence)


def _run_method(example, method, record):
    options = method.entry.taken({"passes": method.passes, "deduplicate": method.deduplicate, "select": method.select})
    root_weight = getattr(example.model, "root_weight", 0.0)
    return build_lattice(
        method.kind, example.model, example.log_emit, method.budget, root_weight=root_weight, record=record, **options
    )


def _columns(examples, answers):
    """What filters test, by name, (N,) each."""
    first, second = answers
    found = {
        "gap": np.abs(first.confidence - second.confidence),
        "differ": np.array([one != other for one, other in zip(first.outputs, second.outputs, strict=True)], bool),
    }
    for side, one in zip(SIDES, answers, strict=True):
        found[f"{side}_confidence"] = one.confidence
        pairs = zip(one.outputs, examples, strict=True)
        found[f"{side}_right"] = np.array([output == example.gold for output, example in pairs], bool)
    known = np.array([example.gold is not None for example in examples], bool)
    return found | {"known": known}


def _table_row(number, example, answers, columns):
    known = example.gold is not None
    row = {"number": number, "gold": spell(_named(example.gold)) if known else None, "gap": columns["gap"][number]}
    for side, one in zip(SIDES, answers, strict=True):
        output = one.outputs[number]
        row[side] = None if output is None else spell(output)
        row[f"{side}_confidence"] = columns[f"{side}_confidence"][number]
        row[f"{side}_right"] = bool(columns[f"{side}_right"][number]) if known else None
    return row


def _named(labels):
    return ["?" if label is None else label for label in labels]


def _judge(example, method, row, side):
    """Write the verdict of a side into its row; returns the trace where it is worth a regret, else None."""
    if not method.entry.selects or method.entry.searches or method.entry.draws:
        lattice, trace = (None, None) if row[f"{side}_right"] else _run_method(example, method, record=False)
    else:
        lattice, trace = _run_method(example, method, record=True)
    if row[f"{side}_right"]:
        row[f"{side}_verdict"] = RIGHT
    elif example.gold is not None:
        found = FullModel(example.model, example.log_emit, example.gold).blame(lattice)
        row |= {f"{side}_{part}": getattr(found, part) for part in ("verdict", "position", "cause")}
    return trace


def _regrets(example, traces):
    """The regrets of the traces that there are; nothing where exact inference is too large."""
    try:
        found = iter(total_regrets(example.model, example.log_emit, [trace for trace in traces if trace]))
    except ValueError:
        return {}
    return {f"{side}_regret": next(found) for side, trace in zip(SIDES, traces, strict=True) if trace}


def _as_frame(rows, methods, wanted):
    import pandas

    table = pandas.DataFrame(rows, columns=COLUMNS)
    for side in SIDES:
        table[f"{side}_position"] = table[f"{side}_position"].astype("Int64")
    names = [method.name for method in methods]
    table.attrs |= {"methods": [str(method) for method in methods], "sentence": wanted.said(*names)}
    return table


def as_records(table: pandas.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table of ``disagreements`` as plain values, ready for JSON; None for missing ones."""
    import pandas

    plain = table.astype(object).where(~pandas.isna(table), None)
    return plain.to_dict("records")
