"""One step of the perceptron, explained: what was predicted, where each update cuts, which weights rise and fall.

It is made of the stepwise lattice, so it shows what ``Trainer`` does: the step of the training's own rule is the
trainer's next step on the sequence. The other rules follow, and the same difference with expected counts at a
temperature in place of the prediction's: at 1 the gradient of the log-likelihood, at 0 the perceptron.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from math import sqrt
from typing import Any

import numpy as np

from rcmviz.core.builders.build import build_lattice
from rcmviz.core.inference import infer
from rcmviz.core.inference.verdict import contexts_along, lost_at
from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.methods import TRAINABLE
from rcmviz.core.models.model import NgramModel
from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import freeze_columns
from rcmviz.kernels.learn.perceptron import most_violated
from rcmviz.learn.settings import UPDATES, Training
from rcmviz.sequences.table import Sequences, check_sequences

WINDOW, FEATURE, ROOT = "window", "feature", "root"
BIAS = "bias"


@dataclass(frozen=True)
class WeightChange:
    """A weight that a step moves.

    Attributes
    ----------
    kind : {"window", "feature", "root"}
        What fires it.
    name : tuple of str
        Of a window its symbols and the label that it predicts, of a feature its name and the label.
    before : float
        The weight as it is.
    difference : float
        How often the gold fires it less how often the prediction does, or is expected to.
    after : float
        The weight after the step.
    """

    kind: str
    name: tuple[str, ...]
    before: float
    difference: float
    after: float


@dataclass(frozen=True)
class PrefixScores:
    """The gold's prefix and the best one of the same length.

    Attributes
    ----------
    length : int
        How many labels, 1 to T.
    gold : float
        Score of the gold's prefix.
    best : float
        Score of the best prefix that the lattice has.
    best_labels : tuple of str
        Its labels.
    gold_is_kept : bool
        Whether the gold's prefix still has a way through the lattice.
    """

    length: int
    gold: float
    best: float
    best_labels: tuple[str, ...]
    gold_is_kept: bool


@dataclass(frozen=True)
class RuleStep:
    """The update of one rule on the sequence.

    Attributes
    ----------
    update : {"standard", "early", "max-violation"}
        The rule.
    cut : int
        How many labels it looks at.
    predicted : tuple of str
        The best prefix of that length.
    lead : float
        Its score less that of the gold's prefix; negative where the search overlooked the gold.
    wrong : int
        How many of its labels are wrong; nothing moves where none is.
    size : float
        Length of the step: 1, or the passive-aggressive one.
    norm : float
        Euclidean norm of the difference of counts.
    changes : tuple of WeightChange
        The weights that move, those that rise most first.
    """

    update: str
    cut: int
    predicted: tuple[str, ...]
    lead: float
    wrong: int
    size: float
    norm: float
    changes: tuple[WeightChange, ...]


@dataclass(frozen=True)
class TemperedStep:
    """The step of size one at a temperature: counts of the gold less those expected where p ∝ exp(score / temperature).

    Attributes
    ----------
    temperature : float
        0 for all mass on the prediction.
    label : tuple of tuple of float, T rows of Y
        Probability of each label at each position.
    gold : float
        Probability of the gold.
    norm : float
        Euclidean norm of the difference.
    changes : tuple of WeightChange
        The weights that move most, those that rise most first.
    """

    temperature: float
    label: tuple[tuple[float, ...], ...]
    gold: float
    norm: float
    changes: tuple[WeightChange, ...]


@dataclass(frozen=True)
class KeptContext:
    """A context of a column: its ``labels``, the ``score`` of the best prefix that leads to it, whether the ``gold``
    and the ``predicted`` sequence pass it.
    """

    labels: tuple[str, ...]
    score: float
    gold: bool
    predicted: bool


@dataclass(frozen=True)
class UpdateExplanation:
    """One step of the perceptron on one sequence, as ``explain_update`` returns it.

    Attributes
    ----------
    labels : tuple of str, length Y
        Names of the labels.
    gold : tuple of str, length T
        The gold labels.
    predicted : tuple of str, length T
        The decoded output.
    lost_at : int or None
        After how many labels the gold fell off the beam, None if it never did.
    columns : tuple of tuple of KeptContext
        Of each column 0 … T−1 the contexts, the best first, at most ``shown`` and those of gold and prediction.
    prefixes : tuple of PrefixScores, length T
        The prefixes of 1 … T labels.
    steps : mapping of str to RuleStep
        ``{update: step}`` of every rule that the method can have; the first is the training's own.
    tempered : tuple of TemperedStep
        One for each temperature given.
    """

    labels: tuple[str, ...]
    gold: tuple[str, ...]
    predicted: tuple[str, ...]
    lost_at: int | None
    columns: tuple[tuple[KeptContext, ...], ...]
    prefixes: tuple[PrefixScores, ...]
    steps: Mapping[str, RuleStep]
    tempered: tuple[TemperedStep, ...]

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain values, ready for JSON.

        Returns
        -------
        dict
            The fields by name, those within them too.
        """
        return asdict(self)


def explain_update(
    model: NgramModel, sequence: Sequences, settings: Training, temperatures: Iterable[float] = (), *, shown: int = 12
) -> UpdateExplanation:
    """Explain the next step of a perceptron on one sequence.

    Parameters
    ----------
    model : NgramModel
        The model before the step, with emissions.
    sequence : Sequences
        One sequence with gold labels; ``names`` of its features are used where it has them.
    settings : Training
        How contexts are chosen, and the training's own rule and ``mira``; of any objective.
    temperatures : iterable of float
        Temperatures, 0 or above, at which the step is shown too.
    shown : int
        Contexts of a column and changes at a temperature, at most; of the changes as many that rise and that fall.

    Returns
    -------
    UpdateExplanation
        Prediction, prefixes, the steps of all rules, the steps at the temperatures.

    Raises
    ------
    ValueError
        It is not one sequence with all its labels, or a temperature is negative.

    Notes
    -----
    Collins (2002); early update of Collins and Roark (2004), max-violation of Huang, Fayong and Guo (2012), MIRA's step
    of Crammer et al. (2006). As the temperature falls from 1 to 0 the gradient of the log-likelihood becomes the step
    of the perceptron.

    Examples
    --------
    >>> import rcmviz as rv
    >>> data = rv.Sequences.from_arrays([[[1.0], [0.0]]], ["ba"], "ab")
    >>> settings = rv.Training("beam", budget=1, order=1, objective="perceptron", update="early")
    >>> found = rv.explain_update(rv.Trainer(data, settings).model(), data, settings)
    >>> found.predicted, found.lost_at, [(step.update, step.cut) for step in found.steps.values()]
    (('a', 'a'), 1, [('early', 1), ('standard', 2), ('max-violation', 2)])
    >>> [(change.name, change.after) for change in found.steps["early"].changes if change.kind == "window"]
    [(('^', 'b'), 1.0), (('^', 'a'), -1.0)]
    """
    checks.instance("model", model, NgramModel, "rcmviz.NgramModel")
    checks.instance("settings", settings, Training, "rcmviz.Training")
    temperatures = checks.as_list("temperatures", temperatures, "a list of numbers")
    _check_one(check_sequences("sequence", sequence))
    checks.whole("shown", shown, 1)
    view = _View(model, sequence, settings)
    steps = {rule: view.step(rule) for rule in _rules(settings)}
    tempered = tuple(view.tempered(_check_temperature(value), shown) for value in temperatures)
    return UpdateExplanation(
        view.lattice.labels,
        view.gold,
        view.predicted,
        lost_at(view.lattice, view.gold),
        view.columns(shown),
        tuple(view.prefixes),
        steps,
        tempered,
    )


def tempered_lattice(lattice: Lattice, temperature: float) -> Lattice:
    """The lattice in which an output's probability is ∝ exp(score / temperature), which is above 0."""
    return replace(lattice, score=lattice.score / temperature)


def _check_one(sequence):
    if len(sequence) != 1:
        raise ValueError(f"{len(sequence):,} sequences: one step is about one; take([number])")
    if np.any(sequence.gold < 0):
        raise ValueError("a position has no gold label, and a step needs them all")


def _check_temperature(value):
    return checks.non_negative("temperature", value)


def _rules(settings):
    """The rules that the method can have, the training's own first."""
    possible = [rule for rule in UPDATES if rule != "early" or TRAINABLE[settings.method].drops]
    return sorted(possible, key=lambda rule: rule != settings.update)


class _View:
    """Facts of a sequence's lattice about gold and prediction; counts are named (kind, *name)."""

    def __init__(self, model, sequence, settings):
        self.model, self.sequence, self.settings = model, sequence, settings
        method = TRAINABLE[settings.method]
        self.root = model.root_weight if "root_weight" in method.options else 0.0
        self.learns_root = "root_weight" in method.options
        options = method.taken({"passes": settings.passes, "deduplicate": settings.deduplicate})
        log_emit = sequence.log_emits(model.emission)[0]
        self.lattice, _ = build_lattice(
            settings.method, model, log_emit, settings.budget, root_weight=self.root, record=False, **options
        )

        self._number = {label: y for y, label in enumerate(model.labels)}
        self.gold = tuple(model.labels[y] for y in sequence.gold)
        self.prefixes = [self._prefix(length) for length in range(1, len(self.gold) + 1)]
        self.predicted = self.prefixes[-1].best_labels

    def _prefix(self, length):
        best = infer.viterbi(self.cut(length))
        kept = contexts_along(self.lattice, self.gold[:length])[-1] is not None
        return PrefixScores(length, self.gold_score(length), best.log_score, best.labels, kept)

    def cut(self, length):
        """The lattice of the first labels: it ends there, whatever becomes of them."""
        lattice, stop = self.lattice, int(self.lattice.offset[length])
        if length == lattice.T:
            return lattice
        last = lattice.column(length - 1)
        target = np.concatenate([lattice.target[:stop], np.full((1, lattice.width), -1)])
        score = np.concatenate([lattice.score[:stop], np.full((1, lattice.width), -np.inf)])
        if self.root:
            score[last][target[last] == stop] -= self.root
        target[last] = stop
        offset = np.concatenate([lattice.offset[: length + 1], [stop + 1]])
        links = lattice.label, lattice.origin, lattice.parent, lattice.row
        columns = offset, np.append(lattice.length[:stop], 0), *(np.append(link[:stop], -1) for link in links)
        return freeze_columns(Lattice, lattice.labels, *columns, target, score)

    def contexts(self, labels):
        """The contexts before each of some labels; full histories once these have fallen off."""
        along = contexts_along(self.lattice, labels)
        return [labels[:i] if along[i] is None else self.lattice.context(along[i]) for i in range(len(labels))]

    def counts(self, labels):
        """The counts of each weight along labels."""
        found: Counter = Counter()
        for i, (context, label) in enumerate(zip(self.contexts(labels), labels, strict=True)):
            found.update((WINDOW, *prefix, label) for prefix in self.model.windows_of(i, context))
            for feature, value in self._features(i):
                found[FEATURE, feature, label] += value
            if self.learns_root and i > 0 and not context:
                found[ROOT,] += 1
        return found

    def _features(self, i):
        """The features of a position by number, the bias last, and their values."""
        start, bias = self.sequence.start, self.sequence.F
        here = slice(start[i], start[i + 1])
        pairs = zip(self.sequence.feature[here].tolist(), self.sequence.value[here].tolist(), strict=True)
        return [*pairs, (bias, 1.0)]

    def gold_score(self, length):
        """Score of the gold's prefix, by the weights."""
        return float(sum(count * self.weight(name) for name, count in self.counts(self.gold[:length]).items()))

    def weight(self, name):
        """The weight that is called so."""
        kind, *rest = name
        if kind == ROOT:
            return self.root
        if kind == FEATURE:
            return float(self.model.emission[rest[0], self._number[rest[1]]])
        address, y = self.model.address_of_window(tuple(rest), self._number)
        at = int(np.searchsorted(self.model.keys, address))
        found = at < len(self.model.keys) and self.model.keys[at] == address
        return float(self.model.weights[at, y]) if found else 0.0

    def step(self, rule):
        """The ``RuleStep`` by this rule."""
        behind = [prefix.best - prefix.gold for prefix in self.prefixes]
        cut = len(self.gold)
        if rule == "early":
            cut = lost_at(self.lattice, self.gold) or cut
        elif rule == "max-violation":
            cut = int(
                most_violated(
                    np.array([prefix.best for prefix in self.prefixes]),
                    np.array([prefix.gold for prefix in self.prefixes]),
                )
            )
        predicted, gold = self.prefixes[cut - 1].best_labels, self.gold[:cut]
        wrong = sum(a != b for a, b in zip(predicted, gold, strict=True))
        difference = self.counts(gold)
        difference.subtract(self.counts(predicted))
        norm, lead = _norm(difference) if wrong else 0.0, behind[cut - 1]
        size = 1.0 if not self.settings.mira else self._passive_aggressive(lead + wrong, norm)
        changes = self._changes(difference, size) if wrong else ()
        return RuleStep(rule, cut, predicted, float(lead), wrong, size, norm, changes)

    def _passive_aggressive(self, loss, norm):
        return min(self.settings.mira, max(loss, 0.0) / norm**2) if norm else 0.0

    def tempered(self, temperature, shown):
        """The ``TemperedStep`` at this temperature."""
        counts = self.counts(self.gold)
        if temperature == 0:
            label = np.array([[float(name == y) for y in self.model.labels] for name in self.predicted])
            gold = float(self.predicted == self.gold)
            counts.subtract(self.counts(self.predicted))
        else:
            lattice = tempered_lattice(self.lattice, temperature)
            label, gold = infer.posterior(lattice).label, float(np.exp(infer.log_prob(lattice, self.gold)))
            counts.subtract(self.expected(lattice, label))
        changes = self._changes(counts, 1.0, shown)
        return TemperedStep(temperature, tuple(map(tuple, label.tolist())), gold, _norm(counts), changes)

    def expected(self, lattice, label):
        """The expected counts of each weight."""
        found: Counter = Counter(
            {(WINDOW, *window): count for window, count in infer.expected_counts(lattice, self.model).items()}
        )
        for i, row in enumerate(label.tolist()):
            for feature, value in self._features(i):
                for name, share in zip(self.model.labels, row, strict=True):
                    found[FEATURE, feature, name] += value * share
        if self.learns_root:
            passed = infer.posterior(lattice).context
            found[ROOT,] = float(sum(passed[lattice.offset[i]] for i in range(1, lattice.T)))
        return found

    def _changes(self, difference, size, shown=None):
        """The weights that move, those that rise most first; at most ``shown`` of them and of those that fall most."""
        moved = sorted(((name, count) for name, count in difference.items() if count), key=lambda pair: -pair[1])
        if shown and len(moved) > 2 * shown:
            moved = moved[:shown] + moved[-shown:]
        return tuple(self._change(name, count, size) for name, count in moved)

    def _change(self, name, count, size):
        before, (kind, *rest) = self.weight(name), name
        if kind == FEATURE:
            names = self.sequence.names
            number = rest[0]
            feature = BIAS if number == self.sequence.F else names[number] if names else str(number)
            rest = [feature, rest[1]]
        return WeightChange(kind, tuple(rest), before, float(count), before + size * float(count))

    def columns(self, shown):
        """The contexts of columns 0 … T−1."""
        lattice = self.lattice
        reached = _forward_maxima(lattice)
        gold, predicted = (set(contexts_along(lattice, labels)) for labels in (self.gold, self.predicted))
        found = []
        for i in range(lattice.T):
            here = range(*lattice.column(i).indices(lattice.C))
            best = sorted(here, key=lambda c: -reached[c])
            kept = [c for place, c in enumerate(best) if place < shown or c in gold or c in predicted]
            found.append(
                tuple(KeptContext(lattice.context(c), float(reached[c]), c in gold, c in predicted) for c in kept)
            )
        return tuple(found)


def _norm(difference):
    return sqrt(sum(count * count for count in difference.values()))


def _forward_maxima(lattice):
    """Score of the best way from the start to each context (C,)."""
    reached = np.full(lattice.C, -np.inf)
    reached[0] = 0.0
    for i in range(lattice.T):
        here = lattice.column(i)
        into, value = lattice.target[here], reached[here, None] + lattice.score[here]
        np.maximum.at(reached, into[into >= 0], value[into >= 0])
    return reached
