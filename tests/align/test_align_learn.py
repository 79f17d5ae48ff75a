"""Training of alignment models: five strategies, resuming, evaluation; each letter of the words is one phone."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from rcmviz.align.evaluation import best_spelling, edit_distance, evaluate, scores_of
from rcmviz.align.infer import Aligner
from rcmviz.align.model import AlignLimits, AlignModel
from rcmviz.align.pairs import Pairs
from rcmviz.align.settings import AlignTraining
from rcmviz.align.train import AlignTrainer, train
from rcmviz.kernels.learn.weights import ABSENT, Store, claim_all, enter_rows, place_of

SPELT = {"A": "a", "B": "b", "F": "ph", "K": "c", "KS": "x"}
LIMITS = AlignLimits(2, 2, 2.0, 0)


def spelt(words, seed):
    """Return words of three or four phones with a regular spelling."""
    rng = np.random.default_rng(seed)
    said = [tuple(rng.choice(list(SPELT), rng.integers(3, 5))) for _ in range(words)]
    return [(phones, "".join(SPELT[phone] for phone in phones)) for phones in said]


@pytest.fixture(scope="module")
def parts():
    inventories = {"letters": tuple("abchpx"), "phones": tuple(SPELT)}
    return tuple(Pairs.from_pairs(spelt(words, seed), LIMITS, **inventories) for words, seed in ((40, 0), (15, 1)))


def last_state(parts, **changes):
    settings = AlignTraining(**{"order": 2, "budget": 5, "epochs": 4} | changes)
    *_, state = train(parts[0], settings, parts[1])
    return state


@pytest.mark.parametrize(
    "changes", [{}, {"joined": True}, {"passes": 2}, {"average": True}, {"mode": "single"}, {"order": 4}]
)
def test_rcms_learns_from_every_example_without_any_alignment(parts, changes):
    state = last_state(parts, **changes)
    assert state.explained == state.examples == 40
    assert state.error_rate < 0.2


def test_forced_decoding_learns_and_its_alignments_are_those_of_the_letters(parts):
    trainer = AlignTrainer(parts[0], AlignTraining("forced", 5, order=2, epochs=2), parts[1])
    assert trainer.advance().explained == 40
    moves, start = trainer.moves
    for w in range(len(parts[0])):
        own = moves[start[w] : start[w + 1]]
        assert (own != 2).sum() == len(parts[0].spelling(w)) and (own != 1).sum() == len(parts[0].sounds(w))
    assert trainer.advance().error_rate < 0.1


def test_a_beam_by_the_model_skips_what_it_cannot_explain(parts):
    trainer = AlignTrainer(parts[0], AlignTraining("model", 1, order=2, epochs=1))
    state = trainer.advance(10)
    assert state.explained < 5 and state.step == 10
    if state.explained == 0:
        assert trainer.tables.used == 0 and np.isnan(state.log_likelihood)


def test_a_beam_by_the_target_explains_everything_and_normalises_over_prefixes_only(parts):
    states = list(train(parts[0], AlignTraining("target", 5, order=2, epochs=3), parts[1]))
    assert all(state.explained == 40 for state in states)
    assert states[-1].log_likelihood > -0.5 and states[-1].exact < 0.3


def test_a_hybrid_beam_explains_every_example(parts):
    assert last_state(parts, strategy="hybrid").explained == 40


def test_a_training_is_the_same_however_it_is_cut(parts):
    settings = AlignTraining(order=3, budget=4, epochs=2, average=True)
    whole, pieces = AlignTrainer(parts[0], settings), AlignTrainer(parts[0], settings)
    while not whole.done:
        whole.advance()
    while not pieces.done:
        pieces.advance(7)
    assert pieces.step == whole.step == 80
    np.testing.assert_array_equal(pieces.model().address, whole.model().address)
    np.testing.assert_array_equal(pieces.model().weights, whole.model().weights)


def test_growth_of_tables_does_not_change_the_result(parts, monkeypatch):
    found, times = [], []
    for rows in (400, 50_000):
        monkeypatch.setattr(AlignTrainer, "_rows_to_come", lambda self, used, rows=rows: rows)
        trainer = AlignTrainer(parts[0], AlignTraining(order=4, budget=5, epochs=1))
        with mock.patch.object(trainer.tables, "grow", wraps=trainer.tables.grow) as grown:
            state = trainer.advance()
        (_, owner, used), (weights, squares, _) = trainer.tables.store, trainer.tables.windows
        found.append((state.log_likelihood, used[0], owner[: used[0]], weights[: used[0]], squares[: used[0]]))
        times.append(grown.call_count)
    assert times[0] > times[1]
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("used", "steps", "rows"),
    [
        (0, 0, 50_000),
        (60_000, 1, 900_000),
        (200_000, 20, 400_000),
        (200_000, 45, 66_666),
        (200_000, 50, 50_000),
        (28_571_428, 20, 50_000),
    ],
)
def test_tables_grow_by_what_the_rest_of_an_epoch_may_bring(parts, used, steps, rows):
    """Tables grow by half to sixteen times their size, and beyond the limit only if necessary."""
    trainer = AlignTrainer(parts[0], AlignTraining(order=2))
    trainer.steps[0] = steps
    assert len(parts[0]) == 40 and trainer._rows_to_come(used) == rows


def test_seeds_shuffle_and_the_order_of_the_data_can_be_kept(parts):
    trainers = [AlignTrainer(parts[0], AlignTraining(seed=seed)) for seed in (0, 0, 1)]
    first, again, other = (trainer.visits(1) for trainer in trainers)
    assert first.tolist() == again.tolist() != other.tolist() and sorted(other) == list(range(40))
    assert AlignTrainer(parts[0], AlignTraining(shuffle=False)).visits(3).tolist() == list(range(40))


def test_a_model_reads_as_the_trainer_it_comes_from(parts):
    trainer = AlignTrainer(parts[0], AlignTraining(order=3, budget=4, epochs=1))
    trainer.advance()
    for decoder in ("viterbi", "marginal"):
        own = trainer.evaluate(parts[1], decoder=decoder)
        again = evaluate(trainer.model(), parts[1], budget=4, decoder=decoder)
        assert [one.text for one in own.readings] == [one.text for one in again.readings]


def test_the_text_of_the_largest_marginal_has_at_least_the_mass_of_the_best_alignment(parts):
    trainer = AlignTrainer(parts[0], AlignTraining(order=2, budget=3, epochs=1))
    trainer.advance(6)
    aligner = Aligner(trainer.model(), budget=3)
    for w in range(len(parts[1])):
        x = parts[1].sounds(w)
        texts = [best_spelling(aligner, x, decoder) for decoder in ("viterbi", "marginal")]
        best, marginal = (aligner.log_mass(aligner.model.letter_numbers(text)) for text in texts)
        assert marginal >= best - 1e-9


def test_scores():
    assert edit_distance("", "abc") == 3 and edit_distance("kitten", "sitting") == 3 and edit_distance("a", "a") == 0
    model = AlignModel("ab", "X", 1, limits=AlignLimits(1, 1, 1.0, 0))
    pairs = Pairs.from_pairs([("X", "a"), ("X", "b")], model.limits, letters="ab", phones="X")
    scores = evaluate(model, pairs)  # all weights zero: of equals the first letter
    assert [one.text for one in scores.readings] == ["a", "a"] and (scores.error_rate, scores.exact) == (0.5, 0.5)
    assert scores_of(scores.readings) == scores
    with pytest.raises(ValueError, match="decoder 'best'"):
        evaluate(model, pairs, decoder="best")
    with pytest.raises(ValueError, match="strategy 'best'"):
        evaluate(model, pairs, "best")
    with pytest.raises(ValueError, match="inventories"):
        evaluate(model, Pairs.from_pairs([("X", "q")]))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"strategy": "best"}, "strategy 'best': choose one of rcms"),
        ({"budget": 0}, "budget 0"),
        ({"order": 9}, "order 9"),
        ({"eta": 0}, "eta 0"),
        ({"epochs": True}, "epochs True"),
        ({"joined": 1}, "joined 1"),
        ({"strategy": "model", "passes": 2}, "only rcms ranks"),
        ({"decoder": "x"}, "decoder 'x'"),
    ],
)
def test_settings_are_checked(changes, message):
    with pytest.raises(ValueError, match=message):
        AlignTraining(**changes)


def test_settings_go_through_json():
    settings = AlignTraining("forced", np.int64(7), joined=True)
    assert AlignTraining.from_dict(settings.to_dict()) == settings
    with pytest.raises(ValueError, match="'speed'"):
        AlignTraining.from_dict({"speed": 1})


def test_examples_are_checked(parts):
    with pytest.raises(ValueError, match="no examples"):
        Pairs.from_pairs([])
    with pytest.raises(ValueError, match=r"example 2 \(''\): no text"):
        Pairs.from_pairs([("XY", "ab"), ("X", "")])
    with pytest.raises(ValueError, match=r"example 1 \('a'\): no phones"):
        Pairs.from_pairs([((), "a")])
    with pytest.raises(ValueError, match="example 1 .*at most 2"):
        Pairs.from_pairs([("X", "abcde")], LIMITS)
    with pytest.raises(ValueError, match=r"example 1 \('b'\): letter 'b'"):
        Pairs.from_pairs([("X", "b")], letters="a")
    with pytest.raises(ValueError, match="inventories"):
        AlignTrainer(parts[0], held_out=Pairs.from_pairs([("X", "a")]))


def test_a_trainer_says_when_it_is_over_and_when_weights_run_away(parts):
    trainer = AlignTrainer(parts[0], AlignTraining(order=1, budget=2, epochs=1))
    trainer.advance()
    with pytest.raises(ValueError, match="epochs"):
        trainer.advance()
    with pytest.raises(ValueError, match="0 examples at once"):
        AlignTrainer(parts[0]).advance(0)
    wild = AlignTrainer(parts[0], AlignTraining(order=1, budget=2, epochs=1, eta=5e3))
    with pytest.raises(ValueError, match="lower eta"):
        wild.advance()


@given(some.sets(some.integers(0, 2**62), min_size=1, max_size=64), some.integers(0, 64))
def test_rows_that_are_entered_together_are_found_as_those_claimed_one_by_one(addresses, first):
    addresses = np.array(sorted(addresses), np.int64)
    first = min(first, len(addresses))
    one_by_one = Store(np.full(128, ABSENT), np.zeros(64, np.int64), np.zeros(1, np.int64))
    together = Store(*(array.copy() for array in one_by_one))
    claim_all(addresses, one_by_one)
    claim_all(addresses[:first], together)
    slot, owner, used = together
    owner[: len(addresses)], used[0] = addresses, len(addresses)
    enter_rows(first, together, np.zeros(64, np.int64))
    assert slot.tolist() == one_by_one[0].tolist()
    assert [slot[place_of(address, together)] for address in addresses] == list(range(len(addresses)))


def test_every_row_that_a_step_makes_is_found_again(parts):
    trainer = AlignTrainer(parts[0], AlignTraining(order=3, budget=5, epochs=2))
    while not trainer.done:
        before = trainer.tables.used
        trainer.advance(7)
        rows, addresses = trainer.tables.used, trainer.tables.addresses.copy()
        claim_all(addresses, trainer.tables.store)
        assert trainer.tables.used == rows >= before
        assert len(set(addresses.tolist())) == rows > 0
