"""The player's payload: the lattice's masses, the trace's fates, and valid JSON."""

import json
import math

import numpy as np
import pytest

import rcmviz as rv
from rcmviz.core.lattices.trace import ordinal, star
from rcmviz.views import Run, build_payload
from rcmviz.views.word.select import ranks
from support.toy_runs import LABELS, model_and_emissions, runs_of


def test_columns_hold_the_masses_of_the_lattice():
    run = runs_of()[0]
    payload = build_payload("abcdea", [run])
    post = rv.posterior(run.lattice)
    for i, column in enumerate(payload["runs"][0]["columns"]):
        ids = range(*run.lattice.column(i).indices(run.lattice.C))
        names = {tuple(run.lattice.indices(c)): c for c in ids}
        assert len(column["labels"]) == len(names) == column["total"]
        for labels, posterior in zip(column["labels"], column["posterior"], strict=True):
            assert posterior == pytest.approx(post.context[names[tuple(labels)]], rel=1e-5)
        assert sum(column["forward"]) == pytest.approx(1, abs=1e-4)
        assert sum(column["posterior"]) == pytest.approx(1, abs=1e-4)
        if [] in column["labels"]:
            root = column["labels"].index([])
            assert column["forwardTree"][root] == pytest.approx(1, abs=1e-4)


def test_subtree_is_own_mass_and_that_of_all_contexts_that_end_in_it():
    payload = build_payload(None, runs_of(budget=12))
    column = payload["runs"][0]["columns"][4]
    for labels, tree in zip(column["labels"], column["forwardTree"], strict=True):
        ending = [
            m
            for other, m in zip(column["labels"], column["forward"], strict=True)
            if other[len(other) - len(labels) :] == labels
        ]
        assert tree == pytest.approx(sum(ending), rel=1e-4)


def test_rows_come_in_suffix_order():
    for column in build_payload(None, runs_of(budget=12))["runs"][0]["columns"]:
        assert column["labels"] == sorted(column["labels"], key=lambda labels: labels[::-1])


@pytest.mark.parametrize("method", ["rcms", "beam", "exact"])
def test_candidates_agree_with_the_trace(method):
    run = runs_of((method,))[0]
    payload = build_payload("abcdea", [run])
    for i in range(1, run.lattice.T):
        table = run.trace.table(i).sort_values("rank")
        sent = payload["runs"][0]["columns"][i]["candidates"]
        assert sent["total"] == len(table)
        assert sum(group[0] for group in sent["groups"]) == len(table)
        by_rank = {rank: k for k, rank in enumerate(sent["rank"])}
        for _, row in table.head(20).iterrows():
            k = by_rank[row["rank"]]
            assert tuple(LABELS[y] for y in sent["labels"][k]) == row["context"]
            assert sent["mass"][k] == pytest.approx(row["mass"], rel=1e-4)
            assert ("kept", "merged", "joined", "dropped")[sent["fate"][k]] == row["fate"]
            if row["into"] is not None:
                column = payload["runs"][0]["columns"][i]
                assert tuple(LABELS[y] for y in column["labels"][sent["into"][k]]) == row["into"]
            else:
                assert sent["into"][k] == -1


@pytest.mark.parametrize("method", ["rcms", "beam", "exact"])
def test_sentences_are_those_of_the_trace(method):
    run = runs_of((method,))[0]
    shown = build_payload(None, [run])["runs"][0]
    for i in range(1, run.lattice.T):
        table, column = run.trace.table(i), shown["columns"][i]
        place = {int(rank): m for m, rank in enumerate(table["rank"])}
        sent = column["candidates"]
        for k, rank in enumerate(sent["rank"]):
            m = place[rank]
            into = table["into"][m]
            gaps = {
                "name": star(table["context"][m], i),
                "rank": ordinal(rank),
                "mass": f"{table['mass'][m]:.2g}",
                "into": None if into is None else star(into, i),
            }
            sentence = shown["sentences"][sent["why"][k]].format(**gaps)
            assert sentence == run.trace.reason(run.trace.candidates(i).start + m)


def test_ranks_of_many_candidates_are_those_of_few():
    key = np.round(np.random.default_rng(1).normal(size=12_000), 2)
    asked = np.array([0, 5, 11_999, 777])
    expected = np.empty(len(key), int)
    expected[np.argsort(-key, kind="stable")] = np.arange(1, len(key) + 1)
    assert ranks(key, asked).tolist() == expected[asked].tolist()


def test_gold_is_always_sent_and_its_loss_is_found():
    lost = []
    for seed in range(12):
        run = runs_of(("beam",), budget=2, seed=seed)[0]
        gold = "".join(np.random.default_rng(seed).choice(list(LABELS), 6))
        shown = build_payload(gold, [run])["runs"][0]
        prefixes = [
            {run.lattice.context(c) for c in range(*run.lattice.column(i).indices(run.lattice.C))} for i in range(6)
        ]
        first = next((i for i in range(1, 6) if tuple(gold[:i]) not in prefixes[i]), None)
        if first is not None:
            assert shown["gold"]["lost"] == first
            assert shown["gold"]["p"] == 0
            sent = shown["columns"][first]["candidates"]
            assert [LABELS[y] for y in sent["labels"][sent["gold"]]] == list(gold[:first])
            lost.append(first)
    assert lost


def test_the_probability_of_the_gold():
    run = runs_of()[0]
    third = rv.kbest(run.lattice, 3)[2]
    shown = build_payload(None, [run], gold=third.labels)["runs"][0]
    assert shown["gold"]["p"] == pytest.approx(math.exp(third.log_prob), rel=1e-5)
    assert shown["gold"]["lost"] is None


def test_a_big_lattice_is_cut_but_summed_up():
    run = runs_of(("exact",), labels="abcdefghij", length=6)[0]
    payload = build_payload(None, [run])
    column = payload["runs"][0]["columns"][4]
    assert column["total"] == 1000
    assert len(column["labels"]) < 130
    assert sum(column["forward"]) + column["more"][1] == pytest.approx(1, abs=1e-4)
    assert column["more"][0] == 1000 - len(column["labels"])
    assert len(json.dumps(payload)) < 1_000_000


def test_payload_is_plain_json_and_its_id_is_its_content():
    runs = runs_of(("rcms", "beam"))
    payload = build_payload("abcdea", runs, position=2)
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload
    assert build_payload("abcdea", runs, position=5, node="*a")["id"] == payload["id"]
    other = build_payload("abcdeb", runs)
    assert other["id"] != payload["id"]
    assert other["subject"] != payload["subject"]


def test_impossible_scores_become_null_or_nothing():
    model, log_emit = model_and_emissions()
    log_emit[2, 1:] = -np.inf
    run = Run("RCMS", *rv.rcms(model, log_emit, 3))
    text = json.dumps(build_payload(None, [run]), allow_nan=False)
    assert "NaN" not in text
    assert [entry[0] for entry in json.loads(text)["runs"][0]["label"][2]] == [0]


def test_baseline_is_sent_beside_the_posterior():
    run = runs_of()[0]
    was = np.full((6, len(LABELS)), 0.2)
    payload = build_payload(None, [run], baseline=[was])
    assert payload["changed"]
    assert all(entry[2] == 0.2 for row in payload["runs"][0]["label"] for entry in row)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"position": 9}, "position 9"),
        ({"gold": "ab"}, "gold has 2"),
        ({"gold": "abcdez"}, "'z'"),
        ({"baseline": [np.zeros((2, 2))]}, "baseline"),
        ({"images": [[[0]]]}, "1 images"),
    ],
)
def test_mismatched_parts_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        build_payload(None, runs_of(), **options)


def test_runs_on_other_words_are_refused():
    with pytest.raises(ValueError, match="show one word"):
        build_payload(None, runs_of() + runs_of(length=5))
    with pytest.raises(ValueError, match="0 runs"):
        build_payload(None, [])


def test_exported_page_asks_for_nothing_and_ends_no_script_early(tmp_path):
    labels = ("</script><b>", "a", "<!--")
    model = rv.NgramModel.from_windows(labels, 1, {})
    lattice, trace = rv.rcms(model, np.zeros((3, 3)), 2)
    text = rv.export_html(trace, lattice, title="<i>x</i>")
    path = rv.export_html(trace, lattice, tmp_path / "run.html", title="<i>x</i>")
    assert path == tmp_path / "run.html" and path.read_text(encoding="utf-8") == text
    assert text.count("</script>") == 2
    assert "<i>x" not in text
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text
