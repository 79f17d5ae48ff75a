"""Part-of-speech tagging as Carter, Dymetman and Bouchard (2012) measured it: treebank, taggers, and the runs.

UD-EWT in the place of the Wall Street Journal, learnt from its training part, tagged its development part. Where the
treebank is not at hand the shipped tagger takes its place, with sentences drawn from it.
"""

from functools import lru_cache

import numpy as np

from rcmviz.ars.decode import ars_decode, ars_sample
from rcmviz.ars.many import ars_decode_many
from rcmviz.data.registry import need
from rcmviz.experiments.full import count_arcs, full_viterbi
from rcmviz.experiments.measures import summaries, time_task
from rcmviz.lm.hmm import HMM
from rcmviz.tasks.tagging.shipped import load_tagger
from rcmviz.tasks.tagging.suffix_emissions import PRUNE
from rcmviz.tasks.tagging.tagger import Tagger, read_tagged

HIGHEST, BATCH, STOP = 9, 100, 0.6
SHIPPED = "tagger-ewt"
DESCRIBED = {
    "ud_ewt": "UD-EWT, XPOS tags, Witten–Bell tag models learnt from its training part, tagged its development part",
    "shipped": f"sentences drawn from {SHIPPED}, the shipped tagger (not the paper's kind of data)",
}
EMISSIONS = {"ud_ewt": ("TnT", "ours"), "shipped": ("ours",)}  # as published, every tag a candidate; ours, pruned


@lru_cache(maxsize=2)
def tagger(data: str, emissions: str) -> Tagger:
    """The tagger of all orders: ``"TnT"`` as Brants (2000) has it, or ``"ours"``."""
    if data == "shipped":
        return load_tagger(SHIPPED)
    return Tagger.fit(_treebank("train"), HIGHEST, **settings(emissions))


def settings(emissions: str) -> dict:
    """Arguments of ``Tagger.fit`` for a kind of emissions."""
    return {"theta": None, "blend": 0.0, "cutoffs": (0,)} if emissions == "TnT" else {}


@lru_cache(maxsize=2)
def _treebank(part: str) -> list[tuple]:
    """(words, tags) of every sentence of a part of UD-EWT."""
    return read_tagged(need("ud_ewt", f"en_ewt-ud-{part}.conllu"))


def sentences(spec: dict) -> list[tuple]:
    """(words, tags) to be tagged, every ``spec["every"]``-th one."""
    if spec["data"] == "shipped":
        return [
            draw_sentence(tagger("shipped", "ours"), length, seed)
            for seed in range(4)
            for length in range(3, 33, spec["every"])
        ]
    return _treebank("dev")[:: spec["every"]]


def draw_sentence(model: Tagger, length: int, seed: int) -> tuple[tuple, tuple]:
    """(words, tags) drawn from a tagger: tags by its 3-grams, each word among those that were seen with its tag."""
    random, emissions, lm = np.random.default_rng([seed, length]), model.emissions, model.lm_of(3)
    of_word = np.repeat(np.arange(len(emissions.words)), np.diff(emissions.offset))
    words, tags = [], []
    for _ in range(length):
        scores = np.array([lm.log_prob(tag, ["<s>", *tags]) for tag in emissions.tags])
        tag = random.choice(len(scores), p=np.exp(scores) / np.exp(scores).sum())
        pairs = np.flatnonzero(emissions.tag == tag)
        word = of_word[random.choice(pairs, p=emissions.count[pairs] / emissions.count[pairs].sum())]
        words.append(emissions.words[word])
        tags.append(emissions.tags[tag])
    return tuple(words), tuple(tags)


def tagging_spec(task: str, data: str, order: int, emissions: str = "TnT", **others) -> dict:
    """A spec: ``task`` is decode, together, full (``shared`` look-ups or not) or sample."""
    return {
        "task": task,
        "data": data,
        "order": order,
        "emissions": emissions,
        "look_ahead": True,
        "every": 1,
        "repeats": 2,
    } | others


def cell(spec: dict) -> dict:
    """The spec and what its task tells."""
    model = tagger(spec["data"], spec["emissions"])
    prune = 0.0 if spec["emissions"] == "TnT" else PRUNE
    chosen = sentences(spec)
    problems = [(model.lm_of(spec["order"]), *model.candidates(words, prune)) for words, _ in chosen]
    run = {"decode": decode, "together": together, "full": full, "sample": sample}[spec["task"]]
    return {"spec": spec, "sentences": len(chosen), "words": sum(len(words) for words, _ in chosen)} | run(
        spec, problems, chosen, model
    )


def decode(spec: dict, problems: list[tuple], chosen: list[tuple], model: Tagger) -> dict:
    """Seconds for all sentences, best of ``repeats``; accuracy; iterations, states; arcs of the full automaton."""
    how = {"look_ahead": spec["look_ahead"], "record": False}
    seconds, found = _best_time(spec, lambda: [ars_decode(HMM(*problem), **how)[0] for problem in problems])
    runs = summaries({"iterations": best.iterations, "states": best.states} for best in found)
    return (
        runs
        | _accuracy(model, [best.words for best in found], chosen)
        | {"seconds": seconds, "arcs": sum(count_arcs(HMM(*problem)) for problem in problems)}
    )


def together(spec: dict, problems: list[tuple], *_) -> dict:
    """Seconds for all sentences in one call on one thread, best of ``repeats``."""
    how = {"look_ahead": spec["look_ahead"], "threads": 1}
    seconds, _ = _best_time(spec, lambda: ars_decode_many([HMM(*problem) for problem in problems], **how))
    return {"seconds": seconds}


def full(spec: dict, problems: list[tuple], *_) -> dict:
    """Seconds of Viterbi on the full automaton, and the largest difference of a score to that of adaptive rejection."""
    seconds, found = _best_time(spec, lambda: [full_viterbi(HMM(*problem), spec["shared"]) for problem in problems])
    proved = [ars_decode(HMM(*problem), record=False)[0].log_score for problem in problems]
    furthest = max(abs(log_score - best) for (_, log_score), best in zip(found, proved, strict=True))
    return {"seconds": seconds, "furthest": furthest}


def sample(spec: dict, problems: list[tuple], *_) -> dict:
    """Per sentence: trials until ``STOP`` of the last 100 are accepted, states of q, milliseconds."""
    runs = []
    how = {"batch": BATCH, "look_ahead": spec["look_ahead"], "stop_acceptance": STOP, "record": False}
    for seed, problem in enumerate(problems):
        (draws, _), ms = time_task(lambda parts, seed: ars_sample(HMM(*parts), 1_000_000, seed, **how), problem, seed)
        runs.append({"trials": draws.trials, "states": draws.states, "ms": ms})
    return summaries(runs)


def _best_time(spec, task):
    """Seconds of the fastest of some passes over all problems, and what the last one found."""
    passes = [time_task(task) for _ in range(spec["repeats"])]
    return round(min(ms for _, ms in passes) / 1e3, 4), passes[-1][0]


def _accuracy(model, found, chosen):
    """Shares of tags that are right, of all words and of the unknown ones; None where none is unknown."""
    judged = [
        (tag == right, model.emissions.knows(word))
        for tags, (words, gold) in zip(found, chosen, strict=True)
        for word, tag, right in zip(words, tags, gold, strict=True)
    ]
    judged = np.array(judged)
    unknown = judged[~judged[:, 1], 0]
    return {"accuracy": float(judged[:, 0].mean()), "unknown": float(unknown.mean()) if len(unknown) else None}
