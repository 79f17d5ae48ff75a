"""Beam, RCMS and exact inference on HMMs with a language model, compared with enumeration of all outputs."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console

import rcmviz as rv
from oracles import chain
from oracles import hmm as hmm_oracle
from problems.ars import random_problem
from problems.chain import build_of, ids, machine_of, problems_of, rules
from problems.ngrams import SEEDS, dyadic, lm_of
from rcmviz.cli import report
from rcmviz.core.inference.verdict import contexts_along, judge, lost_at
from rcmviz.views.word.payload import Run, build_payload

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
METHODS = ("rcms", "rcms", "beam", "repaired", "exact")
FULL = [
    chain.Rule("exact"),
    chain.Rule("rcms"),
    chain.Rule("beam"),
    chain.Rule("rcms", deduplicate=True),
    chain.Rule("beam", deduplicate=True),
]


def hmm_problem(seed, size=20, **options):
    """A random ``hmm_oracle.Problem``: orders 1–4, holes, back-offs above 1, candidate lists of different widths."""
    found = random_problem(random.Random(seed), size, max_order=4, **options)
    return hmm_oracle.Problem(dyadic(found.table), found.candidates, found.log_obs, found.end, found.temperature)


def hmm_problems(**options):
    """Strategy of random problems; failures shrink towards small models."""
    return st.builds(lambda seed, size: hmm_problem(seed, size, **options), SEEDS, st.sampled_from([2, 6, 20, 60]))


def fitting(problem, rule):
    """The rule without the edits that the engine refuses on this problem."""
    names = {kind: tuple(edit for edit in getattr(rule, kind) if problem.offers(*edit)) for kind in ("pin", "forbid")}
    if rule.method == "exact":
        names = {kind: tuple(edit for edit in edits if isinstance(edit[1], str)) for kind, edits in names.items()}
        return chain.Rule("exact", **names)
    return replace(rule, **names)


@st.composite
def hmm_cases(draw, methods=METHODS, plain=False, **options):
    """A problem and a rule that fits it."""
    problem = draw(hmm_problems(**options))
    return problem, fitting(problem, draw(rules(problem, methods, plain)))


def hmm_of(problem):
    """The engine's HMM of a problem."""
    return rv.HMM(lm_of(problem.table), problem.candidates, problem.log_obs, problem.end, problem.temperature)


def built(problem, rule, record=True, passes=1):
    """``(lattice, trace)`` of a rule."""
    return build_of(hmm_of(problem), None, rule, record, passes)


def solved(case, **options):
    """``(lattice, trace, machine)`` of a case."""
    problem, rule = case
    lattice, trace = built(problem, rule, **options)
    return lattice, trace, machine_of(problem, rule, lattice)


def by_index(lattice, rows):
    """Numbers per position and label, ``rows`` of a machine, as the lattice has them: per position and index."""
    table = np.zeros((lattice.T, lattice.width))
    for i, row in enumerate(rows):
        for y, number in enumerate(lattice.choices[i]):
            table[i, y] = float(row[number]) if number >= 0 else 0.0
    return table


def shares_of(problem):
    """``(words, probability)`` of all outputs."""
    total = problem.log_z
    return [(words, np.exp(score - total)) for words, score in problem.log_p.items()]


@problems_of(200)
@given(hmm_problems(max_length=4), st.data())
def test_exact_inference_is_the_enumeration(problem, data):
    lattice, _ = built(problem, chain.Rule("exact"), record=False)
    np.testing.assert_allclose(rv.log_z(lattice), problem.log_z, **CLOSE)
    best = rv.kbest(lattice, 6)
    np.testing.assert_allclose([path.log_score for path in best], problem.ranking[:6], **CLOSE)
    np.testing.assert_allclose([problem.log_p[path.labels] for path in best], problem.ranking[:6], **CLOSE)
    for words in data.draw(st.lists(st.sampled_from(sorted(problem.log_p)), max_size=5)):
        np.testing.assert_allclose(rv.log_prob(lattice, words), problem.log_p[words] - problem.log_z, **CLOSE)
    pattern = data.draw(st.lists(st.sampled_from([*problem.labels, "?", "?", "*", "*"]), max_size=5))
    expected = sum(share for words, share in shares_of(problem) if chain.matches(tuple(pattern), words))
    np.testing.assert_allclose(rv.mass(lattice, pattern), expected, **CLOSE)


@problems_of(200)
@given(hmm_problems(max_length=4))
def test_label_posteriors_of_exact_inference(problem):
    lattice, _ = built(problem, chain.Rule("exact"), record=False)
    expected = np.zeros((lattice.T, len(lattice.labels)))
    for words, share in shares_of(problem):
        for row, word in zip(expected, words, strict=True):
            row[lattice.labels.index(word)] += share
    np.testing.assert_allclose(rv.posterior(lattice).label, by_index(lattice, expected), **CLOSE)


@problems_of(120)
@given(hmm_problems(max_length=4))
def test_all_builders_meet_at_full_budget(problem):
    for rule in FULL:
        lattice, _ = built(problem, rule, record=False)
        np.testing.assert_allclose(rv.log_z(lattice), problem.log_z, **CLOSE)
        np.testing.assert_allclose(rv.viterbi(lattice).log_score, problem.best, **CLOSE)


@problems_of(300)
@given(hmm_cases(max_length=4))
def test_contexts_are_chosen_by_the_rule_and_sums_are_those_of_their_machine(case):
    """RCMS, beam and repaired beam keep the heaviest contexts with all options, and arcs score by their contexts."""
    problem, rule = case
    lattice, _, machine = solved(case, record=False)
    if rule.method != "exact":
        assert not list(chain.violations(machine, rule))
    np.testing.assert_allclose(rv.log_z(lattice), chain.log(machine.z), **CLOSE)
    if machine.z > 0:
        np.testing.assert_allclose(rv.posterior(lattice).label, by_index(lattice, machine.label_mass()), **CLOSE)
        np.testing.assert_allclose(rv.viterbi(lattice).log_score, chain.log(machine.best().weight), **CLOSE)


@problems_of(100)
@given(hmm_problems(max_length=4), st.integers(1, 4))
def test_the_second_pass_ranks_by_the_first_pass_future(problem, budget):
    assert not violations_of_the_second_pass(problem, chain.Rule("rcms", budget))


@problems_of(100)
@example(hmm_problem(39302, 2, max_length=4), 3)
@given(hmm_problems(max_length=4), st.integers(1, 4))
def test_the_second_pass_over_joined_contexts(problem, budget):
    assert not violations_of_the_second_pass(problem, chain.Rule("rcms", budget, deduplicate=True))


def violations_of_the_second_pass(problem, rule):
    first, second = (
        machine_of(problem, rule, built(problem, rule, record=False, passes=passes)[0]) for passes in (1, 2)
    )
    return list(chain.violations(second, rule, first))


@problems_of(200)
@given(hmm_cases(max_length=4))
def test_every_arc_leads_to_the_longest_suffix_and_scores_by_what_is_known(case):
    lattice, _, machine = solved(case, record=False)
    for i in range(lattice.T):
        for c in ids(lattice, i):
            for y in range(lattice.width):
                into, label = int(lattice.target[c, y]), lattice.name_of(i, y)
                if not label:
                    assert into == -1 and lattice.score[c, y] == -np.inf, "padding leads nowhere"
                    continue
                assert (None if into < 0 else lattice.context(into)) == machine.follow(i, lattice.context(c), label)
                if case[1].root_weight is None:
                    expected = chain.log(machine.problem.arc(i, lattice.context(c), label))
                    np.testing.assert_allclose(lattice.score[c, y], expected, **CLOSE)


@problems_of(150)
@given(hmm_cases(max_length=4))
def test_mass_is_equal_at_every_column(case):
    lattice, trace, machine = solved(case)
    if machine.z > 0:
        share = rv.posterior(lattice).context
        for i in range(lattice.T + 1):
            assert share[lattice.column(i)].sum() == pytest.approx(1, abs=1e-9)


@problems_of(150)
@given(hmm_problems(max_length=4), st.integers(1, 6))
def test_beam_knows_at_most_the_mass_of_the_model(problem, budget):
    for deduplicate in (False, True):
        lattice, _ = rv.beam(hmm_of(problem), budget=budget, deduplicate=deduplicate)
        assert rv.log_z(lattice) <= problem.log_z + 1e-9 * max(1, abs(problem.log_z))


@problems_of(150)
@given(hmm_cases(max_length=4))
def test_the_trace_has_candidates_and_of_nothing_else(case):
    problem, _ = case
    lattice, trace, machine = solved(case)
    for i in range(1, problem.T):
        forward, rows, table = machine.forward(i - 1), trace.candidates(i), trace.table(i)
        assert len(table) == rows.stop - rows.start == len(ids(lattice, i - 1)) * len(problem.positions[i - 1])
        for m in range(rows.start, rows.stop):
            context, label = lattice.context(int(trace.context[m])), lattice.name_of(i - 1, trace.label[m])
            mass = forward.get(context, 0) * machine.problem.arc(i - 1, context, label)
            np.testing.assert_allclose(trace.log_mass[m], chain.log(mass), **CLOSE)
            expected = (*context, label)[-problem.order :] if trace.settings["deduplicate"] else (*context, label)
            assert table["context"][m - rows.start] == trace.labels_of(m) == expected
            assert trace.reason(m)
        kept = table.loc[table["kept"], "context"]
        assert sorted(kept) == sorted(machine.columns[i] - {()})


@problems_of(150)
@given(hmm_cases(max_length=4))
def test_json_round_trip_is_exact(case):
    lattice, trace, _ = solved(case)
    lattice_again, trace_again = rv.read_trace(trace.to_json())
    assert trace_again.to_json() == trace.to_json() and lattice_again.to_json() == lattice.to_json()
    np.testing.assert_array_equal(lattice_again.choices, lattice.choices)
    assert rv.read_lattice(lattice.to_json()).context(lattice.C - 2) == lattice.context(lattice.C - 2)


@problems_of(60)
@given(hmm_problems(possible=False, max_length=3))
def test_impossible_inputs_are_refused_in_words(problem):
    for rule in [*FULL, chain.Rule("rcms", 2), chain.Rule("beam", 2)]:
        lattice, _, machine = solved((problem, rule))
        if machine.z > 0 and rule not in FULL:  # where RCMS has forgotten a word, what follows may be possible
            continue
        assert rv.log_z(lattice) == -np.inf
        with pytest.raises(ValueError, match="positive probability"):
            rv.viterbi(lattice)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_lengths_beyond_enumeration(order):
    """De-duplicated RCMS and beam with room for every context are the exact chain, here with some 10^11 outputs."""
    rng = np.random.default_rng(order)
    words = [chr(97 + k) for k in range(7)]
    sentences = [[words[k] for k in rng.integers(0, 7, rng.integers(1, 9))] for _ in range(300)]
    candidates = [[words[k] for k in rng.permutation(7)[: rng.integers(4, 8)]] for _ in range(14)]
    log_obs = [rng.normal(size=len(row)) for row in candidates]
    hmm = rv.HMM(rv.train_lm(sentences, order=order), candidates, log_obs)
    exact, _ = rv.exact(hmm, record=False)
    for builder in (rv.rcms, rv.beam):
        lattice, _ = builder(hmm, budget=10**6, deduplicate=True, record=False)
        np.testing.assert_allclose(rv.posterior(lattice).label, rv.posterior(exact).label, **CLOSE)
        np.testing.assert_allclose(rv.log_z(lattice), rv.log_z(exact), **CLOSE)


@pytest.fixture(scope="module")
def small():
    """Three positions and ``</s>``; `two` is a candidate twice, `odd` is not in the vocabulary."""
    lm = rv.train_lm(["the two ran", "the cat ran", "two cats sat", "the two sat"], order=3)
    return rv.HMM(lm, [["the", "two"], ["two", "cat", "odd"], ["ran", "sat"]], [[0, -1], [0, -0.5, -2], [0, -0.1]])


def test_words_are_named_by_position(small):
    lattice, trace = rv.rcms(small, budget=3)
    assert lattice.labels == ("the", "two", "cat", "odd", "ran", "sat", "</s>")
    assert rv.viterbi(lattice).labels == ("the", "two", "ran", "</s>")
    assert [lattice.name_of(1, y) for y in range(3)] == ["two", "cat", "odd"]
    assert lattice.indices_of(["two", "two", "sat", "</s>"]) == [1, 0, 1, 0]
    assert lattice.indices_of(["cat", "the"]) == [-1, -1]
    assert lattice.name_of(3, 1) == "", "padding has no name"
    assert {label for _, _, label in rv.to_networkx(lattice).edges(keys=True)} == set(lattice.labels)
    assert trace.settings["order"] == 2 and trace.settings["end"] is True
    with pytest.raises(ValueError, match="'dog'"):
        lattice.indices_of(["dog"])


def test_labels_that_a_position_lacks_are_impossible_and_lost_there(small):
    lattice, _ = rv.exact(small)
    assert rv.log_prob(lattice, ["the", "ran", "ran", "</s>"]) == -np.inf
    assert lost_at(lattice, ["the", "ran", "ran", "</s>"]) == 2
    assert contexts_along(lattice, ["the", "ran", "ran", "</s>"])[1:] == [1, None, None, None]
    verdict = judge("exact", lattice, ("the", "two", "ran", "</s>"))
    assert verdict.lost_at is None and verdict.gold_rank == 1 and sum(p for _, p in verdict.top) <= 1


def test_text_views_and_figures_name_words(small):
    lattice, trace = rv.rcms(small, budget=2)
    console = Console(width=200, record=True)
    console.print(report.step(trace, lattice, 2, gold=("the", "two", "sat", "</s>")))
    console.print(report.verdict_line(judge("rcms 2", lattice)))
    text = console.export_text()
    assert "the two" in text and "9 candidates by mass: 2 kept, 7 merged" in text
    strip = rv.plot.strip(lattice, gold=("two", "cat", "sat", "</s>")).to_json()
    assert '"P(\\u003c' not in strip and "cat" in strip
    shares = rv.plot.label_posteriors({"rcms": lattice}, ["the", "ran", "ran", "</s>"]).data[0].y
    np.testing.assert_allclose(shares, [rv.posterior(lattice).label[0, 0], 0, rv.posterior(lattice).label[2, 0], 1])
    assert "the two" in rv.plot.context_tree(trace, lattice, 2).to_json()


def test_the_player_gets_words_by_number_whatever_their_index(small):
    lattice, trace = rv.rcms(small, budget=2)
    gold = ("the", "ran", "sat", "</s>")
    payload = build_payload(None, [Run("rcms", lattice, trace)], gold=gold, title="a message")
    named = [[payload["labels"][y] for y in labels] for labels in payload["runs"][0]["columns"][2]["labels"]]
    assert sorted(named) == [[], ["the", "cat"], ["the", "two"]]
    assert [payload["labels"][y] for y in payload["runs"][0]["path"]["labels"]] == list(rv.viterbi(lattice).labels)
    rows = [{payload["labels"][y]: share for y, share, _ in row} for row in payload["runs"][0]["label"]]
    assert rows[0]["the"] == pytest.approx(rv.posterior(lattice).label[0, 0], rel=1e-5)
    assert set(rows[1]) == {"two", "cat", "odd", "ran"} and rows[1]["ran"] == 0.0
    assert [payload["labels"][y] for y in payload["gold"]] == list(gold) and payload["runs"][0]["gold"]["lost"] == 2


def test_draws_follow_the_posterior(small):
    lattice, _ = rv.rcms(small, budget=4)
    draws = rv.sample(lattice, n=4_000, seed=1)
    for i, row in enumerate(rv.posterior(lattice).label):
        frequency = np.bincount(draws.labels[:, i], minlength=lattice.width) / 4_000
        np.testing.assert_allclose(frequency, row, atol=0.04)


REFUSED = {
    "a budget in the place of log_emit": (lambda h: rv.rcms(h, 20), "own observations: leave out log_emit"),
    "emissions besides": (lambda h: rv.exact(h, [[0.0]]), "own observations"),
    "a label where it is no candidate": (
        lambda h: rv.rcms(h, pin=[(1, "ran")]),
        "'ran' is not one of the labels there",
    ),
    "a context across": (lambda h: rv.rcms(h, forbid=[(2, ("cat", "the"))]), "'cat' is not one of the labels there"),
    "a context at the end": (lambda h: rv.rcms(h, pin=[(4, ("ran", "</s>"))]), "no contexts are selected at the last"),
    "contexts of exact inference": (lambda h: rv.exact(h, pin=[(2, ("two",))]), "pin or forbid labels, not contexts"),
    "a position beyond": (lambda h: rv.rcms(h, budgets={4: 2}), "position 4 selects nothing"),
    "windows": (lambda h: rv.expected_counts(rv.exact(h)[0], h), "a language model scored this lattice"),
    "the bulk driver": (lambda h: rv.infer_batch(h, [[[0.0]]]), "own observations"),
}


@pytest.mark.parametrize(("ask", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_unsupported_queries_are_refused(small, ask, message):
    with pytest.raises(ValueError, match=message):
        ask(small)


def test_emissions_are_required_without_a_model_of_them():
    with pytest.raises(ValueError, match="log_emit is missing"):
        rv.rcms(rv.NgramModel.from_windows("ab", 1, {}))


def test_too_many_contexts_are_refused_with_their_number():
    words = [f"w{k}" for k in range(300)]
    lm = rv.train_lm([words], order=4)
    hmm = rv.HMM(lm, [words] * 4, [np.zeros(300)] * 4)
    with pytest.raises(ValueError, match="16,227,090,600 arcs, .* use rcms, beam or ars_decode"):
        rv.exact(hmm)


def test_histories_without_codes_are_not_joined():
    words = [f"w{k}" for k in range(300)]
    hmm = rv.HMM(rv.train_lm([words], order=8), [words] * 2, [np.zeros(300)] * 2)
    with pytest.raises(ValueError, match="deduplicate with a 8-gram model"):
        rv.rcms(hmm, deduplicate=True)


DAMAGED = {
    "a label beyond": lambda d: d["lattice"]["choices"][0].__setitem__(0, 99),
    "a label below none": lambda d: d["lattice"]["choices"][0].__setitem__(0, -2),
    "a row too few": lambda d: d["lattice"]["choices"].pop(),
    "a row too short": lambda d: d["lattice"]["choices"][1].pop(),
    "an arc without a name": lambda d: d["lattice"]["choices"][3].__setitem__(0, -1),
    "a remembered label without a name": lambda d: d["lattice"]["label"].__setitem__(1, 2),
    "a candidate without a name": lambda d: d["trace"]["label"].__setitem__(0, 2),
    "no table at all": lambda d: d["lattice"].__setitem__("choices", None),
    "a number": lambda d: d["lattice"].__setitem__("choices", 3),
    "a later version": lambda d: d.__setitem__("version", 3),
}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED.keys())
def test_names_that_lead_nowhere_are_refused(small, damage):
    document = json.loads(rv.rcms(small, budget=2)[1].to_json())
    damage(document)
    with pytest.raises(ValueError, match="the text: "):
        rv.read_trace(json.dumps(document))


def test_only_lattices_with_candidates_are_written_as_version_2(small):
    plain, _ = rv.exact(rv.NgramModel.from_windows("ab", 1, {}), [[0.0, 0.0]])
    assert '"version":1' in plain.to_json() and "choices" not in plain.to_json()
    assert '"version":2' in rv.exact(small)[0].to_json()


def test_a_candidate_that_the_model_lacks_is_warned_of():
    lm = rv.train_lm(["the cat sat", "the cat ran", "a dog ran"], order=2, vocabulary=["the", "cat", "ran"])
    with pytest.warns(UserWarning, match="'zebra', 'yak': .*<unk>"):
        rv.HMM(lm, [["the", "zebra"], ["zebra", "yak", "<unk>"]], [[0.0, 0.0], [0.0, 0.0, 0.0]])


def test_probabilities_in_place_of_logs_are_warned_of(recwarn):
    lm = rv.train_lm(["the cat sat", "the dog ran"], order=2)
    rv.HMM(lm, [["the"], ["cat", "dog"]], [[0.0], [-1.0, -2.0]])
    rv.exact(rv.NgramModel.from_windows("ab", 1, {}), [[1.0, 0.0], [0.0, 1.0]])  # may well be logs
    assert not [warning for warning in recwarn if "probabilities" in str(warning.message)]
    for call in (
        lambda: rv.HMM(lm, [["the"], ["cat", "dog"]], [[1.0], [0.3, 0.7]]),
        lambda: rv.exact(rv.NgramModel.from_windows("ab", 1, {}), [[0.9, 0.1], [0.0, 1.0]]),
    ):
        with pytest.warns(UserWarning, match=r"np.log\(p\)"):
            call()


def test_weights_by_name_are_what_they_say():
    lm = rv.train_lm(["the cat sat", "the dog ran"], order=3)
    columns, log_obs, prior = [["the"], ["cat", "dog"]], [[-0.1], [-1.0, -2.0]], {"cat": -0.5, "the": -3.0}
    named = rv.HMM.weighted(lm, columns, log_obs, lm_weight=2.5, word_bonus=0.25, log_prior=prior)
    plain = rv.HMM(lm, columns, log_obs)
    for y, word in enumerate(["cat", "dog"]):
        acoustic = -0.1 + [-1.0, -2.0][y] + 2 * 0.25 + 3.0 + (0.5 if word == "cat" else 0.0)
        spoken = rv.log_prob(rv.exact(plain)[0], ["the", word, "</s>"]) + rv.log_z(rv.exact(plain)[0])
        found = rv.log_prob(rv.exact(named)[0], ["the", word, "</s>"]) + rv.log_z(rv.exact(named)[0])
        assert found == pytest.approx(acoustic + 2.5 * (spoken - log_obs[1][y] + 0.1))
    with pytest.raises(ValueError, match="lm_weight 0"):
        rv.HMM.weighted(lm, columns, log_obs, lm_weight=0)


def test_a_problem_of_an_hmm_runs_and_says_why_it_is_no_file():
    lm = rv.train_lm(["the cat sat", "the dog ran"], order=3)
    hmm = rv.HMM(lm, [["the"], ["cat", "dog"]], [[0.0], [-1.0, -2.0]])
    problem = rv.Problem(hmm, hmm.log_emit)
    assert rv.viterbi(problem.run("rcms", 3)[0]).labels == rv.viterbi(rv.rcms(hmm, budget=3)[0]).labels
    with pytest.raises(ValueError, match="problem file .*<HMM: 3 positions"):
        problem.to_json()
    assert len(lm._repr_html_()) < 200 and problem._repr_html_().startswith("<code>&lt;Problem")
