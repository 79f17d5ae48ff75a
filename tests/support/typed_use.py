"""The library as a type checker sees it: read by mypy in ``make lint`` and never run."""

from typing import assert_type

import numpy as np

import rcmviz as rv
from rcmviz import HMM, Lattice, NgramModel, SequenceClassifier, Sequences, Trainer, Training
from rcmviz.ars.decode import Best
from rcmviz.core.builders.blame import Blame
from rcmviz.core.builders.budgets import BudgetStrip
from rcmviz.core.inference.infer import Draws, Path, Posterior


def use_everything() -> None:
    model = NgramModel.from_windows("ab", 1, {("a", "b"): 1.0})
    assert_type(model, NgramModel)
    lattice, trace = rv.rcms(model, [[0.0, 0.0]] * 3, budget=2, pin=[(1, "a")], forbid=[(2, ("a", "b"))])
    assert_type(lattice, Lattice)
    assert_type(rv.beam(model, np.zeros((3, 2)))[0], Lattice)
    assert_type(rv.posterior(lattice), Posterior)
    assert_type(rv.viterbi(lattice), Path)
    assert_type(rv.viterbi(lattice).labels, tuple[str, ...])
    assert_type(rv.sample(lattice, n=5, seed=np.random.default_rng(0)), Draws)
    assert_type(rv.mass(lattice, "a*"), float)
    trace.table(1).head()
    rv.show(lattice, trace).show({"ours": trace}, position=2)
    assert_type(rv.blame(model, [[0.0, 0.0]] * 3, lattice, "aab"), Blame)
    assert_type(rv.budget_strip(model, [[0.0, 0.0]] * 3, "aab", "beam", most=9), BudgetStrip)

    data = Sequences.from_arrays([[[1.0], [0.0]]], ["ab"], "ab")
    for state in rv.train(data, Training(epochs=2)):
        assert_type(state.model, NgramModel)
    assert_type(Trainer(data).model(), NgramModel)
    assert_type(SequenceClassifier(order=1).fit([[["x"]]], [["a"]]), SequenceClassifier)

    lm = rv.train_lm(["the cat sat"], order=3)
    hmm = HMM(lm, [["the"], ["cat", "dog"]], [[0.0], [-1.0, -2.0]])
    assert_type(rv.exact(hmm)[0], Lattice)
    assert_type(rv.ars_decode(hmm)[0], Best)
    assert_type(rv.ars_decode_many([rv.HMM(lm, [["the"]], [[0.0]])], threads=1), list[Best])
    assert_type(rv.ars_kbest(lm, [["the"]], [[0.0]], k=2), list[Best])
    assert_type(rv.read_problem("problem.json").run("beam", 5)[0], Lattice)
    rv.plot.heatmap(lattice).show()
    rv.export_html(trace, lattice, "run.html")
    rv.viterbi(model)  # type: ignore[arg-type]
    rv.posteriors(lattice)  # type: ignore[attr-defined]
