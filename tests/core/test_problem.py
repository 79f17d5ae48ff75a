"""Problem files: written files are read again; errors name the place."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rcmviz as rv
from rcmviz.core.problems.problem_file import ProblemError, parse_problem, read_problem
from rcmviz.core.problems.problem_reader import MAX_BYTES, MAX_POSITIONS
from rcmviz.core.problems.problem_text import model_windows
from rcmviz.tasks.handwriting.pen import write_word
from rcmviz.tasks.handwriting.problems import problem_from_word

GOOD = {
    "schema": "rcmviz/problem",
    "version": 1,
    "name": "two coins",
    "labels": ["a", "b"],
    "order": 2,
    "mode": "single",
    "windows": [[["^", "^", "a"], 0.5], [["*", "a", "b"], -1.0]],
    "log_emit": [[0.0, -1.0], [None, 0.0]],
    "gold": ["a", "b"],
    "images": [[[0, 1], [1, 1]], [[1, 0], [0, 0]]],
}


def with_changes(**changes):
    """The good problem as text with some keys changed, or left out where the value is `...`."""
    return json.dumps({key: value for key, value in (GOOD | changes).items() if value is not ...})


def test_a_problem_is_read():
    problem = parse_problem(with_changes())
    assert problem.labels == ("a", "b")
    assert (problem.model.order, problem.model.mode, problem.name) == (2, "single", "two coins")
    assert problem.gold == ("a", "b")
    np.testing.assert_array_equal(problem.log_emit, [[0.0, -1.0], [-np.inf, 0.0]])
    np.testing.assert_array_equal(problem.images[1], [[1, 0], [0, 0]])
    lattice, trace = problem.run("rcms", 3)
    # a then b: windows (^, ^, a) and, at the second position, (^, a, b), which weighs nothing
    assert rv.log_prob(lattice, "ab") == pytest.approx(np.log(np.exp(0.5) / (np.exp(0.5) + np.exp(-1.0))))
    assert trace.settings["budget"] == 3


def test_gold_images_windows_and_header_may_be_left_out():
    problem = parse_problem(
        with_changes(gold=..., images=..., windows=..., schema=..., version=..., mode=..., name=...)
    )
    assert problem.gold is None
    assert problem.images is None
    assert problem.name == "pasted text"
    assert not problem.model.weights.any()


LABELS = st.lists(st.sampled_from(["a", "b", "<s>", "two words", "é"]), min_size=1, max_size=3, unique=True)
NUMBERS = st.floats(-1e6, 1e6)


@st.composite
def models(draw):
    labels, order = tuple(draw(LABELS)), draw(st.integers(1, 3))
    mode = draw(st.sampled_from(["single", "additive"]))
    empty = rv.NgramModel.from_windows(labels, order, {}, mode=mode)
    histories = [
        tuple(draw(st.sampled_from(labels)) for _ in range(draw(st.integers(0, i))))
        for i in draw(st.permutations(range(5)))
    ]
    windows = {
        (*prefix, draw(st.sampled_from(labels))): draw(NUMBERS.filter(bool))
        for i, history in enumerate(histories)
        for prefix in empty.windows_of(max(i, len(history)), history)
    }
    return rv.NgramModel.from_windows(labels, order, windows, mode=mode), windows


@settings(max_examples=150, deadline=None)
@given(models(), st.data())
def test_written_files_are_read_again(model_and_windows, data):
    model, windows = model_and_windows
    assert model_windows(model) == windows
    Y = len(model.labels)
    rows = st.lists(st.one_of(NUMBERS, st.just(-np.inf)), min_size=Y, max_size=Y).filter(lambda row: max(row) > -np.inf)
    log_emit = np.array(data.draw(st.lists(rows, min_size=1, max_size=4)))
    gold = data.draw(st.one_of(st.none(), st.tuples(*[st.sampled_from(model.labels)] * len(log_emit))))
    problem = rv.Problem(model, log_emit, gold, "näme", None)
    again = read_problem(problem.to_json())
    np.testing.assert_array_equal(again.log_emit, log_emit)
    np.testing.assert_array_equal(again.model.log_table, model.log_table)
    assert (again.labels, again.model.order, again.model.mode) == (model.labels, model.order, model.mode)
    assert (again.gold, again.name, again.images) == (gold, "näme", None)


def test_a_handwritten_word_makes_the_round_trip(tmp_path):
    model = rv.load_model("handwriting-pen")
    problem = problem_from_word(model, write_word("context", seed=1), "handwriting-pen")
    path = tmp_path / "word.json"
    text = problem.to_json(path)
    assert len(text) < 30_000  # the shipped model is named, not written out
    again = rv.read_problem(path)
    assert (again.gold, again.model_name, again.name) == (tuple("context"), "handwriting-pen", "context")
    np.testing.assert_array_equal(again.log_emit, problem.log_emit)
    np.testing.assert_array_equal(again.images, problem.images)
    assert rv.log_z(again.run()[0]) == rv.log_z(problem.run()[0])


def test_a_word_needs_a_model_that_reads_it():
    word = write_word("creation")
    with pytest.raises(ValueError, match="does not read handwriting"):
        problem_from_word(rv.NgramModel.from_windows("abc", 1, {}), word)
    abc = rv.NgramModel.from_windows("abc", 1, {}, emission=np.zeros((33, 3)), info={"grid": "8x4"})
    with pytest.raises(ValueError, match="'creation' has e, i, n, o, r, t"):
        problem_from_word(abc, word)


@pytest.mark.parametrize("method", ["rcms", "beam", "exact", "repaired"])
def test_run_is_the_builder_of_that_name(method):
    problem = parse_problem(with_changes())
    builder = {"rcms": rv.rcms, "beam": rv.beam, "exact": rv.exact, "repaired": rv.rcms}[method]
    extra = {"exact": {}, "repaired": {"budget": 2, "root_weight": -1.0}}.get(method, {"budget": 2})
    lattice, _ = builder(problem.model, problem.log_emit, pin=[(1, "a")], **extra)
    options = {"root_weight": -1.0} if method == "repaired" else {}
    same, trace = problem.run(method, 2, pin=[(1, "a")], **options)
    np.testing.assert_array_equal(same.score, lattice.score)
    assert trace.settings["method"] == method


def test_run_refuses_another_method():
    with pytest.raises(ValueError, match="method 'ars': .*rcms, beam"):
        parse_problem(with_changes()).run("ars")


MALFORMED = {
    "not JSON": ('{"labels": ["a"],\n "order": 1,,}', "line 2, column 13: not JSON"),
    "a list": ("[1, 2]", "start: a problem is one JSON object"),
    "NaN": ('{"labels": ["a"], "order": 1, "log_emit": [[NaN]]}', "NaN: JSON has no such number; write null"),
    "Infinity": ('{"labels": ["a"], "order": 1, "log_emit": [[Infinity]]}', "Infinity: JSON has no such number"),
    "overflow": ('{"labels": ["a"], "order": 1, "log_emit": [[1e999]]}', "log_emit[0][0]: inf is not finite"),
    "huge integer": (f'{{"labels": ["a"], "order": 1, "log_emit": [[{"9" * 400}]]}}', "log_emit[0][0]: 999"),
    "endless integer": (f'{{"order": {"9" * 5000}}}', "a number is too long"),
    "nested": ("[" * 100_000, "nested too deep"),
    "key twice": ('{"order": 1, "order": 2}', "order: the key stands twice"),
    "unknown key": (with_changes(emissions=[]), "emissions: unknown key; the keys are schema, version"),
    "another schema": (with_changes(schema="rcmviz/trace"), "schema: 'rcmviz/trace'"),
    "future version": (with_changes(version=3), "version: 3"),
    "odd version": (with_changes(version="1"), "version: '1' is not a version"),
    "no emissions": (with_changes(log_emit=...), "log_emit: missing"),
    "no labels": (with_changes(labels=...), "labels: missing or not a list"),
    "empty labels": (with_changes(labels=[]), "labels[0]: 0 labels"),
    "duplicate label": (with_changes(labels=["a", "a"]), "labels[1]: the label 'a'"),
    "star": (with_changes(labels=["a", "*"]), "labels[1]: the label '*'"),
    "caret": (with_changes(labels=["^", "b"]), "labels[0]: the label '^'"),
    "blank label": (with_changes(labels=["a", " "]), "labels[1]: ' ' is not a label"),
    "number label": (with_changes(labels=["a", 7]), "labels[1]: 7 is not a label"),
    "long label": (with_changes(labels=["a", "b" * 101]), "labels[1]: the label has 101 characters"),
    "order 0": (with_changes(order=0), "order: 0; give a whole number from 1 to"),
    "order true": (with_changes(order=True), "order: True; give a whole number"),
    "order missing": (with_changes(order=...), "order: None; give a whole number"),
    "too many windows": (with_changes(labels=[str(k) for k in range(500)], order=12), "order 12 with 500 labels"),
    "mode": (with_changes(mode="both"), 'mode: \'both\'; write "single" or "additive"'),
    "windows": (with_changes(windows={}), "windows: not a list"),
    "window entry": (with_changes(windows=[["^", "^", "a"]]), "windows[0]"),
    "window number": (
        with_changes(windows=[[["^", 1, "a"], 1]]),
        "windows[0]: the window ['^', 1, 'a']",
    ),
    "window length": (with_changes(windows=[[["^", "a"], 1]]), "windows[0]: window ('^', 'a')"),
    "window label": (
        with_changes(windows=[*GOOD["windows"], [["^", "c", "a"], 1]]),
        "windows[2]: window ('^', 'c', 'a')",
    ),
    "window order": (with_changes(windows=[[["*", "^", "a"], 1]]), "windows[0]: window ('*', '^', 'a'): symbols come"),
    "window twice": (
        with_changes(windows=GOOD["windows"][:1] * 2),
        "windows[1]: the window ['^', '^', 'a']",
    ),
    "weight text": (with_changes(windows=[[["^", "^", "a"], "x"]]), "windows[0]: 'x' is not a number"),
    "weight bool": (with_changes(windows=[[["^", "^", "a"], True]]), "windows[0]: True is not a number"),
    "model and windows": (with_changes(model="handwriting-pen"), "model: give either a model or windows"),
    "unknown model": (with_changes(windows=..., model="x"), "model: 'x'"),
    "model path": (with_changes(windows=..., model="../secret.npz"), "model: '../secret.npz'"),
    "model labels": (with_changes(windows=..., model="handwriting-pen"), "labels: the labels differ from those of the"),
    "model order": (
        with_changes(windows=..., labels=..., order=7, model="handwriting-pen"),
        "order: 7",
    ),
    "emissions": (with_changes(log_emit={}), "log_emit: not a list"),
    "no position": (with_changes(log_emit=[]), "log_emit: 0 positions"),
    "many positions": (with_changes(log_emit=[[0, 0]] * (MAX_POSITIONS + 1)), "log_emit: 401 positions"),
    "row length": (with_changes(log_emit=[[0, 0], [1]]), "log_emit[1]: 1 values, but there are 2 labels"),
    "row": (with_changes(log_emit=[[0, 0], 3]), "log_emit[1]: 3, but there are 2 labels"),
    "cell": (with_changes(log_emit=[[0, "0"], [0, 0]]), "log_emit[0][1]: '0'"),
    "impossible": (with_changes(log_emit=[[0, 0], [None, None]]), "log_emit[1]: every label is impossible here"),
    "gold length": (with_changes(gold=["a"]), "gold: 1 labels for 2 positions"),
    "gold text": (with_changes(gold="ab"), "gold: 'ab' for 2 positions"),
    "gold label": (with_changes(gold=["a", "c"]), "gold[1]: 'c'"),
    "images count": (with_changes(images=[[[1]]]), "images: give a list of 2 images"),
    "image": (with_changes(images=[[[1]], [1]]), "images[1]: not an image"),
    "empty image": (with_changes(images=[[[]], [[]]]), "images[0]: not an image"),
    "image size": (with_changes(images=[[[1]], [[1, 0]]]), "images[1]: its size differs from the first image's"),
    "ragged image": (with_changes(images=[[[1, 0], [1]], [[1]]]), "images[0]: its size differs"),
    "grey pixel": (with_changes(images=[[[1]], [[0.5]]]), "images[1]: a pixel"),
    "name": (with_changes(name=["x"]), "name: not a text"),
    "csv number": ("a,b\n0,1\n0,x\n", "line 3, column 'b': 'x'"),
    "csv empty cell": ("a,b\n0,\n", "line 2, column 'b': an empty cell"),
    "csv nan": ("a,b\n0,nan\n", "line 2, column 'b': nan"),
    "csv +inf": ("a,b\n0,inf\n", "line 2, column 'b': inf"),
    "csv impossible": ("a,b\n-inf,-inf\n", "line 2: every label is impossible"),
    "csv columns": ("a,b\n0,1\n\n0,1,2\n", "line 4: 3 columns, but the header has 2"),
    "csv header": ("0.5,1\n0,1\n", "line 1: the header holds numbers"),
    "csv semicolons": ("a;b\n0;1\n", "line 1: one column only; separate the columns with commas"),
    "csv duplicate": ("a,a\n0,1\n", "line 1, column 2: the label 'a'"),
    "csv star": ("a,*\n0,1\n", "line 1, column 2: the label '*'"),
    "csv without rows": ("a,b\n", "line 1: 0 positions"),
    "csv gold": ("a,gold\n0,b\n", "line 2, column 'gold': 'b'"),
    "csv half gold": ("a,gold\n0,a\n0,\n", "line 3, column 'gold': ''"),
    "csv two golds": ("a,gold,gold\n0,a,a\n", "line 1: two columns are called 'gold'"),
    "csv quotes": ('a,b\n0,"1\n', "not CSV"),
    "empty": (" \n", "it is empty; write a problem"),
    "too big": ("{" + " " * MAX_BYTES + "}", "it is larger than 5,000,000 bytes"),
}


@pytest.mark.parametrize(("text", "message"), MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_problem_is_named_with_its_place(text, message):
    with pytest.raises(ProblemError) as caught:
        parse_problem(text, "mine.txt")
    assert str(caught.value).startswith("mine.txt: ")
    assert message in str(caught.value)


def test_csv_is_read(tmp_path):
    path = tmp_path / "coins.csv"
    path.write_bytes('\ufeffa,gold,"b, c"\r\n0.5,a,-inf\r\n\r\n-1,"b, c", 2\r\n'.encode())
    problem = read_problem(path)
    assert (problem.labels, problem.gold, problem.name) == (("a", "b, c"), ("a", "b, c"), "coins")
    np.testing.assert_array_equal(problem.log_emit, [[0.5, -np.inf], [-1.0, 2.0]])
    assert rv.viterbi(problem.run()[0]).labels == ("a", "b, c")


def test_csv_without_gold_and_with_an_empty_gold_column():
    assert parse_problem("a,b\n0,1\n").gold is None
    assert parse_problem("a,b,gold\n0,1,\n").gold is None


def test_a_csv_can_be_read_by_a_shipped_model():
    labels = "abcdefghijklmnopqrstuvwxyz"
    text = ",".join(labels) + "\n" + "\n".join(",".join("0" if y == x else "-9" for y in labels) for x in "ing")
    assert rv.viterbi(parse_problem(text, model="handwriting-pen").run()[0]).labels == ("i", "n", "g")
    with pytest.raises(ProblemError, match="line 1: the labels"):
        parse_problem("a,b\n0,1\n", model="handwriting-pen")
    with pytest.raises(ProblemError, match="without a model"):
        parse_problem(with_changes(), model="handwriting-pen")
    with pytest.raises(ProblemError, match="'nope'"):
        parse_problem("a,b\n0,1\n", model="nope")


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ProblemError, match=r"missing\.json: No such file .*path"):
        read_problem(tmp_path / "missing.json")
    with pytest.raises(ProblemError, match="Is a directory"):
        read_problem(tmp_path)
    latin = tmp_path / "latin.csv"
    latin.write_bytes(b"a,\xe9\n0,1\n")
    with pytest.raises(ProblemError, match=r"latin\.csv: byte 2 .*UTF-8"):
        read_problem(latin)
    big = tmp_path / "big.csv"
    big.write_bytes(b"a" * (MAX_BYTES + 1))
    with pytest.raises(ProblemError, match=r"big\.csv: .*5,000,001 bytes"):
        read_problem(big)
    wrong = tmp_path / "wrong.json"
    wrong.write_text("a,b\n0,1\n")
    with pytest.raises(ProblemError, match=r"wrong\.json: line 1, column 1: "):
        read_problem(wrong)


def test_an_array_of_a_problem_cannot_be_changed():
    problem = parse_problem(with_changes())
    for array in (problem.log_emit, problem.images):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
