"""The Field page without a browser: tabs compared with definitions, invalid input, code."""

import contextlib
import io
import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rcmviz as rv
from pages.mrf import texts as texts_of_field
from pages.mrf.code import blank_code, learning_code, lifting_code, proof_code, tagging_code
from pages.mrf.lattice import lattice_of, sentence_problem
from pages.mrf.page import PAGE
from pages.mrf.proof import proof_of
from pages.mrf.question import EXAMPLES, MODELS, TABS, MrfQuestion
from pages.mrf.taggers import taggers
from pages.mrf.texts import keep_text, text_of
from pages.mrf.training import plan_of, recorded_payload
from pages.word.edits import Edit
from rcmviz.jobs.host import Host, this_host
from rcmviz.jobs.mrf import MRF_JOBS, check
from rcmviz.mrf.field import make_field
from rcmviz.mrf.potentials import LowRank
from rcmviz.mrf.training import FieldTrainer
from rcmviz.tasks.decipher.grammar import sentences
from rcmviz.views.mrf.blank import build_blank, split_at_blank
from rcmviz.views.mrf.lifting import build_lifting
from rcmviz.views.mrf.neighbours import build_neighbours, principal
from rcmviz.views.mrf.tagging import build_tagging
from support.jobs import awake, wait_for  # noqa: F401
from support.pages import answers_of, link_of, opened, switch_page, texts

runs = answers_of(PAGE)
WORDS = ("<S>", "<unk>", "a", "b", "c", "d")


def some_field(seed, order):
    """A field of random potentials over a few words."""
    rng = np.random.default_rng(seed)
    parts = rng.normal(size=6), rng.normal(size=(6, 2)), rng.normal(size=(order, 6, 2))
    return make_field(WORDS, LowRank(*parts), counts=rng.integers(1, 9, 6))


def log_weight(field, line, at):
    """Of the token at a place of a line of words: its node, and all its edges to words and separators around."""
    potentials, order = field.potentials_, field.potentials_.order
    ids = [0] * order + [WORDS.index(word) for word in line] + [0] * order
    i = at + order
    total = float(potentials.node[ids[i]])
    for back in range(1, order + 1):
        total += float(potentials.U[ids[i - back]] @ potentials.W[back - 1][ids[i]])
        total += float(potentials.U[ids[i]] @ potentials.W[back - 1][ids[i + back]])
    return total


def shares(field, left, right):
    """Probability of every word in the blank by its definition."""
    weights = {w: math.exp(log_weight(field, [*left, w, *right], len(left))) for w in WORDS[1:]}
    return {w: weight / sum(weights.values()) for w, weight in weights.items()}


# --- lifting


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_bound_falls_to_where_centre_and_leaves_agree_and_never_below_the_truth(order):
    payload = build_lifting([["the", "dog", "slept"], ["the", "cat"]], order)
    bounds = [step["bound"] for step in payload["steps"]]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] - bounds[-1] > 0.01
    assert payload["exact"] - 1e-5 <= payload["chain"] <= bounds[-1] + 1e-5
    assert payload["ring"] == [0] * order + [1, 2, 3] + [0] * order + [1, 4]
    first, last = (np.array(payload["steps"][k]["nodes"]) for k in (0, -1))
    assert np.abs(first[1:] - first[0]).max() > 0.02
    assert np.abs(last[1:] - last[0]).max() < 0.01
    assert last.sum(axis=1) == pytest.approx([1.0] * (order + 1), abs=1e-5)
    assert not np.any(payload["steps"][0]["delta"])


@pytest.mark.parametrize(
    ("text", "order", "said"),
    [
        ("", 2, "no words"),
        (" / /", 2, "no words"),
        ("a", 2, "more than 4"),
        ("a / " * 12, 2, "room for"),
        ("a b c d e f g h i j k l m", 1, "room for"),
    ],
)
def test_a_text_that_cannot_be_drawn_is_refused(text, order, said):
    with pytest.raises(ValueError, match=said):
        runs.payload_of(MrfQuestion(text=text, order=order))


# --- learning


def test_a_recorded_run_is_what_the_library_says_of_the_same_training():
    question = MrfQuestion(tab="learning", sentences=200, rank=3, steps=10)
    payload = recorded_payload(question)
    points = payload["points"]
    field = rv.MarkovField(None, 2, 3, held_out=0.1, max_steps=10, patience=None).fit(sentences(200))
    assert points["step"] == [1, 2, 3, 6, 9, 10] and payload["frames"][-1]["step"] == 10
    assert points["bound"][-1] == pytest.approx(field.history_[10]["bound"], abs=1e-4)
    assert points["held_bound"][-1] == pytest.approx(field.history_[10]["held_out"], abs=1e-4)
    text = text_of(question)
    unseen = sentences(200)[-len(text.held_out) :]
    assert points["exact"][-1] == pytest.approx(field.score(unseen), abs=1e-3)
    assert all(exact > bound for exact, bound in zip(points["exact"], points["held_bound"], strict=True))
    chosen = [text.vocabulary.words.index(word) for word in payload["words"]]
    seen = text.data.moments.pairs[1].toarray()[np.ix_(chosen, chosen)] / text.data.moments.tokens
    assert np.array(payload["data"][1]) == pytest.approx(seen, rel=1e-2, abs=1e-9)
    bigram = rv.train_lm(sentences(200)[: -len(text.held_out)], 2).score(unseen).log_prob.sum()
    assert dict(text.lines)["bigram"] == pytest.approx(bigram / text.data.held_moments.tokens)


def test_chosen_words_are_mapped_and_another_choice_is_no_other_training():
    question = MrfQuestion(tab="learning", sentences=200, rank=3, steps=9)
    usual, other = recorded_payload(question), recorded_payload(question.changed(words=("the", "dog")))
    assert other["words"] == ["the", "dog"] and len(usual["words"]) == 12
    place = usual["words"].index("the")
    assert other["frames"][-1]["model"][0][0][0] == usual["frames"][-1]["model"][0][place][place]
    assert (other["points"], other["run"]) == (usual["points"], usual["run"]) and other["id"] != usual["id"]


def test_background_training_gives_the_same_result():
    question = MrfQuestion(tab="learning", sentences=200, neighbours=1, rank=3, steps=8)
    text, plan = text_of(question), plan_of(question)
    host = Host()
    run = host.open("field", text.data, (plan,), text.held_out, job_kind=MRF_JOBS)
    run.run()
    wait_for(lambda: run.finished)
    (snapshot,) = run.snapshots()
    assert snapshot.status == "done"
    trainer = FieldTrainer(text.data.moments, text.data.held_moments, plan)
    wanted = [trainer.advance().bound for _ in range(8)]
    assert [point.bound for point in snapshot.points] == pytest.approx(wanted)
    assert snapshot.points[-1].exact > snapshot.points[-1].held_bound


def test_own_sentences_are_learnt_from_and_rare_words_are_unknown(monkeypatch):
    monkeypatch.setattr(texts_of_field, "MOST_WORDS", 6)
    lines = "The dog barked.\n\nThe cat slept!\nA dog slept.\nThe dog barked.\n"
    text = text_of(MrfQuestion(tab="learning", source="own", upload=keep_text(lines)))
    assert text.vocabulary.words == ("<S>", "<unk>", "the", "dog", ".", "barked") and text.is_cut
    assert text.data.moments.words.tolist()[1] == 5  # cat slept ! a slept
    assert [[text.vocabulary.words[w] for w in ids] for ids in text.held_out.sentences()] == [
        ["the", "dog", "barked", "."]
    ]
    assert len(text.lines) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "no words"), ("one sentence only", "write a second one"), ("x" * 1_000_001, "1,000,001 characters")],
)
def test_a_text_that_teaches_nothing_is_refused_and_not_kept(text, said):
    before = dict(texts_of_field.UPLOADS)
    with pytest.raises(ValueError, match=said):
        keep_text(text)
    assert before == texts_of_field.UPLOADS
    with pytest.raises(ValueError, match="text is missing"):
        text_of(MrfQuestion(source="own", upload="0" * 16))


def test_too_many_words_to_watch_are_refused():
    with pytest.raises(ValueError, match="too many"):
        check(SimpleNamespace(moments=SimpleNamespace(size=2_000)), None)


# --- blanks


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 999),
    st.integers(1, 2),
    st.lists(st.sampled_from(WORDS[2:]), max_size=3),
    st.lists(st.sampled_from(WORDS[2:]), max_size=3),
)
def test_a_blank_has_the_conditional_of_the_field_and_so_has_every_changed_neighbour(seed, order, left, right):
    field = some_field(seed, order)
    payload = build_blank(field, " ".join([*left, "_", *right]))
    wanted = shares(field, left, right)
    assert dict(zip(payload["words"], payload["p"], strict=True)) == pytest.approx(
        {word: wanted[word] for word in WORDS[2:]}, rel=1e-4
    )
    assert payload["hidden"] == pytest.approx(wanted["<unk>"], rel=1e-4)
    for variant in payload["variants"]:
        changed = list(left), list(right)
        if variant["side"] == "left":
            changed[0][-variant["back"]] = variant["word"]
        else:
            changed[1][variant["back"] - 1] = variant["word"]
        assert changed != (left, right)
        expected = shares(field, *changed)
        assert variant["p"] == pytest.approx([expected[word] for word in payload["words"]], rel=1e-4)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 999), st.sampled_from(["_", "a _", "_ b", "a b _ c d"]))
def test_scores_of_a_word_add_up_to_its_odds(seed, sentence):
    payload = build_blank(some_field(seed, 2), sentence)
    totals = np.array(payload["node"]) + np.sum(payload["edges"], axis=0)
    assert np.diff(totals) == pytest.approx(np.diff(np.log(payload["p"])), abs=1e-3)


def test_unknown_neighbours_are_named():
    assert build_blank(some_field(0, 1), "zebra _ a")["unknown"] == ["zebra"]


@pytest.mark.parametrize("sentence", ["", "no blank here", "the _ and the _", "the_dog"])
def test_a_sentence_has_one_blank(sentence):
    with pytest.raises(ValueError, match="blank"):
        split_at_blank(sentence)


def test_the_trigram_is_compared_with_the_field_on_words_only():
    payload = runs.payload_of(MrfQuestion(tab="blank", model="grammar", sentence="the _ barked at anna"))
    words = [word for word, _ in payload["following"]["words"]]
    assert payload["words"][int(np.argmax(payload["p"]))] == "dog"
    assert "</s>" not in words and "<unk>" not in words
    ends = runs.payload_of(MrfQuestion(tab="blank", model="grammar", sentence="the dog _"))["following"]
    assert "the end of the sentence" in ends["note"]


# --- neighbours


def test_the_nearest_words_are_those_of_the_field():
    field = some_field(3, 2)
    payload = build_neighbours([("one", field, None)], word="b")
    assert payload["words"] == list(WORDS[2:])
    (map_,) = payload["maps"]
    for w, word in enumerate(payload["words"]):
        wanted = [near for near in field.neighbours(word) if near[0] != "<unk>"]
        found = [(payload["words"][v], c) for v, c in zip(map_["near"][w], map_["cosines"][w], strict=True)]
        assert [name for name, _ in found] == [name for name, _ in wanted]
        assert [c for _, c in found] == pytest.approx([c for _, c in wanted], abs=1e-3)
    with pytest.raises(ValueError, match="'zebra'"):
        build_neighbours([("one", field, None)], word="zebra")


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 999), st.integers(3, 8), st.integers(1, 5))
def test_a_map_has_the_two_directions_of_largest_variance(seed, n, dimensions):
    points = np.random.default_rng(seed).normal(size=(n, dimensions))
    place, share = principal(points)
    values = np.sort(np.linalg.eigvalsh(np.atleast_2d(np.cov(points.T))))[::-1]
    variances = place.var(axis=0, ddof=1)
    assert variances[: len(values)] == pytest.approx(values[:2], abs=1e-9)
    assert share == pytest.approx(values[:2].sum() / values.sum())
    assert place.mean(axis=0) == pytest.approx([0, 0], abs=1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_both_trainings_are_compared_with_their_times(model):
    payload = runs.payload_of(MrfQuestion(tab="neighbours", model=model))
    lifted, rival = payload["maps"]
    assert 0 < lifted["seconds"] <= rival["seconds"]
    assert lifted["near"] != rival["near"] and len(lifted["x"]) == len(rival["x"]) == len(payload["words"])


# --- tagging


@pytest.fixture(scope="module")
def tagger():
    """A field of a few tagged sentences."""
    X = [["the", "dog", "barks"], ["a", "cat", "sees"], ["the", "cats", "bark"]]
    return rv.FieldTagger(max_steps=30, dictionary=False).fit(X, [["D", "N", "V"]] * 3)


def test_tags_posteriors_and_reasons_are_those_of_the_tagger(tagger):
    words = ["the", "dogs", "sees"]
    payload = build_tagging(tagger, words, [("other", ["D", "N", "N"])])
    assert [entry["tags"] for entry in payload["words"]] == [["D", "D"], ["N", "N"], ["V", "N"]]
    assert [entry["known"] for entry in payload["words"]] == [True, False, True]
    pairs, scores = tagger.pairs_, tagger.tag_scores(words)
    weights = {}
    for tags in itertools.product(range(3), repeat=3):
        line = [0, *(t + 1 for t in tags), 0]
        edges = sum(pairs[a, b] for a, b in itertools.pairwise(line[:-1]))
        weights[tags] = math.exp(edges + sum(scores[i, t] for i, t in enumerate(tags)) + pairs[line[-2], 0])
    total = sum(weights.values())
    for i, entry in enumerate(payload["words"]):
        for one in entry["best"]:
            wanted = sum(w for tags, w in weights.items() if tagger.classes_[tags[i]] == one["tag"]) / total
            assert one["p"] == pytest.approx(wanted, rel=1e-3)
            assert [tuple(reason[:2]) for reason in one["reasons"]] == [
                reason[:2] for reason in tagger.reasons(words, i, one["tag"])[:8]
            ]


def test_tagging_opens_on_a_sentence_that_the_field_alone_gets_right():
    payload = runs.payload_of(MrfQuestion(tab="tagging"))
    field, *others = zip(*(entry["tags"] for entry in payload["words"]), strict=True)
    assert list(field) == payload["gold"]
    assert all(list(other) != payload["gold"] for other in others)


def test_right_tags_are_as_many_as_words(tagger):
    with pytest.raises(ValueError, match="gold has 1 tags for 2 words"):
        build_tagging(tagger, ["the", "dogs"], gold=["D"])
    assert build_tagging(tagger, ["the", "dogs"])["gold"] is None


@pytest.mark.parametrize(("words", "said"), [([], "no words"), (["a"] * 41, "41 words are too many")])
def test_a_sentence_to_tag_has_words_and_not_too_many(tagger, words, said):
    with pytest.raises(ValueError, match=said):
        build_tagging(tagger, words)


# --- the page


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_opens(tab):
    session = opened("field/page.py", view=tab)
    assert not session.exception and not session.error and not session.warning


def test_what_cannot_be_answered_is_no_error_of_the_page():
    session = opened("field/page.py", view="blank", sentence="the _ saw the _")
    assert not session.exception
    session.text_input(key="field.sentence").set_value("the _ slept").run()
    assert not session.exception
    assert session.session_state["field.value"].sentence == "the _ slept"


def press(session, label):
    next(button for button in session.button if button.label == label).click().run()
    return session


def test_a_training_continues_while_other_tabs_and_pages_are_open():
    session = press(opened("field/page.py", view="learning", sentences="100"), "One step")
    run = this_host().find(session.session_state["field.run"])
    wait_for(lambda: not run.is_active)
    (job,) = run.jobs
    job._status = "running"  # it waits for its turn
    session.query_params.clear()
    for look in (
        lambda: switch_page(session, "precision/page.py"),
        lambda: switch_page(session, "field/page.py"),
        lambda: session.segmented_control(key="field.tab").set_value("lifting"),
    ):
        job._last_look = -1e9
        look().run()
        assert not session.exception and job._last_look > 0
        if session.session_state["page"] == "precision":
            assert "training a field: step 1 of 150" in texts(session.caption)
            session.query_params.clear()
    assert "training a field: step 1 of 150" in texts(session.caption)
    session.segmented_control(key="field.tab").set_value("learning").run()
    assert this_host().find(session.session_state["field.run"]) is run
    link = link_of(session)
    assert link == {"view": "learning", "sentences": "100", "run": run.name}
    again = opened("field/page.py", **link)  # as after a reload
    assert again.session_state["field.run"] == run.name
    other = opened("field/page.py", **link | {"sentences": "150"})
    assert "field.run" not in other.session_state
    press(session, "Cancel")
    assert run.cancelled and not session.exception
    this_host().close(run.name)
    forgotten = opened("field/page.py", **link)
    assert "has ended" in texts(forgotten.warning)
    assert "run" not in link_of(forgotten)


def test_words_of_the_map_are_chosen_by_widget_and_by_link_and_strangers_are_named():
    session = opened("field/page.py", view="learning", sentences="200", words="dog zebra the")
    assert "zebra" in texts(session.warning)
    assert session.session_state["field.value"].words == ("dog", "the")
    assert session.multiselect(key="field.words").value == ["dog", "the"]
    session.multiselect(key="field.words").set_value(["the", "cat"]).run()
    assert link_of(session)["words"] == "the cat" and not session.exception
    crowd = opened("field/page.py", view="learning", words=" ".join(f"w{k}" for k in range(17)))
    assert "17 words are too many" in texts(crowd.warning)


def test_an_uploaded_text_is_used():
    session = opened("field/page.py", view="learning", source="own")
    assert "Paste sentences" in texts(session.info) and not session.error
    session.text_area(key="field.own.text").set_value("the dog barked\nthe cat slept\nthe dog slept").run()
    press(session, "Take this")
    assert not session.exception and not session.error and not session.info
    assert link_of(session)["upload"] in texts_of_field.UPLOADS
    session.text_area(key="field.own.text").set_value("alone").run()
    assert "write a second one" in texts(press(session, "Take this").error)


def test_the_lattice_is_shown_on_demand():
    session = opened("field/page.py", view="tagging", tagged="the cat sleeps")
    session.toggle(key="field.lattice").set_value(True).run()
    assert not session.exception
    payload = lattice_of("the cat sleeps")
    assert payload["T"] == 4  # the end of the sentence is a position too
    assert payload["editsLabels"] and not payload["changed"]


def test_a_tagged_sentence_opens_in_your_own_example_with_its_log_z():
    (problem, most, has_exact), field = sentence_problem("the cat sleeps"), taggers().field
    known, _ = rv.exact(field.hmm(["the", "cat", "sleeps"]))
    found, _ = problem.run("exact")
    assert (most, has_exact, problem.tokens) == (None, True, ("the", "cat", "sleeps", "end"))
    assert rv.log_z(found) == pytest.approx(rv.log_z(known), abs=1e-5)  # scores of a field are in single precision
    assert rv.viterbi(found).labels == rv.viterbi(known).labels
    session = opened("field/page.py", view="tagging", tagged="the cat sleeps", details="1")
    session.button(key="field.open_line").click().run()
    assert not session.exception and "problem" in link_of(session)


def test_tags_are_pinned_and_forbidden_in_the_lattice():
    session = opened("field/page.py", view="tagging", tagged="the cat sleeps", edits="p2:=VB")
    assert "pin label “VB” at position 2" in texts(session.markdown)
    session.button(key="field.undo").click().run()
    assert not session.exception and "edits" not in link_of(session)
    free = lattice_of("the xyx sleeps")
    best = free["labels"][free["runs"][0]["path"]["labels"][1]]
    changed = lattice_of("the xyx sleeps", (Edit("forbid", 2, best),))
    assert changed["changed"] and changed["labels"][changed["runs"][0]["path"]["labels"][1]] != best
    question = MrfQuestion(tab="tagging", tagged="the xyx sleeps")
    assert question.changed(edits=(Edit("forbid", 2, best),)).relevant() == question
    nothing = opened("field/page.py", view="tagging", tagged="the cat", edits="f1:=DT")
    assert not nothing.exception and "What if" in texts(nothing.markdown)
    nothing.text_input(key="field.tagged").set_value("a cat").run()
    assert nothing.session_state["field.value"].edits == ()


def test_the_best_sentence_is_proved_as_it_is_typed():
    session = opened("field/page.py", view="blank", model="grammar", sentence="the _ barked at anna", prove="1")
    assert not session.exception and session.toggle(key="field.prove").value
    payload = proof_of(MrfQuestion(sentence="the _ barked at anna", model="grammar"))
    assert payload["result"]["words"] == ["the", "dog", "barked", "at", "anna"]
    assert payload["result"]["gap"] == 0 and payload["inside"] and payload["inputs"][:2] == ["843", "_"]


def test_each_model_comes_with_an_example_that_it_knows():
    session = opened("field/page.py", view="blank")
    session.selectbox(key="field.model").set_value("grammar").run()
    assert session.text_input(key="field.sentence").value == EXAMPLES["grammar"]
    session.text_input(key="field.sentence").set_value("she _ home").run()
    session.selectbox(key="field.model").set_value("english").run()
    assert session.text_input(key="field.sentence").value == "she _ home"
    assert not session.exception


def test_nonsense_in_the_link_costs_a_notice():
    session = opened("field/page.py", view="mars", order="9")
    assert "one of lifting" in texts(session.warning)
    assert session.session_state["field.value"] == MrfQuestion()


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        (lifting_code(MrfQuestion()), "0.603"),
        (learning_code(MrfQuestion(tab="learning", sentences=200, steps=2), 20), "\n-"),
        (blank_code(MrfQuestion(tab="blank")), "('lock', 0.0"),
        (proof_code(MrfQuestion(tab="blank")), "('i', 'forgot', 'to', 'lock', 'the', 'door') 0.0"),
        (tagging_code(MrfQuestion(tab="tagging")), "['DT', 'JJ', 'NN',"),
        (blank_code(MrfQuestion(model="grammar", sentence="the _ barked at anna")), "('dog', 0.8"),
    ],
)
def test_the_code_runs(code, wanted):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(code, {})
    assert wanted in said.getvalue()
