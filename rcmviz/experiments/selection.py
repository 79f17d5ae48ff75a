"""All selection rules and adaptive budgets on handwriting, tags and CTC frames, against exact inference.

Nothing is tuned here: the learned scorer and the least budget of a position are from other words, the pen's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import t

from rcmviz.core.builders.build import exact, rcms
from rcmviz.core.inference.infer import log_z, viterbi
from rcmviz.core.models.model import NgramModel
from rcmviz.data.registry import find
from rcmviz.evaluation.confidence import recall_at_precision
from rcmviz.experiments import conclusions, tables, trainings
from rcmviz.experiments.measures import time_task
from rcmviz.experiments.pos_runs import sentences, tagger
from rcmviz.experiments.report import Plan, Report
from rcmviz.learn.settings import Training
from rcmviz.learn.trainer import train
from rcmviz.lm.shipped import load_lm
from rcmviz.tasks.handwriting.lexicon import LEXICON

__all__ = ["cell", "code_digest", "effort", "report", "specs"]

SOURCES = (
    "kernels/chain",
    "kernels/learn",
    "core/builders",
    "core/models",
    "learn/settings.py",
    "learn/trainer.py",
    "experiments/selection.py",
    "tasks/handwriting",
    "tasks/tagging",
)
BUDGETS, FOLDS, SEEDS = (5, 10, 20), 10, 3
WORDS, TAGGED, TEXTS = 100, 150, 60  # of a fold; sentences and texts of a seed
RECIPE = Training()  # of the shipped models: order 3, ten contexts, one pass, 20 epochs
TAG_ORDER, LONGEST = 4, 40  # of tags; words of a sentence, so that exact inference is possible
NOISE, PEAK, BONUS = 1.0, 4.0, 1.5  # of frames; nats for a letter, else too few are read
BLANK, GAP = "-", "_"
ROWS: dict[str, dict] = {
    "forward": {},
    "posterior, two passes": {"select": "posterior"},
    "posterior, three passes": {"passes": 3},
    "lookahead": {"select": "lookahead"},
    "lookahead, then two passes": {"select": "lookahead", "passes": 3},
    "bound": {"select": "bound"},
    "diversity": {"select": "diversity"},
    "learned": {"select": "learned"},
    "expert": {"select": "expert"},
    "entropy, two passes": {"adaptive": "entropy"},
    "entropy, three passes": {"adaptive": "entropy", "passes": 3},
    "regret, two passes": {"adaptive": "regret"},
    "regret, three passes": {"adaptive": "regret", "passes": 3},
}
TASKS = {"handwriting": "Handwriting", "tags": "Tags", "frames": "CTC frames"}
MEASURES = {"off": "log Z off by, nats", "labels": "labels right", "words": "outputs right", "recall": "recall @ 99 %"}
TESTED = (
    "Differences of outputs right by budget, mean ± standard error of folds or seeds. A claim holds if a paired t-test "
    "(5 %) finds it with every budget, in part with one, and fails if the test finds the opposite."
)


class Pair(NamedTuple):
    """A claim on two rows: that ``row`` gets more outputs right than ``other``."""

    claim: str
    row: str
    other: str


PAIRS = (
    Pair("Look-ahead beats forward mass", "lookahead", "forward"),
    Pair("Look-ahead beats a second pass", "lookahead", "posterior, two passes"),
    Pair("The learned scorer beats look-ahead", "learned", "lookahead"),
    Pair("The A* bound beats look-ahead", "bound", "lookahead"),
    Pair("Diversity beats forward mass", "diversity", "forward"),
    Pair("Budgets by entropy beat equal ones, two passes", "entropy, two passes", "posterior, two passes"),
    Pair("Budgets by entropy beat equal ones, three passes", "entropy, three passes", "posterior, three passes"),
    Pair("Budgets by regret beat equal ones, two passes", "regret, two passes", "posterior, two passes"),
    Pair("Budgets by regret beat equal ones, three passes", "regret, three passes", "posterior, three passes"),
)


@dataclass(frozen=True, eq=False)
class Example:
    """A model, its log emissions (None if it has its own) and the gold label numbers, by position."""

    model: Any
    log_emit: np.ndarray | None
    gold: np.ndarray


def specs(plan: Plan) -> list[dict]:
    """A cell per fold of handwriting, and per seed of tags and frames."""
    folds, seeds = (2, 2) if plan.quick else (FOLDS, SEEDS)
    common = {"epochs": 1, "part": 10} if plan.quick else {"epochs": RECIPE.epochs, "part": 1}
    tags = "ud_ewt" if plan.data == "kassel" and find("ud_ewt") else "shipped"
    found = [{"task": "handwriting", "data": plan.data, "seed": fold} | common for fold in range(folds)]
    for task, data in (("tags", tags), ("frames", "drawn")):
        found += [{"task": task, "data": data, "seed": seed} | common for seed in range(seeds)]
    return found


def effort(spec: dict) -> float:
    """Seconds, roughly."""
    return 40.0 / spec["part"] + spec["epochs"] * (spec["task"] == "handwriting") / 4


def code_digest() -> str:
    """The digest of what decides an outcome."""
    return trainings.code_digest(SOURCES)


def cell(spec: dict) -> dict:
    """Per row and budget the measures of ``MEASURES`` and milliseconds; and how many examples."""
    examples = list({"handwriting": _handwriting, "tags": _tags, "frames": _frames}[spec["task"]](spec))
    lattices = [exact(one.model, one.log_emit, record=False)[0] for one in examples]
    true = np.array([log_z(lattice) for lattice in lattices])
    rows = {"exact": _measured(spec["task"], examples, lattices, true, None)}
    del lattices
    found: dict[str, dict] = {str(budget): dict(rows) for budget in BUDGETS}
    for name, options in ROWS.items():
        for budget in BUDGETS:
            first = examples[0]
            rcms(first.model, first.log_emit, budget, record=False, **options)  # loads kernels and tables
            runs = [time_task(rcms, one.model, one.log_emit, budget, record=False, **options) for one in examples]
            built, ms = [lattice for (lattice, _), _ in runs], float(np.mean([one for _, one in runs]))
            found[str(budget)][name] = _measured(spec["task"], examples, built, true, ms)
    return {"rows": found, "count": len(examples), "task": spec["task"]}


def _measured(task, examples, lattices, true, ms):
    best = [viterbi(lattice) for lattice in lattices]
    answers = [
        _numbers(lattice, path, len(one.gold)) for lattice, path, one in zip(lattices, best, examples, strict=True)
    ]
    right = [found == one.gold for found, one in zip(answers, examples, strict=True)]
    whole = np.array([_same_output(task, found, one) for found, one in zip(answers, examples, strict=True)])
    off = [abs(log_z(lattice) - value) for lattice, value in zip(lattices, true, strict=True)]
    confidence = np.exp([path.log_prob for path in best])
    return {
        "off": float(np.mean(off)),
        "labels": float(np.concatenate(right).mean()),
        "words": float(whole.mean()),
        "recall": float(recall_at_precision(confidence, whole, 0.99)),
        "ms": ms,
    }


def _numbers(lattice, path, length):
    """Label numbers; of tags without the end of the sentence."""
    return np.array([lattice.labels.index(label) for label in path.labels])[:length]


def _same_output(task, found, one):
    """Whether the output is right: of frames what they collapse to."""
    if task == "frames":
        return collapsed(found) == collapsed(one.gold)
    return np.array_equal(found, one.gold)


def _handwriting(spec) -> Iterator[Example]:
    """A sample of the fold's words, with a model that has learnt from the nine others."""
    learning, test = trainings.split_words(spec["data"], spec["seed"])
    *_, state = train(learning, Training.from_dict(RECIPE.to_dict() | {"epochs": spec["epochs"]}))
    test = test.take(_sample(len(test), WORDS // spec["part"], spec["seed"]))
    for log_emit, gold in zip(test.log_emits(state.model.emission), test.golds(), strict=True):
        yield Example(state.model, np.asarray(log_emit, float), gold)


def _tags(spec) -> Iterator[Example]:
    """Sentences of the development part that the seed draws, tagged by the shipped tagger."""
    model = tagger("shipped", "ours")
    chosen = [pair for pair in sentences({"data": spec["data"], "every": 1}) if 2 <= len(pair[0]) <= LONGEST]
    count, parts = TAGGED // spec["part"], np.random.default_rng(0).permutation(len(chosen))
    for k in parts[spec["seed"] * count : (spec["seed"] + 1) * count]:
        words, gold = chosen[k]
        hmm = model.hmm(words, order=TAG_ORDER)
        number = {label: y for y, label in enumerate(hmm.labels)}
        yield Example(hmm, None, np.array([number.get(tag, -1) for tag in gold]))


def _frames(spec) -> Iterator[Example]:
    """Two words each, a frame or two per letter and then a blank, with noise."""
    model, random = frame_model(), np.random.default_rng(spec["seed"])
    for _ in range(TEXTS // spec["part"]):
        text = GAP.join(random.choice(LEXICON, 2))
        shown = [model.labels.index(sign) for sign in "".join(sign * random.integers(1, 3) + BLANK for sign in text)]
        scores = PEAK * np.eye(len(model.labels))[shown]
        scores += random.normal(0, NOISE, scores.shape)
        yield Example(model, scores - np.logaddexp.reduce(scores, axis=1, keepdims=True), np.array(shown))


@lru_cache(maxsize=1)
def frame_model() -> NgramModel:
    """A chain over symbols of frames that sees two: a letter that is new costs its bigram in English characters."""
    lm = load_lm("lm-english-characters")
    labels = (*"abcdefghijklmnopqrstuvwxyz", GAP, BLANK)
    symbols, weights = ("^", "*", *labels), {}
    for older, last in product(symbols, symbols):
        if min(symbols.index(older), 2) <= min(symbols.index(last), 2):  # ^, then *, then labels
            before = _before(older, last)
            new = [sign for sign in labels if sign not in (BLANK, last)]
            weights |= {(older, last, sign): lm.log_prob(sign, before) + BONUS for sign in new}
    return NgramModel.from_windows(labels, 2, weights)


def _before(older, last):
    """The letter before a new one, as a language model reads it; none if it is forgotten."""
    if last == BLANK:
        last = older
    return [] if last in ("*", BLANK) else ["<s>" if last == "^" else last]


def collapsed(symbols: Sequence[int]) -> tuple[int, ...]:
    """Repeated symbols joined, and the blank, the last symbol of ``frame_model``, left out.

    >>> collapsed([0, 0, 27, 0, 1])
    (0, 0, 1)
    """
    blank = len(frame_model().labels) - 1
    kept = [y for k, y in enumerate(symbols) if k == 0 or y != symbols[k - 1]]
    return tuple(int(y) for y in kept if y != blank)


def _sample(count, most, seed):
    """Numbers of the examples that a seed draws, in order."""
    return np.sort(np.random.default_rng(seed).permutation(count)[:most])


def report(plan: Plan, results: list[dict]) -> Report:
    """A table per task and budget, and what follows from them."""
    parts = [_about(plan, results)]
    for task, title in TASKS.items():
        of_task = [one for one in results if one["task"] == task]
        parts.append(f"## {title}")
        parts += [f"{budget} contexts\n\n{_table(of_task, str(budget))}" for budget in BUDGETS]
    parts.append(f"## What comes out\n\n{TESTED}\n\n{conclusions.claims_table(claims(results))}")
    document = {"name": "selection", "plan": asdict(plan), "runs": results}
    return Report("selection", "# Selection rules and adaptive budgets\n\n" + "\n\n".join(parts) + "\n", document)


def _about(plan, results):
    count = {task: [one["count"] for one in results if one["task"] == task] for task in TASKS}
    return (
        f"RCMS; mean ± standard deviation. Handwriting: {plan.described}, {len(count['handwriting'])} folds, of each "
        f"{count['handwriting'][0]} words drawn with the fold's number as seed, models of order {RECIPE.order} learnt "
        f"from the other folds by the recipe of the shipped ones. Tags: {len(count['tags'])} samples of "
        f"{count['tags'][0]} sentences of UD-EWT's development part, up to {LONGEST} words, tags by order {TAG_ORDER}. "
        f"CTC frames: {len(count['frames'])} seeds, {count['frames'][0]} texts of two words each, noise {NOISE}, a "
        f"chain over symbols that sees two frames and scores a new letter by its bigram plus {BONUS} nats; an output "
        "is right if it collapses to the text. *Log Z off by*: mean distance to exact inference. CPU: milliseconds per "
        "example of the stepwise driver, one thread. *Entropy*, *regret*: adaptive budgets with the same total as the "
        "equal ones. "
        "The learned scorer and the least budget of a position were chosen on words by the pen, the frames' noise and "
        "the nats of a letter by exact inference on another seed."
    )


def _table(results, budget):
    heads = ("ranked by", *MEASURES.values(), "CPU ms")
    lines = []
    for name in (*ROWS, "exact"):
        rows = [one["rows"][budget][name] for one in results]
        cells = [tables.spread([row[measure] for row in rows]) for measure in MEASURES]
        ms = "" if name == "exact" else f"{np.mean([row['ms'] for row in rows]):.2f}"
        lines.append([name, *cells, ms])
    return tables.markdown_table(heads, lines)


def claims(results: list[dict]) -> list[tuple]:
    """Per pair of ``PAIRS`` and task a claim: (text, the differences by budget, whether it holds).

    A difference of outputs right, shown with its standard error, counts if a paired t-test on the 5 % level finds it;
    the claim holds if it counts with every budget, and fails if the opposite counts with one.
    """
    found = []
    for pair in PAIRS:
        for task, title in TASKS.items():
            of_task = [one["rows"] for one in results if one["task"] == task]
            differences, signs = [], []
            for budget in map(str, BUDGETS):
                paired = [rows[budget][pair.row]["words"] - rows[budget][pair.other]["words"] for rows in of_task]
                mean, error = float(np.mean(paired)), float(np.std(paired, ddof=1) / len(paired) ** 0.5)
                differences.append(f"{budget}: {mean:+.3f} ± {error:.3f}")
                signs.append(int(np.sign(mean)) if abs(mean) > t.ppf(0.975, len(paired) - 1) * error else 0)
            true = True if min(signs) > 0 else (False if min(signs) < 0 else conclusions.TIED)
            if true == conclusions.TIED and max(signs) > 0:
                true = "in part"
            found.append((f"{title}: {pair.claim[0].lower() + pair.claim[1:]}", "; ".join(differences), true))
    return found
