"""Conclusions under a table follow from the table, for true, false and tied cases."""

import numpy as np
import pytest

from rcmviz.experiments import (
    conclusions,
    figure5,
    figure6,
    figure6_decipher,
    figure_field_text,
    figure_pos,
    figure_sms,
    importance,
    table2,
    table4,
    table_field_tagging,
    table_neighbours,
)
from rcmviz.experiments.conclusions import TIED

ORDERS = range(3, 10)


def holds(claim):
    """The verdict of a claim, as a plain value."""
    _, _, true = claim
    return true if true is None or isinstance(true, str) else bool(true)


def test_a_table_of_claims_has_a_word_for_every_verdict():
    lines = conclusions.claims_table(
        [("a", "1", True), ("b", "2", np.bool_(False)), ("c", "3", None), ("d", "4", TIED)]
    )
    assert [line.split(" | ")[-1] for line in lines.splitlines()[2:]] == [
        "yes |",
        "**no** |",
        "undecided |",
        "tied |",
    ]


@pytest.mark.parametrize(
    ("accuracy", "said", "true"),
    [
        ({3: 0.924, 5: 0.918, 6: 0.916}, "best at n = 3, .924", False),
        ({3: 0.917, 5: 0.918, 6: 0.916}, "best at n = 5, .918", True),
        ({3: 0.9181, 5: 0.9182, 6: 0.916}, "best at n = 3 and 5, .918", TIED),
        ({3: 0.91, 4: 0.92, 6: 0.92}, "best at n = 4 and 6, .920", False),
    ],
)
def test_the_order_of_the_best_accuracy_is_that_of_the_table(accuracy, said, true):
    claim = figure_pos.accuracy_claim(accuracy)
    assert claim[1] == said and holds(claim) == true


def test_the_growth_of_time_is_that_of_the_table():
    line = {n: 0.5 * n for n in ORDERS}
    curve = {n: 0.01 * 4.0**n for n in (3, 4, 5, 6)}
    assert [holds(claim) for claim in figure_pos.time_claims(line, curve)] == [True, True]
    assert [holds(claim) for claim in figure_pos.time_claims({n: 2.0**n for n in ORDERS}, line)] == [False, False]
    assert holds(figure_pos.time_claims(line, {3: 1.0, 4: 9.0})[1]) is None
    assert holds(figure_pos.time_claims({n: 9.0 - n for n in ORDERS}, curve)[0]) is False
    assert holds(figure_pos.sampling_claim("states", line)) is True
    assert holds(figure_pos.sampling_claim("states", dict.fromkeys(ORDERS, 7.0))) is False


def test_who_is_faster_is_told_order_by_order():
    ars = {3: 1.0, 4: 1.0, 5: 1.0}
    claim = figure_pos.speed_claim("shared", ars, {3: 0.5, 4: 2.0, 5: 13.6})
    assert claim[1].endswith("; the full automaton is faster at n = 3") and not holds(claim)
    assert holds(figure_pos.speed_claim("shared", ars, {3: 1.5, 4: 2.0})) is True
    assert holds(figure_pos.equality_claim(3e-13)) and not holds(figure_pos.equality_claim(0.5))


def test_messages_grow_as_the_table_says():
    def verdict(*values):
        return holds(figure_sms.growth_claim("", dict(enumerate(values))))

    assert verdict(1, 5, 6) is True and verdict(1, 5, 10) is False and verdict(1, 3, 5) is False
    assert verdict(5, 3, 1) is False and verdict(1, 2) is None
    found = {"plain": 359, "slips": 637, "log10 as natural, slips": 84}
    for published, true in (((90, 475), False), ((630, 2800), True)):
        claim = figure_sms.nearest_claim(
            published, found, {"plain": 1651, "slips": 2818, "log10 as natural, slips": 396}
        )
        assert holds(claim) is true
    trials = {"log10 as natural": 510, "log10 as natural, slips": 850}
    assert [holds(figure_sms.between_claim(5, x, trials)) for x in (701, 510, 400)] == [True, True, False]
    saved = (figure_sms.look_ahead_claim({"plain": 100, "look-ahead": x}) for x in (30, 100, 130))
    assert [holds(claim) for claim in saved] == [True, False, False]


def arms(first, last, peak=None):
    """Lengths (2, 20) of every arm of figure 6: from ``first`` over ``peak`` to ``last``."""
    middle = max(first, last) if peak is None else peak
    return {
        (order, eta): np.array([np.interp(range(20), [0, 3, 19], [first, middle, last])] * 2)
        for order in figure6.ORDERS
        for eta in figure6.ETAS
    }


def test_an_overshoot_is_found_where_there_is_one():
    pairs = [("ommanding", 1.0), ("eeker", 0.3), ("wab", 0.1)]
    steps = list(range(50, 1001, 50))
    for lengths, grow, over in ((arms(1.0, 2.0, 1.2), True, False), (arms(1.0, 2.0, 9.0), True, True)):
        averages = {arm: figure6.cumulative(steps, rows) for arm, rows in lengths.items()}
        found = [holds(claim) for claim in figure6.claims_of(averages, lengths, pairs)]
        assert found == [grow, over, over, over, True, TIED]
    assert not holds(figure6.growth_claim({("file", 0.2): (2.0, 1.0)}))
    assert holds(figure6.length_claim([(word, -fall) for word, fall in pairs])) is False
    assert holds(figure6.length_claim(pairs[:1] * 3)) is None


def test_rounds_of_a_message_are_read_off_its_table():
    rounds = [[1, "a", -5.0, -9.0], [50, "b", -6.0, -7.0], [90, "c", -7.5, -7.5]]
    assert [holds(claim) for claim in table2.course_claims("1", rounds)] == [True, True, True]
    rising = [rounds[0], [20, "d", -4.0, -8.0], [90, "c", -7.5, -7.0]]
    assert [holds(claim) for claim in table2.course_claims("1", rising)] == [False, False, False]
    assert [holds(claim) for claim in table2.course_claims("1", rounds[-1:])] == [None, None, True]
    natural, log10 = table2.TEMPERATURES
    assert holds(table2.score_claim(-13.7, {natural: (-31.45, -1.8), log10: (-14.68, -1.8)})) is False
    assert holds(table2.score_claim(-13.7, {natural: (-13.9, -1.8), log10: (-14.68, -1.8)})) is True
    assert holds(table2.score_claim(-13.7, {natural: (-13.9, -1.8), log10: (-13.5, -1.8)})) == TIED
    assert [holds(table2.rounds_claim(170, {natural: x, log10: 24})) for x in (538, 100)] == [True, False]
    assert [holds(table2.sequence_claim("a", {natural: "a", log10: x})) for x in "ab"] == [True, False]


def test_counts_of_draws_are_compared_with_their_probabilities():
    for counts, true in (([560, 600], True), ([300], False), ([570, 900], False)):
        assert holds(table4.counts_claim("1", [("a", -1.0, counts, 558.0, 601.0), ("b", -9.0, [1], 0.5, 0.6)])) is true


def shares(every, unknown, **spec):
    return {"all": every, "unknown": unknown, "spec": {"task": "hmm", "emissions": "TnT", "order": 2} | spec}


def test_a_field_is_judged_by_the_shares_of_the_table():
    def verdicts(field, other):
        claims = [*table_field_tagging.paper_claims(field, other), table_field_tagging.both_claim(field, other)]
        return [holds(claim) for claim in claims]

    assert verdicts(shares(0.921, 0.739), shares(0.918, 0.701)) == [True, True, True]
    assert verdicts(shares(0.916, 0.701), shares(0.918, 0.701)) == [True, False, False]
    assert verdicts(shares(0.90, 0.60), shares(0.918, 0.701)) == [False, False, False]
    assert verdicts(shares(0.918, 0.701), shares(0.918, 0.701)) == [True, False, TIED]
    assert verdicts(shares(0.918, None), shares(0.918, 0.701)) == [True, None, None]


def test_a_quick_run_compares_taggers_that_learnt_from_the_same_sentences(monkeypatch):
    learnt_from = []

    class Stop(Exception):
        pass

    def fit(sentences, *_, **__):
        learnt_from.append(list(sentences))
        raise Stop

    monkeypatch.setattr(table_field_tagging.pos_runs, "sentences", lambda spec: [])
    monkeypatch.setattr(
        table_field_tagging.pos_runs, "_treebank", lambda part: [((str(k),), ("T",)) for k in range(80)]
    )
    monkeypatch.setattr(table_field_tagging, "_fit", lambda spec, l2, sentences: fit(sentences))
    monkeypatch.setattr(table_field_tagging.Tagger, "fit", fit)
    for spec in table_field_tagging.specs(table_field_tagging.Plan("ud_ewt", quick=True)):
        if spec.get("window") != 1:  # which first looks at slices for its l2
            with pytest.raises(Stop):
                table_field_tagging.cell(spec)
    assert len(learnt_from) == 5 and all(one == learnt_from[0] for one in learnt_from) and len(learnt_from[0]) == 10


def test_neighbours_and_proposals_may_be_tied():
    for other, true in ((0.489, True), (0.583, False), (0.5704, TIED)):
        (claim,) = table_neighbours.claims_of({"lifted": 0.570, "pseudo": other})
        assert holds(claim) == true
    for low, true in (((-1, -1, 1), True), ((1, 1, -1), False), ((1, -1), TIED)):
        assert holds(importance.low_claim(low)) == true
    assert holds(importance.intervals_claim([], 5)) is None
    for off, true in (
        ({"beam": 0.1, "SMC with a bound": 0.2}, False),
        ({"beam": 0.1, "SMC": 0.05}, True),
        ({"beam": 0.1, "SMC": 0.1}, TIED),
        ({"beam": 0.1}, None),
    ):
        assert holds(importance.nearest_claim(off, 10.0)) == true


def test_decipherment_is_judged_seed_by_seed():
    one = np.array([0.8, 0.9])
    for other, true in ((one - 0.1, True), (one + 0.1, False), (one, TIED), (np.array([0.7, 0.99]), False)):
        assert holds(figure5.ahead_claim("", one, other)) == true
    text = figure5.joined_sentence({1: (one, one), 4: (one - 0.1, one - 0.7)})
    assert (
        "with 4 in one RCMS 60 is ahead" in text
        and "with 1 in one it is not" in text
        and "loses .10 and beam 60 .70" in text
    )
    assert "ahead" not in figure5.joined_sentence({1: (one, one), 4: (one, one)})
    grows, falls = np.array([0.5, 2.0, 3.0, 3.0, 3.0]), np.array([3.0, 3.5, 2.0])
    assert [holds(claim) for claim in figure6_decipher.course_claims("", grows)] == [True, True]
    assert [holds(claim) for claim in figure6_decipher.course_claims("", falls)] == [False, False]


def test_full_rank_over_fits_as_its_curve_says():
    def curve(*valid):
        return [{"step": step, "valid": value, "train": -3.0} for step, value in enumerate(valid)]

    for values, true in (((-4, -3.5, -3.6), True), ((-4, -3.5, -3.505), "barely"), ((-4, -3.6, -3.5), False)):
        assert holds(figure_field_text.overfit_claim(curve(*values))) == true
    assert [holds(figure_field_text.slightly_claim("", x, -3.0)) for x in (-3.05, -3.6, -2.9)] == [True, False, True]
