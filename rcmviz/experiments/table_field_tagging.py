"""Table 2 of Jernite, Rush and Sontag (2015): the field as a tagger, and hidden Markov models of the same tags."""

import time
from collections.abc import Mapping
from dataclasses import asdict

from rcmviz.ars.decode import warm_up
from rcmviz.experiments import conclusions, pos_runs, tables, trainings
from rcmviz.experiments.report import Plan, Report
from rcmviz.mrf.tagger import FieldTagger
from rcmviz.tasks.tagging.tagger import Tagger

__all__ = ["cell", "code_digest", "effort", "report", "specs", "warm_up"]

L2 = (0.3, 1.0, 3.0)  # chosen on the last tenth of the training part
SOURCES = ("experiments/table_field_tagging.py", "experiments/pos_runs.py", "lm", "mrf", "tasks/tagging")
HMMS = {"TnT": "HMM as TnT", "ours": "HMM, our endings"}
HEADS = ("tagger", "all words", "known words", "unknown words", "l2", "CPU s to learn")
HIGHEST = 3
CLOSE, MUCH = 0.005, 0.03  # shares of right tags: about as good, much better


def specs(plan: Plan) -> list[dict]:
    """The field with one and with two words, hidden Markov models of order 2 and 3."""
    base = {"data": plan.data, "every": 8 if plan.quick else 1, "steps": 60 if plan.quick else 400}
    found: list[dict] = [{"task": "field", "window": window} | base for window in (1, 2)]
    return found + [
        {"task": "hmm", "emissions": emissions, "order": order} | base
        for emissions in pos_runs.EMISSIONS[plan.data]
        for order in (2, HIGHEST)
    ]


def cell(spec: dict) -> dict:
    """The spec, and shares of right tags on the development part."""
    dev = pos_runs.sentences(spec)
    if spec["task"] == "field":
        return {"spec": spec} | _field(spec, dev)
    began = time.process_time()
    model = Tagger.fit(_training(spec), pos_runs.HIGHEST, **pos_runs.settings(spec["emissions"]))
    seconds = time.process_time() - began
    found = model.accuracy(dev, spec["order"], "exact" if spec["order"] == 2 else "ars")
    return {"spec": spec, "seconds": seconds} | _shares(found)


def _field(spec, dev):
    """A field at the best l2 of the slice (of one word; with two the same), learnt from all of the training part."""
    learning = _training(spec)
    cut = 9 * len(learning) // 10
    tried = {}
    if spec["window"] == 1:
        for l2 in L2:
            found, _ = _fit(spec, l2, learning[:cut])
            tried[l2] = found.accuracy(*_columns(learning[cut:])).all
    best = max(tried, key=tried.__getitem__) if tried else 1.0
    tagger, seconds = _fit(spec, best, learning)
    slices = [{"l2": l2, "all": share} for l2, share in tried.items()]
    return {"seconds": seconds, "l2": best, "slice": slices} | _shares(tagger.accuracy(*_columns(dev)))


def _shares(found):
    """The accuracies, None in the place of a share of no words."""
    return {name: None if value != value else value for name, value in asdict(found).items()}


def _training(spec):
    if spec["data"] == "shipped":
        model = pos_runs.tagger("shipped", "ours")
        return [pos_runs.draw_sentence(model, 6, seed) for seed in range(1_000, 1_000 + 400 // spec["every"])]
    return pos_runs._treebank("train")[:: spec["every"]]


def _columns(sentences):
    return [list(words) for words, _ in sentences], [list(tags) for _, tags in sentences]


def _fit(spec, l2, sentences):
    began = time.process_time()
    tagger = FieldTagger(spec["window"], l2=l2, max_steps=spec["steps"]).fit(*_columns(sentences))
    return tagger, time.process_time() - began


def effort(spec: dict) -> float:
    """Work of a cell, for the progress bar."""
    return {"field": 4.0, "hmm": 1.0}[spec["task"]]


def code_digest() -> str:
    """A digest of the sources that decide an outcome."""
    return trainings.code_digest(SOURCES)


def report(plan: Plan, results: list[dict]) -> Report:
    """A line per tagger, the paper's two numbers, and whether its claim holds."""
    field, bigram = results[0], next(one for one in results if one["spec"]["task"] == "hmm")
    chosen = ", ".join(f"{one['l2']:g}: {tables.number_text(one['all'], 4)}" for one in field["slice"])
    others = [one for one in results if one["spec"]["task"] == "hmm" and one is not bigram]
    claims = [*paper_claims(field, bigram), *(both_claim(field, other) for other in others)]
    text = (
        f"# Table 2 of the paper: tagging with a field\n\nOn {pos_runs.DESCRIBED[plan.data]}: {field['words']:,} "
        f"words, {field['unknown_words']:,} of them unknown. {_training_text(field['spec'])} Fields have K = 1; "
        f"their l2 was chosen on the last tenth of the training part (right tags there by l2: {chosen}). A "
        "field of two words "
        "also sees the word before; it takes l2 1. Known words are offered the tags they were seen with, except where "
        f"our endings add others. Times are of one core, the HMMs' with all orders.\n\n"
        f"{tables.markdown_table(HEADS, map(_line, results))}\n\n## What reproduces\n\n"
        f"{conclusions.claims_table(claims)}\n"
    )
    document = {"table": "table-field-tagging", "plan": asdict(plan), "runs": results}
    return Report("table-field-tagging", text, document)


def _training_text(spec):
    part = "the same sentences" if spec["every"] == 1 else f"the same sentences, every {spec['every']}th"
    return f"All taggers learn from {part}."


def name_of(spec: dict) -> str:
    """The title of a tagger."""
    if spec["task"] == "field":
        return f"field, {'a word' if spec['window'] == 1 else 'two words'} per tag"
    return f"{HMMS[spec['emissions']]}, {'bigram' if spec['order'] == 2 else 'trigram'}"


def _line(one):
    values = [tables.number_text(one[name], 4) for name in ("all", "known", "unknown")]
    return [name_of(one["spec"]), *values, f"{one['l2']:g}" if "l2" in one else "", f"{one['seconds']:.0f}"]


def _number(share):
    return tables.number_text(share, 4) or "none"


def paper_claims(field: Mapping, bigram: Mapping) -> list[tuple]:
    """Whether a field is about as good as a bigram HMM in all, and much better on unknown words."""
    unknown = field["unknown"], bigram["unknown"]
    gain = None if None in unknown else unknown[0] - unknown[1]
    return [
        (
            "in total about as good as a bigram HMM, or better (paper: 96.0 and 95.8)",
            f"{_number(field['all'])} and {_number(bigram['all'])}",
            field["all"] > bigram["all"] - CLOSE,
        ),
        (
            f"much better on unknown words, by more than {tables.number_text(MUCH, 2)} (paper: 76.0 and 65.4)",
            f"{_number(unknown[0])} and {_number(unknown[1])}",
            None if gain is None else gain > MUCH,
        ),
    ]


def both_claim(field: Mapping, other: Mapping) -> tuple:
    """Whether a field is above another tagger in all words and in unknown ones, which the paper does not claim."""
    ahead = [conclusions.above(field[name], other[name], 4) for name in ("all", "unknown")]
    true = None if None in ahead else conclusions.TIED if set(ahead) == {conclusions.TIED} else ahead == [True, True]
    measured = " and ".join(f"{_number(one['all'])} / {_number(one['unknown'])}" for one in (field, other))
    return f"above {name_of(other['spec'])} in both (not claimed)", measured, true
