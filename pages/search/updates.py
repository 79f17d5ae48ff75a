"""The tab Perceptron: training on pen words read by a beam, with some updates explained."""

import numpy as np

import rcmviz as rv
from pages.search.code import GRID, HELD_OUT, SEED
from pages.search.question import TAUS
from rcmviz.core.inference.batch import infer_batch
from rcmviz.learn.explain_update import explain_update
from rcmviz.tasks.handwriting.letter_data import word_sequences
from rcmviz.tasks.handwriting.pen import pen_words
from rcmviz.views.search.perceptron import RULES, SeenUpdate, build_perceptron

UPDATES = 12  # that are explained
POINTS = 10  # of a curve
MOST_CHANGES = 5_000  # of a step, weights of single pixels included
RULE_NAMES = {"standard": "Standard", "early": "Early", "max-violation": "Max-violation"}


def perceptron_payload(question):
    """Return the payload of a training by each rule, and of a CRF."""
    words = pen_words(question.words + HELD_OUT, seed=SEED)
    learnt, unseen = words[: question.words], words[question.words :]
    data, held_out = word_sequences(learnt, GRID), word_sequences(unseen, GRID)
    updates = _updates(data, learnt, question)
    curves = [_curve(data, held_out, question, rule) for rule in RULES] + [_curve(data, held_out, question)]
    return build_perceptron(
        updates,
        curves,
        beam=question.beam,
        labels=data.labels,
        opening=_opening_update(updates),
        title=f"{question.words:,} words by the pen, {question.epochs} epochs, beam {question.beam}",
    )


def settings_of(question, **more):
    """Return the ``rv.Training`` of a question: a perceptron of order 1 with a beam, unless ``more`` overrides it."""
    options = {"method": "beam", "budget": question.beam, "objective": "perceptron"} | more
    return rv.Training(order=1, epochs=question.epochs, seed=question.shuffle, **options)


def _updates(data, words, question):
    """Return ``SeenUpdate``s of the first mistakes, in the second epoch if there is one."""
    trainer = rv.Trainer(data, settings_of(question, average=False))
    if question.epochs > 1:
        trainer.advance()
    found = []
    while len(found) < UPDATES and not trainer.done:
        (number,) = trainer.upcoming(1).tolist()
        explained = explain_update(trainer.model(), data.take([number]), trainer.settings, TAUS, shown=MOST_CHANGES)
        if explained.predicted != explained.gold:
            found.append(SeenUpdate(trainer.step + 1, words[number], explained))
        trainer.advance(1)
    if not found:
        raise ValueError("this training makes no mistake to explain: choose fewer epochs, or more words")
    return found


def _opening_update(updates):
    """Return the opening update, from 1: the rules differ most, then most letters are right."""

    def informativeness(k):
        explained = updates[k].explained
        right = sum(a == b for a, b in zip(explained.gold, explained.predicted, strict=True))
        return len({step.cut for step in explained.steps.values()}), right

    return 1 + max(range(len(updates)), key=informativeness)


def _curve(data, held_out, question, rule=None):
    """Return the share of right letters during the training by one rule; of the CRF if none is given."""
    more = {"update": rule} if rule else {"method": "exact", "objective": "likelihood"}
    trainer = rv.Trainer(data, settings_of(question, average=True, **more))
    stretch = max(1, len(data) * question.epochs // POINTS)
    points = []
    while not trainer.done:
        model = trainer.advance(stretch).model
        points.append((trainer.step, _letters_right(model, held_out, trainer.settings)))
    return {"method": rule or "crf", "name": RULE_NAMES.get(rule, "CRF"), "points": points}


def _letters_right(model, data, settings):
    """Return the share of right letters, with the method of the training."""
    emits = data.log_emits(model.emission)
    found = infer_batch(model, emits, settings.method, settings.budget, deduplicate=settings.deduplicate, threads=1)
    right = [np.mean(labels == gold) * len(gold) for labels, gold in zip(found.labels, data.golds(), strict=True)]
    return float(sum(right) / data.positions)
