"""The tab SEARN: a policy that learns to label from left to right, compared with one trained on gold prefixes only."""

from functools import lru_cache

import rcmviz as rv
from pages.search.material import NOUNS, labelled_data
from pages.search.question import TRAINING
from rcmviz.views.search.rollouts import build_searn

KINDS = {"SEARN": "searn", "Gold prefixes": "gold"}  # of learners in the payload


def searn_payload(question):
    """Return the payload of one held-out word or sentence, and of the curves over all of them."""
    whole, noun, label, between = NOUNS[question.material]
    learnt, unseen = labelled_data(question.material, question.training_size)
    shown, readable = unseen[question.held_out - 1], _readable(unseen, learnt)
    text = between.join(shown.inputs)
    if shown not in readable:
        raise ValueError(
            f"the {whole} {text!r} has a {label} that is in no training {whole}: train on more {whole}s, "
            "or choose another one"
        )
    learners = _train_classifiers(question.only(*TRAINING))
    X, y = _as_lists(readable)
    explained = [
        learners["SEARN"].explain(shown.features, shown.labels, k, seed=question.draw)
        for k in range(question.iterations)
    ]
    return build_searn(
        explained,
        shown.inputs,
        [(KINDS[name], name, one.compounding(X, y)) for name, one in learners.items()],
        [_progress(name, one.history_, question.iterations) for name, one in learners.items()],
        title=f"“{text}”, {question.training_size:,} {whole}s learnt",
        noun=noun,
        opening=min(4, question.iterations),
        images=shown.images,
    )


@lru_cache(maxsize=4)
def _train_classifiers(question):
    """Return {name: ``SearchClassifier``}, each with its held-out accuracy."""
    learnt, unseen = labelled_data(question.material, question.training_size)
    held_out, learnt = _as_lists(_readable(unseen, learnt)), _as_lists(learnt)
    searn = rv.SearchClassifier(order=question.order, beta=question.beta, iterations=question.iterations)
    gold = rv.SearchClassifier("gold", order=question.order)
    return {"SEARN": searn.fit(*learnt, held_out), "Gold prefixes": gold.fit(*learnt, held_out)}


def _progress(name, history, iterations):
    """Return the share of right labels after each iteration; a single value stays constant."""
    points = [(state.iteration, state.accuracy) for state in history]
    if len(points) < iterations:
        points.append((iterations, points[-1][1]))
    return {"method": KINDS[name], "name": name, "points": points}


def _readable(unseen, learnt):
    """Return the sequences whose labels all occur in training; for others there is no oracle."""
    known = set().union(*(one.labels for one in learnt))
    return [one for one in unseen if known.issuperset(one.labels)]


def _as_lists(found):
    return [one.features for one in found], [one.labels for one in found]
