"""The tab SEARN: a policy that learns to label from left to right, beside one that was taught gold prefixes only."""

from functools import lru_cache

import rcmviz as rv
from pages.search.code import searn_code
from pages.search.link import MOST_EXAMPLES
from rcmviz.tasks.handwriting.letter_data import features
from rcmviz.tasks.handwriting.pen import pen_words
from rcmviz.views.search.rollouts import build_searn

GRID, SEED = "8x4", 11
LOOKS = {"SEARN": "rcms", "Gold prefixes": "beam"}  # their colours and marks are those of these methods


@lru_cache(maxsize=4)
def searn_payload(question):
    """What the view draws of one word held out, and of all of them."""
    learnt, unseen = _words(question.learnt)
    word, readable = unseen[question.example - 1], _readable(unseen, learnt)
    if word not in readable:
        raise ValueError(
            f"the word {word.letters!r} has a letter that no word learnt has: learn more words, or look at another one"
        )
    learners = _trained(question.only("training"))
    (pixels,), (letters,) = _as_lists([word])
    X, y = _as_lists(readable)
    explained = [learners["SEARN"].explain(pixels, letters, k, seed=question.draw) for k in range(question.iterations)]
    return build_searn(
        explained, word.letters, [(LOOKS[name], name, one.compounding(X, y)) for name, one in learners.items()],
        [_progress(name, one.history_, question.iterations) for name, one in learners.items()],
        title=f"“{word.letters}”, {question.learnt:,} words learnt", noun="letter", opening=min(4, question.iterations),
        images=[["".join("1" if pixel else "0" for pixel in row) for row in image] for image in word.images],
        code=searn_code(question),
    )  # fmt: skip


@lru_cache(maxsize=4)
def _trained(question):
    """{name: ``SearchClassifier``}, each with what it got right of the words held out."""
    learnt, unseen = _words(question.learnt)
    held_out, learnt = _as_lists(_readable(unseen, learnt)), _as_lists(learnt)
    searn = rv.SearchClassifier(order=question.order, beta=question.beta, iterations=question.iterations)
    gold = rv.SearchClassifier("gold", order=question.order)
    return {"SEARN": searn.fit(*learnt, held_out), "Gold prefixes": gold.fit(*learnt, held_out)}


def _progress(name, history, iterations):
    """Share of labels that are right after each iteration; what has one only stays at its level."""
    points = [(state.iteration, state.accuracy) for state in history]
    if len(points) < iterations:
        points.append((iterations, points[-1][1]))
    return {"method": LOOKS[name], "name": name, "points": points}


def _readable(words, learnt):
    """Those of the words that have only letters which were learnt: for others there is no oracle."""
    known = set().union(*(word.letters for word in learnt))
    return [word for word in words if known.issuperset(word.letters)]


@lru_cache(maxsize=2)
def _words(learnt):
    """(Words to learn from, words held out) by the pen; those held out are always the same."""
    words = pen_words(learnt + MOST_EXAMPLES, seed=SEED)
    return words[MOST_EXAMPLES:], words[:MOST_EXAMPLES]


def _as_lists(words):
    return [features(word.images, GRID) for word in words], [list(word.letters) for word in words]
