"""Find the examples of the Home page: pen words on which the methods differ in a telling way.

    python scripts/find_examples.py [seeds]

Prints, best first, text, seed and what happened; pages/home/examples.py keeps three as settings. Run it again
when the pen, the lexicon or the pen's model changes (tests/pages/test_app.py tells).
"""

import hashlib
import sys

import numpy as np

import rcmviz as rv
from rcmviz.data import registry
from rcmviz.tasks.handwriting.letter_data import load_words
from rcmviz.tasks.handwriting.lexicon import LEXICON
from rcmviz.tasks.handwriting.pen import write_word
from rcmviz.tasks.handwriting.problems import problem_from_word

BUDGET, SMALL, FEW = 10, 4, 3


def decode(model, problems, method, budget):
    """(decoded words, their probabilities, mean context lengths)."""
    batch = rv.infer_batch(model, [problem.log_emit for problem in problems], method, budget, dtype="f8")
    words = ["".join(model.labels[y] for y in labels) for labels in batch.labels]
    return words, np.exp(batch.log_prob), batch.mean_length


def root_crossings(model, problem, budget):
    """Positions at which RCMS carries the gold in the root."""
    lattice, _ = rv.rcms(model, problem.log_emit, budget, record=False)
    at, crossed = 0, []
    for i, label in enumerate(problem.gold[:-1], start=1):
        at = lattice.target[at, model.labels.index(label)]
        if lattice.length[at] == 0:
            crossed.append(i)
    return crossed


def print_real_words():
    """Kassel's test words of which beam search is confidently wrong and RCMS right, with the digests that find them."""
    model = rv.load_model("handwriting-kassel")
    words = [word for word in load_words() if word.fold == 1]
    problems = [problem_from_word(model, word) for word in words]
    beam, sure, _ = decode(model, problems, "beam", FEW)
    rcms, _, _ = decode(model, problems, "rcms", FEW)
    print(f"real words, beam {FEW} is confidently wrong, RCMS {FEW} is right")
    telling = [k for k, word in enumerate(words) if beam[k] != word.letters == rcms[k]]
    for k in sorted(telling, key=lambda k: -sure[k])[:8]:
        name = hashlib.sha256(words[k].images.tobytes()).hexdigest()[:16]
        print(f"  {name}  {words[k].letters}  beam {beam[k]} {sure[k]:.3f}")


def main(seeds):
    """Print the best examples of each kind."""
    model = rv.load_model("handwriting-pen")
    asked = [(text, seed) for text in LEXICON if len(text) >= 6 for seed in range(seeds)]
    problems = [problem_from_word(model, write_word(text, seed=seed)) for text, seed in asked]
    gold = np.array([text for text, _ in asked])
    # only where exact inference agrees was it beam search that erred, and RCMS not merely lucky
    exact, _, _ = decode(model, problems, "exact", BUDGET)
    certain = np.array(exact) == gold
    rcms, sure_of_rcms, length = decode(model, problems, "rcms", BUDGET)
    rcms_right = (np.array(rcms) == gold) & certain

    for budget in (BUDGET, SMALL):
        print(f"beam {budget} is confidently wrong, RCMS {budget} is right")
        beam, sure_of_beam, _ = decode(model, problems, "beam", budget)
        rival, sure_of_rival, _ = decode(model, problems, "rcms", budget)
        telling = np.flatnonzero((np.array(beam) != gold) & (np.array(rival) == gold) & certain)
        for k in sorted(telling, key=lambda k: -sure_of_beam[k])[:8]:
            print(f"  {asked[k]}  beam {beam[k]} {sure_of_beam[k]:.2f}  RCMS {rival[k]} {sure_of_rival[k]:.2f}")
    print(f"long contexts, RCMS {BUDGET}")
    relative = length / np.array([len(text) for text in gold])
    for k in sorted(
        np.flatnonzero(rcms_right & (sure_of_rcms > 0.9)), key=lambda k: -relative[k] - 0.03 * len(gold[k])
    )[:8]:
        print(f"  {asked[k]}  mean length {length[k]:.2f} of {len(gold[k])}  {sure_of_rcms[k]:.2f}")

    few, sure_of_few, _ = decode(model, problems, "rcms", SMALL)
    lost, sure_of_lost, _ = decode(model, problems, "beam", SMALL)
    print(f"needs the root, RCMS {SMALL} right and beam {SMALL} wrong")
    telling = np.flatnonzero((np.array(few) == gold) & (np.array(lost) != gold) & certain)
    crossings = {k: root_crossings(model, problems[k], SMALL) for k in telling}
    for k in sorted((k for k in telling if crossings[k]), key=lambda k: -sure_of_few[k])[:8]:
        print(f"  {asked[k]}  root at {crossings[k]}  RCMS {sure_of_few[k]:.2f}  beam {lost[k]} {sure_of_lost[k]:.2f}")
    if registry.find("ocr"):
        print_real_words()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
