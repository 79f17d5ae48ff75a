"""Places of planted bugs: modules of the package, and the tests that find them."""

SELECTION, EXACTNESS, QUERIES, INVARIANTS, LEARN, TRAINER, CHECKPOINT = (
    f"test_{name}.py::test_"
    for name in ("selection", "exactness", "queries", "invariants", "learn", "trainer", "checkpoint")
)
MODEL, SMOOTHING, ARPA, HMM, REJECTION, TRIALS = (
    f"test_{name}.py::test_" for name in ("language_model", "lm_train", "arpa", "hmm", "ars", "ars_trace")
)
ALIGN, DECIPHER = (f"test_{name}.py::test_" for name in ("align", "decipher"))
MRF_BOUNDS, MRF, MRF_DECODING, MRF_RIVALS, MRF_TAGGER = (
    f"test_{name}.py::test_" for name in ("bounds", "field", "decoding", "rivals", "tagger")
)
PERCEPTRON = "test_perceptron.py::test_"
UPDATE = PERCEPTRON + "a_step_is_its_definition_also_where_outputs_tie"
GRADIENT = LEARN + "the_gradient_is_observed_minus_expected"
PATHS = ALIGN + "whatever_contexts_are_chosen_all_sums_are_over_paths_through_them"
BOUND = MODEL + "eq_7_of_the_table_as_given_and_its_largest_over_all_longer_histories"
KERNEL, CHOICE, MESSAGES, SWEEP, ARCS, TRAIN, TRAIN_DENSE, TRAIN_FEATURES, WEIGHTS = (
    f"rcmviz.kernels.{name}"
    for name in (
        "chain.contexts",
        "chain.selection",
        "chain.messages",
        "chain.sweep",
        "learn.arcs",
        "learn.train",
        "learn.train_dense",
        "learn.train_features",
        "learn.weights",
    )
)
STATES, BOUNDS, PASSES, DRAWS = (f"rcmviz.kernels.ars.{name}" for name in ("automaton", "bounds", "passes", "trials"))
EDGES, CELLS, ALIKE, FEATURES = (f"rcmviz.kernels.align.{name}" for name in ("grid", "cells", "groups", "scores"))
CTC, CTC_KERNELS = "test_ctc.py::test_", "rcmviz.kernels.ctc."
PERCEPTRONS = "rcmviz.kernels.learn.perceptron"
SEARN, ROLL_OUTS = "test_searn.py::test_", "rcmviz.kernels.searn.rollouts"
SEARCH = "test_search.py::test_"
DISCOUNTING, EM, CIPHERS = "rcmviz.learn.discounting", "rcmviz.learn.em", "rcmviz.tasks.decipher.words"
