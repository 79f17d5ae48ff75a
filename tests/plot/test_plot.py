"""Figures show the tables' numbers, one tree of rows for all methods, and escaped tokens."""

import itertools

import numpy as np
import plotly.graph_objects as go
import pytest

import rcmviz as rv
from rcmviz.core.inference.tree_rows import build_tree, column_masses, context_name, kept_shares, linear_masses
from rcmviz.plot.style import escape_label, percent


def problem(T=6, seed=0, labels="abc"):
    random = np.random.default_rng(seed)
    windows = {(a, b, y): random.normal(scale=2) for a, b, y in itertools.product(labels, repeat=3)}
    return rv.NgramModel.from_windows(labels, 2, windows), random.normal(size=(T, len(labels)))


@pytest.fixture(scope="module")
def runs():
    model, log_emit = problem()
    return {
        "RCMS": rv.rcms(model, log_emit, 5),
        "beam": rv.beam(model, log_emit, 5),
        "exact": rv.exact(model, log_emit),
    }


def is_suffix(short, long):
    return len(short) <= len(long) and long[len(long) - len(short) :] == short


@pytest.mark.parametrize("names", [("RCMS",), ("beam",), ("exact",), ("RCMS", "beam"), ("RCMS", "beam", "exact")])
@pytest.mark.parametrize("limit", [3, 100])
def test_rows_are_the_tree_of_the_union(runs, names, limit):
    columns = [column_masses(runs[name][0], 4, linear_masses(runs[name][0], "forward")) for name in names]
    tree = build_tree(columns, limit)
    shown = set(tree.contexts)
    assert len(shown) == len(tree.contexts)
    union = set().union(*columns)
    if limit == 100:
        assert shown == union
    assert {key for key in union if any(is_suffix(key, row) for row in shown)} == shown, "ancestors are shown too"
    for r, context in enumerate(tree.contexts):
        suffixes = [s for s in range(len(tree.contexts)) if s != r and is_suffix(tree.contexts[s], context)]
        assert tree.parent[r] == max(suffixes, key=lambda s: len(tree.contexts[s]), default=-1)
        assert tree.parent[r] < r, "a parent stands above its children"
        assert tree.depth[r] == (0 if tree.parent[r] < 0 else tree.depth[tree.parent[r]] + 1)
        for m, column in enumerate(columns):
            assert tree.own[m, r] == pytest.approx(column.get(context, 0.0))
            below = sum(mass for key, mass in column.items() if is_suffix(context, key))
            assert tree.subtree[m, r] == pytest.approx(below)
            assert tree.present[m, r] == (context in column)
    assert tree.hidden.tolist() == [len(set(column) - shown) for column in columns]


@pytest.mark.parametrize("name", ["RCMS", "beam", "exact"])
@pytest.mark.parametrize("mass", ["forward", "posterior"])
def test_masses_of_a_column_are_shares(runs, name, mass):
    lattice, trace = runs[name]
    post = rv.posterior(lattice)
    for i in range(1, lattice.T):
        shares = column_masses(lattice, i, linear_masses(lattice, mass, trace))
        column = lattice.column(i)
        logs = post.forward[column] + (post.backward[column] if mass == "posterior" else 0)
        expected = np.exp(logs - (post.log_z if mass == "posterior" else trace.log_mass_of(i)))
        ids = range(column.start, column.stop)
        np.testing.assert_allclose([shares[lattice.context(c)] for c in ids], expected)
        whole = 1 if mass == "posterior" else trace.share(i)[trace.into[trace.candidates(i)] >= 0].sum()
        assert sum(shares.values()) == pytest.approx(whole)


def test_kept_shares_are_what_was_not_merged(runs):
    lattice, trace = runs["RCMS"]
    for i in range(1, lattice.T):
        table = trace.table(i)
        forward = column_masses(lattice, i, linear_masses(lattice, "forward"))
        for context, own in kept_shares(trace, i).items():
            merged = table[~table.kept & (table["into"] == context)].mass.sum()
            assert own + merged == pytest.approx(forward[context])


def bars(figure):
    return [trace for trace in figure.data if isinstance(trace, go.Bar)]


@pytest.mark.parametrize("name", ["RCMS", "beam", "exact"])
@pytest.mark.parametrize("mass", ["forward", "posterior"])
def test_the_bars_of_a_tree_are_its_masses(runs, name, mass):
    lattice, trace = runs[name]
    figure = rv.plot.context_tree(trace, lattice, 4, mass=mass)
    tree = build_tree([column_masses(lattice, 4, linear_masses(lattice, mass))], 60)
    total = sum(np.asarray(one.x, dtype=float) for one in bars(figure))
    np.testing.assert_allclose(total, tree.subtree[0], atol=1e-12)
    own = sum(np.asarray(one.x, dtype=float) for one in bars(figure) if one.name != "contexts below it")
    np.testing.assert_allclose(own, tree.own[0], atol=1e-12)
    names = next(one.text for one in figure.data if getattr(one, "mode", "") == "markers+text")
    assert list(names) == [context_name(context, 4) for context in tree.contexts]
    assert ("merged into it" in [one.name for one in bars(figure)]) == (mass == "forward")


def test_the_title_of_a_tree_counts_fates(runs):
    lattice, trace = runs["RCMS"]
    table = trace.table(3)
    title = rv.plot.context_tree(trace, lattice, 3).layout.title.text
    assert f"{len(table)} candidates: {table.kept.sum()} kept, {(table.fate == 'merged').sum()} merged" in title
    assert "RCMS, budget 5" in title


def test_a_large_tree_shows_the_heaviest_and_says_what_it_hides():
    model, log_emit = problem(labels="abcdefg", T=4)
    lattice, trace = rv.exact(model, log_emit)
    figure = rv.plot.context_tree(trace, lattice, 3, limit=10)
    assert len(bars(figure)[0].x) == 10
    assert "39 lighter contexts" in figure.layout.title.text


@pytest.mark.parametrize("i", [-1, 0, 6, 7])
def test_a_position_without_candidates_is_refused(runs, i):
    lattice, trace = runs["RCMS"]
    with pytest.raises(ValueError, match="positions 1 to 5"):
        rv.plot.context_tree(trace, lattice, i)
    with pytest.raises(ValueError, match="positions 1 to 5"):
        rv.plot.compare({"RCMS": lattice}, i)


def test_another_mass_is_refused(runs):
    with pytest.raises(ValueError, match="'backward': .*forward, posterior"):
        rv.plot.heatmap(runs["RCMS"][0], mass="backward")


@pytest.mark.parametrize("mass", ["forward", "posterior"])
def test_a_heat_map_has_a_cell_per_context_and_position(runs, mass):
    lattice, _ = runs["RCMS"]
    picture = rv.plot.heatmap(lattice, mass=mass, limit=1000).data[0]
    z = np.array(picture.z, dtype=float)
    hovers = {text for line in picture.hovertext for text in line if text}
    assert len(hovers) == lattice.C - 2  # the start and the end are no columns of the map
    assert z.shape[1] == lattice.T - 1
    assert np.nanmax(z) <= 0
    for i in range(1, lattice.T):
        heavy = [m for m in column_masses(lattice, i, linear_masses(lattice, mass)).values() if m >= 1e-3]
        np.testing.assert_allclose(sorted(z[z[:, i - 1] > -3 + 1e-9, i - 1]), sorted(np.log10(heavy)), atol=1e-9)


def test_the_rows_of_a_heat_map_are_in_suffix_order(runs):
    figure = rv.plot.heatmap(runs["beam"][0], limit=1000)
    names = list(figure.layout.yaxis.ticktext)
    reversed_names = [name.lstrip("*")[::-1] for name in names]
    assert reversed_names == sorted(reversed_names)


def test_a_strip_shows_posteriors_and_marks_errors(runs):
    lattice, _ = runs["RCMS"]
    path, label = rv.viterbi(lattice), rv.posterior(lattice).label
    wrong = [("b" if y == "a" else "a") if i == 2 else y for i, y in enumerate(path.labels)]
    figure = rv.plot.strip(lattice, gold=wrong)
    decoded = bars(figure)[0]
    np.testing.assert_allclose(decoded.y, label[np.arange(lattice.T), path.indices])
    assert [shape == "/" for shape in decoded.marker.pattern.shape] == [i == 2 for i in range(lattice.T)]
    np.testing.assert_allclose(sum(np.asarray(one.y) for one in bars(figure)), 1)
    assert f"≠ {wrong[2]}" in figure.layout.xaxis.ticktext[2]
    assert "1 of 6 labels wrong" in figure.layout.title.text
    assert "wrong" not in rv.plot.strip(lattice).layout.title.text
    with pytest.raises(ValueError, match="gold has 2 labels.* 6 "):
        rv.plot.strip(lattice, gold="ab")


def test_methods_side_by_side_share_rows(runs):
    lattices = {name: run[0] for name, run in runs.items()}
    figure = rv.plot.compare(lattices, 4)
    names = [tuple(one.text) for one in figure.data if getattr(one, "mode", "") == "markers+text"]
    assert len(names) == 3
    assert len(set(names)) == 1, "the same row is the same context"
    own = [one for one in bars(figure) if one.opacity == 1.0]
    for one, lattice in zip(own, lattices.values(), strict=True):
        shares = column_masses(lattice, 4, linear_masses(lattice, "forward"))
        drawn = {name: x for name, x in zip(names[0], one.x, strict=True) if x > 0}
        assert drawn == pytest.approx({context_name(key, 4): share for key, share in shares.items() if share > 0})
    heads = [annotation.text for annotation in figure.layout.annotations]
    for head, (name, lattice) in zip(heads, lattices.items(), strict=True):
        assert head.startswith(f"<b>{name}</b>")
        assert "".join(rv.viterbi(lattice).labels) in head


def test_methods_must_fit_together(runs):
    lattice = runs["RCMS"][0]
    other = rv.rcms(*problem(T=5), 2)[0]
    with pytest.raises(ValueError, match=r"\[5, 6\] positions"):
        rv.plot.compare({"a": lattice, "b": other}, 2)
    with pytest.raises(ValueError, match="5 methods"):
        rv.plot.compare(dict.fromkeys("abcde", lattice), 2)


def test_gold_posteriors_per_method(runs):
    lattices = {name: run[0] for name, run in runs.items()}
    figure = rv.plot.label_posteriors(lattices, "abcabc")
    for one, lattice in zip(bars(figure), lattices.values(), strict=True):
        label = rv.posterior(lattice).label
        np.testing.assert_allclose(one.y, [label[i, "abc".index(y)] for i, y in enumerate("abcabc")])
    with pytest.raises(ValueError, match="gold has 1 labels.* 6"):
        rv.plot.label_posteriors(lattices, "a")


@pytest.fixture(scope="module")
def odd_figures():
    labels = ("<s>", "a & b", "$x$")
    model = rv.NgramModel.from_windows(labels, 1, {("<s>", "a & b"): 1.0})
    lattice, trace = rv.rcms(model, np.zeros((4, 3)), 3)
    lattices = {"<b>bold</b>": lattice, "plain": lattice}
    return {
        "tree": rv.plot.context_tree(trace, lattice, 2),
        "heatmap": rv.plot.heatmap(lattice),
        "strip": rv.plot.strip(lattice, gold=labels + labels[:1]),
        "compare": rv.plot.compare(lattices, 2),
        "gold": rv.plot.label_posteriors(lattices, labels + labels[:1]),
    }


@pytest.mark.parametrize("name", ["tree", "heatmap", "strip", "compare", "gold"])
def test_tokens_are_escaped_and_axes_have_titles(name, odd_figures):
    figure = odd_figures[name]
    text = figure.to_json().replace("\\u003c", "<").replace("\\u003e", ">").replace("\\u0026", "&")
    assert "<s>" not in text
    assert "&lt;s&gt;" in text
    assert "<b>bold" not in text
    assert "$x$" not in text
    for axis in figure.select_xaxes():
        assert axis.title.text
    assert next(iter(figure.select_yaxes())).title.text
    assert figure.layout.title.text


def test_escaped_and_percent():
    assert escape_label("<s> & $x$") == "&lt;s&gt; &amp; &#36;x&#36;"
    assert [percent(x) for x in (0.9949, 0.45, 0.031, 0.0004, 1e-5, 0.0)] == [
        "99.5 %",
        "45 %",
        "3.1 %",
        "0.04 %",
        "<0.01 %",
        "0 %",
    ]
