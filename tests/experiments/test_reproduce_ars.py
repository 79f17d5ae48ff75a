"""Reproductions of adaptive rejection: messages, measurements, tables, and the command."""

import json
import math
from collections import Counter
from dataclasses import asdict

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.data import registry
from rcmviz.experiments import (
    figure_pos,
    figure_sms,
    measures,
    picture,
    pos_runs,
    sms_runs,
    table1,
    table2,
    table3,
    table4,
)
from rcmviz.experiments.report import Plan
from rcmviz.experiments.sms_runs import decoding_spec, sampling_spec
from rcmviz.tasks.sms import keypad
from rcmviz.tasks.tagging.tagger import Tagger
from support.commands import run

SUBJECTS, VERBS = ("the cat", "a dog", "the old man", "my aunt"), ("does see", "owned", "has the money of", "ends")
OBJECTS = ("the hat .", "a red car .", "money !", "the dog ?", "nothing .")
TEXT = [f"{subject} {verb} {thing}" for verb in VERBS for subject in SUBJECTS for thing in OBJECTS]
LINES = [line.split() for line in 3 * TEXT + ["it does exist .", "does the money exist .", "the exist vis thing via ."]]
TAGGED = [(["the", "dog", "barks"], ["D", "N", "V"]), (["a", "cat", "sees", "the", "dog"], ["D", "N", "V", "D", "N"])]
EUROPARL = sms_runs.lines
SHIPPED = Plan("shipped", seeds=2, quick=True)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Small models in the place of the shipped ones, a small text in the place of Europarl."""
    lm = rv.train_lm(LINES, order=3, cutoffs=(0,))
    monkeypatch.setattr(sms_runs, "load_lm", lambda name: lm)
    monkeypatch.setattr(sms_runs, "lines", lambda: LINES)
    monkeypatch.setattr(pos_runs, "load_tagger", lambda name: Tagger.fit(20 * TAGGED, 9, cutoffs=(0,)))
    for cached in (sms_runs.language_model, pos_runs.tagger, pos_runs._treebank):
        cached.cache_clear()
    yield lm
    for cached in (sms_runs.language_model, pos_runs.tagger, pos_runs._treebank):
        cached.cache_clear()


@pytest.fixture
def no_picture(monkeypatch):
    def refuse(*_, **__):
        raise RuntimeError("no browser")

    monkeypatch.setattr(picture, "png_of", refuse)


def test_messages_are_held_out_lines_without_digits_and_unknown_words(monkeypatch):
    learnt = ["a b c d", "a c d α ."] * 45
    held_out = ["a b", "a 2 c", "a c", "a c", "b d", "x d", "a α", "c b d", "d c b a", "a ."]
    monkeypatch.setattr(sms_runs, "lines", lambda: [line.split() for line in learnt + held_out])
    lm = sms_runs.language_model("europarl", 3)
    assert {*lm.vocabulary} == {*"abcdα.", "<s>", "</s>", "<unk>"}
    assert sorted(sms_runs.sentences("europarl", lm, 2, 10)) == [("a", "."), ("a", "b"), ("a", "c"), ("b", "d")]
    assert sorted(sms_runs.sentences("europarl", lm, 2, 10, cut=True)) == [("c", "b"), ("d", "c")]
    assert len(sms_runs.sentences("europarl", lm, 2, 3)) == 3


def test_messages_are_the_same_for_every_model():
    found = [sms_runs.sentences("europarl", sms_runs.language_model("europarl", n), 6, 5) for n in (3, 4)]
    assert found[0] == found[1] and len(set(found[0])) == len(found[0]) > 1


def test_drawn_sentences_are_those_of_the_model(small):
    drawn = [sms_runs.draw_sentence(small, 2, seed) for seed in range(2000)]
    count, words = Counter(drawn), [word for word in small.vocabulary if word not in ("<s>", "</s>", "<unk>")]
    first = {word: math.exp(small.log_prob(word, ["<s>"])) for word in words}
    second = {word: math.exp(small.log_prob(word, ["<s>", "the"])) for word in words}
    expected = first["the"] / sum(first.values()) * second["cat"] / sum(second.values())
    assert count["the", "cat"] / 2000 == pytest.approx(expected, abs=4 * math.sqrt(expected / 2000))
    assert (
        sms_runs.draw_sentence(small, 5, 7)
        == sms_runs.draw_sentence(small, 5, 7)
        != sms_runs.draw_sentence(small, 5, 8)
    )


def test_keys_slip_where_they_should():
    plain, slipped = (decoding_spec("europarl", 3, sentences=5, slips=slips) for slips in (False, True))
    lm = sms_runs.language_model("europarl", 3)
    meant = [" ".join(map(keypad.word_keys, words)) for words in sms_runs.sentences("europarl", lm, 6, 5)]
    assert [message.digits for message in sms_runs.messages(plain, 6)] == meant
    typed = [message.digits for message in sms_runs.messages(slipped, 6)]
    assert typed != meant and [list(map(len, keys.split())) for keys in typed] == [
        list(map(len, keys.split())) for keys in meant
    ]
    assert typed == [message.digits for message in sms_runs.messages(slipped, 6)]


@pytest.mark.parametrize("other", [{}, {"look_ahead": True}, {"temperature": 2.0}, {"cut": True}])
def test_a_decoding_cell_measures_ars(other):
    spec = decoding_spec("europarl", 3, lengths=[5, 6], sentences=3) | other
    result = sms_runs.cell(spec)
    assert json.loads(json.dumps(result["spec"])) == json.loads(json.dumps(spec))
    lm = sms_runs.language_model("europarl", 3)
    options = {"look_ahead": spec["look_ahead"], "temperature": spec["temperature"], "end": not spec["cut"]}
    for row, length in zip(result["rows"], [5, 6], strict=True):
        bests = [
            rv.ars_decode(lm, message.candidates, message.log_obs, **options)[0]
            for message in sms_runs.messages(spec, length)
        ]
        assert row["iterations"] == measures.summary(best.iterations for best in bests)
        assert row["states"] == measures.summary(best.states for best in bests)
        assert row["2"] == measures.summary(best.ngrams[1] for best in bests)
        assert row["length"] == length and row["ms"]["mean"] > 0


def test_a_sampling_cell_stops_at_the_requested_acceptance():
    spec = sampling_spec("europarl", 3, lengths=[6], sentences=2, seeds=2, batch=10)
    (row,) = sms_runs.cell(spec)["rows"]
    assert row["trials"]["count"] == 4 and row["trials"]["mean"] >= 100
    lm, (message, _) = sms_runs.language_model("europarl", 3), sms_runs.messages(spec, 6)
    assert max(map(len, message.candidates)) <= sms_runs.MOST
    draws, trace = rv.ars_sample(
        lm, message.candidates, message.log_obs, 10**6, 0, batch=10, look_ahead=False, stop_acceptance=sms_runs.STOP
    )
    assert draws.stopped == "acceptance" and trace.acceptance_running()[-1] >= sms_runs.STOP


def test_summaries_are_what_they_are_called():
    values = [3, 1, 4, 1, 5, 9, 2, 6]
    found = measures.summary(values)
    assert found["error"] == pytest.approx(np.std(values) / math.sqrt(8), abs=1e-4)
    assert (found["low"], found["median"], found["high"]) == tuple(np.percentile(values, [25, 50, 75]))
    assert measures.as_text({"count": 9, "mean": 1234.5, "error": 0.26, "median": 1200}, 1) == "1,234.5 ± .3 (1,200.0)"


def test_time_is_that_of_this_thread():
    result, busy = measures.time_task(sum, range(3_000_000))
    _, idle = measures.time_task(measures.time.sleep, 0.05)
    assert result == 4499998500000 and idle < busy


def test_table_1_counts_the_ngrams_of_q_and_of_the_full_automaton():
    results = [table1.cell(spec | {"lengths": [6]}) for spec in table1.specs(SHIPPED)]
    assert [one["spec"]["look_ahead"] for one in results] == [False, True]
    total = [sum(ngrams) for ngrams in results[0]["ngrams"]]
    middle = total.index(sorted(total)[len(total) // 2])
    text = table1.report(SHIPPED, results).text
    line = " | ".join(f"{count:,}" for count in (*results[0]["ngrams"][middle], total[middle]))
    assert f"| q, plain bound | {line} |" in text and results[0]["keys"][middle] in text
    for q, full in zip(results[0]["ngrams"], results[0]["full"], strict=True):
        assert q[0] == full[0] and q[2] < full[2]
    assert "7,868" not in text and "7,868" in table1.report(Plan("europarl"), results).text


def test_table_2_follows_the_rounds_to_the_proof(small):
    results = [table2.cell(spec) for spec in table2.specs(SHIPPED)]
    _, message = sms_runs.example_spec("shipped")
    problem = small, message.candidates, message.log_obs
    for one in results:
        temperature = sms_runs.TEMPERATURES[one["spec"]["temperature"]]
        best, trace = rv.ars_decode(*problem, temperature=temperature, look_ahead=one["spec"]["look_ahead"])
        numbers = [number for number, *_ in one["rounds"]]
        assert numbers[0] == 1 and numbers[-1] == best.iterations == len(trace)
        assert all(number % table2.EVERY == 0 for number in numbers[1:-1])
        assert one["rounds"][-1][1:] == [" ".join(best.words), *np.round([best.log_score, best.log_score], 2).tolist()]
        assert one["rounds"][0][2] >= one["rounds"][-1][2]
    text = table2.report(SHIPPED, results).text
    assert text.count("| 1 | ") == 2 and "does the money exist )" not in text


def test_table_4_shows_counts_next_to_probabilities(small):
    results = [table4.cell(spec) for spec in table4.specs(SHIPPED)]
    assert [sum(count for _, count, _ in one["draws"]) for one in results] == [table4.DRAWS] * 4
    _, message = sms_runs.example_spec("shipped", sms_runs.MOST)
    bests = rv.ars_kbest(small, message.candidates, message.log_obs, 2)
    lines = list(table4._lines(results[:2]))
    assert [line[0] for line in lines[:2]] == [" ".join(best.words) for best in bests]
    assert lines[1][-1] == f"{math.exp(bests[1].log_score - bests[0].log_score):.3f}" and lines[0][-1] == "1.000"
    lattice, _ = rv.exact(message.hmm(small))
    expected = table4.DRAWS * math.exp(bests[0].log_score - rv.log_z(lattice))
    least, most = map(float, lines[0][2].split("–"))
    assert least - 0.1 <= expected <= most + 0.1
    assert all(abs(int(count) - expected) < 5 * math.sqrt(expected) for count in lines[0][1].split(", "))


def test_the_papers_numbers_precede_the_measured_ones():
    row = {"length": 10} | measures.summaries([{"iterations": 7, "trials": 8, "states": 9, "ms": 1.0}])
    others = ({}, {"look_ahead": True}, {"cutoffs": sms_runs.FULL}, {"slips": True, "temperature": 2.0}, {"cut": True})
    runs = [{"spec": decoding_spec("europarl", order, **other), "rows": [row]} for order in (3, 5) for other in others]
    lines = [line for line in figure_sms._lines(Plan("europarl"), figure_sms.KNOWN, runs) if line[0] == "5"]
    names = ["plain", "look-ahead", "all n-grams", "log10 as natural, slips", "first words of lines"]
    assert lines[0] == ["5", "*the paper*", "90", "450–500", ""] and [line[1] for line in lines[1:]] == names
    assert lines[1] == ["5", "plain", "7", "9", "1.0"]
    runs = [{"spec": sampling_spec("shipped", 3), "rows": [row]}]
    assert list(figure_sms._lines(Plan("shipped"), figure_sms.KNOWN_SAMPLING, runs)) == [
        ["3", "plain", "8", "9", "1.0"]
    ]


def test_the_example_of_sampling_is_a_trace(monkeypatch):
    monkeypatch.setattr(figure_sms, "LONGEST", 6)
    spec = sampling_spec("europarl", 3, sentences=1) | {"task": "trace"}
    found = figure_sms.trace(spec)
    (message,) = sms_runs.messages(spec, figure_sms.LONGEST)
    lm, limits = sms_runs.language_model("europarl", 3), {"batch": spec["batch"], "max_trials": figure_sms.TRIALS}
    _, trace = rv.ars_sample(lm, message.candidates, message.log_obs, 10**6, look_ahead=False, **limits)
    ratio = np.exp(trace.log_p - trace.log_q)
    assert found["trials"][:2] == [10, 20] and len(found["trials"]) == figure_sms.TRIALS // figure_sms.EVERY
    for place, trial in enumerate(found["trials"]):
        assert found["log10_ratio"][place] == pytest.approx(np.log10(ratio[trial - 10 : trial].mean()), abs=1e-3)
        assert found["acceptance"][place] == pytest.approx(trace.accepted[:trial].mean(), abs=1e-4)
        recent = trace.accepted[max(0, trial - 100) : trial].mean()
        assert found["acceptance_100"][place] == pytest.approx(recent, abs=1e-4)


def test_tagging_is_judged_and_counted():
    spec = pos_runs.tagging_spec("decode", "shipped", 3, "ours", every=10)
    result = pos_runs.cell(spec)
    tagger, chosen = pos_runs.tagger("shipped", "ours"), pos_runs.sentences(spec)
    assert result["sentences"] == len(chosen) == 12 and result["words"] == sum(len(words) for words, _ in chosen)
    assert result["accuracy"] == pytest.approx(tagger.accuracy(chosen, 3).all) and result["unknown"] is None
    foreign = [(["the", "zebra", "barks"], ["D", "N", "V"])]
    found = [tagger.tag(words, 3).tags for words, _ in foreign]
    judged, expected = pos_runs._accuracy(tagger, found, foreign), tagger.accuracy(foreign, 3)
    assert (judged["accuracy"], judged["unknown"]) == (expected.all, expected.unknown)


@pytest.mark.parametrize("shared", [True, False])
def test_full_viterbi_gives_the_scores_of_ars(shared):
    result = pos_runs.cell(pos_runs.tagging_spec("full", "shipped", 4, "ours", every=15, shared=shared))
    assert 0 <= result["furthest"] < 1e-9 and result["seconds"] > 0


def test_the_time_of_large_automata_follows_from_their_arcs():
    def one(task, order, **found):
        return {"spec": {"task": task, "order": order, "look_ahead": True, "shared": True}} | found

    runs = [one("decode", n, arcs=10**n) for n in range(3, 7)] + [one("full", n, seconds=n * 1.0) for n in (3, 4)]
    assert figure_pos.full_seconds(runs, True) == {3: (3.0, True), 4: (4.0, True), 5: (40.0, False), 6: (400.0, False)}


@pytest.mark.parametrize("name", ["table1", "table2", "table3", "table4", "figure-sms", "figure-pos"])
def test_every_reproduction_runs_on_shipped_models(name, no_picture, monkeypatch, tmp_path):
    monkeypatch.setattr(pos_runs, "HIGHEST", 5)
    printed = run("reproduce", name, "--quick", "--data", "shipped", "--out", tmp_path)
    assert (tmp_path / f"{name}.md").read_text(encoding="utf-8").strip() == printed.strip()
    document = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
    assert document["plan"] == asdict(SHIPPED) and len(document["origin"]["load"]) == 3 and len(document["runs"]) >= 2
    assert (tmp_path / f"{name}.html").exists() == name.startswith("figure")
    assert not list(tmp_path.glob("*.jsonl"))


def test_the_tables_have_the_papers_numbers_on_europarl():
    results = [table3.cell(spec | {"lengths": [5], "sentences": 2}) for spec in table3.specs(Plan("europarl", 1, True))]
    lines = table3.report(Plan("europarl", 1), results).text.splitlines()
    (line,) = [line for line in lines if line.startswith("| 100 | plain ")]
    assert "| 11.4 s |" in line and "| 700 |" in line
    assert sum("97.5 s" in line for line in lines) == 1


def test_without_the_data_it_says_what_to_do_and_takes_the_shipped_model(monkeypatch, tmp_path):
    monkeypatch.setattr(sms_runs, "lines", EUROPARL)
    monkeypatch.setattr(registry, "find", lambda *_: None)
    refused = run("reproduce", "table2", "--data", "europarl", "--out", tmp_path, code=2)
    assert "europarl is not on this machine" in refused and "statmt.org" in refused and not list(tmp_path.iterdir())
    printed = run("reproduce", "table2", "--out", tmp_path)
    assert "sentences drawn from lm-english-words" in printed and "-17.42" not in printed


@pytest.mark.parametrize(
    ("what", "data", "message"),
    [
        ("table2", "kassel", "table2 is not about kassel: choose --data europarl or --data shipped"),
        ("figure-pos", "europarl", "figure-pos is not about europarl: choose --data ud_ewt or --data shipped"),
        ("figure3", "shipped", "figure3 is not about shipped: choose --data kassel or --data pen"),
    ],
)
def test_data_of_another_task_is_refused(what, data, message, tmp_path):
    assert message in run("reproduce", what, "--data", data, "--out", tmp_path, code=2)
