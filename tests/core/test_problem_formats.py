"""One problem in every format: JSON, CSV with a transition table, npz, npy; tokens, notes, titles; errors."""

import csv
import io
import json
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rcmviz as rv
from oracles import transitions as oracle
from rcmviz.core.models.transitions import transitions_of
from rcmviz.core.problems.problem_file import parse_content, parse_problem, read_problem
from rcmviz.core.problems.problem_npz import MAX_UNPACKED
from rcmviz.core.problems.problem_reader import MAX_BYTES, ProblemError

NAMES = st.lists(st.sampled_from(["a", "b, c", "é", "two words", 'q"'] + ["long label" * 5]), min_size=1, max_size=3)
NUMBERS = st.floats(-20, 20)


@st.composite
def chains(draw):
    """Draw a problem with all optional parts, as lists."""
    labels = tuple(draw(NAMES.filter(lambda names: len(set(names)) == len(names))))
    Y, T = len(labels), draw(st.integers(1, 4))

    def row():
        return draw(st.lists(NUMBERS, min_size=Y, max_size=Y))

    log_emit = [row() for _ in range(T)]
    if Y > 1 and draw(st.booleans()):
        log_emit[-1][0] = -np.inf
    return {
        "labels": labels,
        "log_emit": log_emit,
        "after": [row() for _ in labels],
        "start": draw(st.none() | st.just(row())),
        "forgotten": draw(st.none() | st.just(row())),
        "gold": draw(st.none() | st.tuples(*[st.sampled_from(labels)] * T)),
        "tokens": draw(st.none() | st.tuples(*[st.sampled_from(["x", "7", "the river", "ß"])] * T)),
        "notes": draw(st.dictionaries(st.integers(1, T), st.sampled_from(["here", "a, b"]), max_size=2)),
    }


def as_json(chain):
    rows = [[None if v == -np.inf else v for v in row] for row in chain["log_emit"]]
    data = {
        "labels": chain["labels"],
        "log_emit": rows,
        "transitions": chain["after"],
        "start": chain["start"],
        "forgotten": chain["forgotten"],
        "gold": chain["gold"],
        "tokens": chain["tokens"],
        "notes": {str(i): note for i, note in chain["notes"].items()},
    }
    return parse_problem(json.dumps({key: value for key, value in data.items() if value is not None}))


def table_of(rows):
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    return file.getvalue().encode()


def as_csv(chain):
    """Columns and rows of the table in another order than the labels."""
    labels, order = chain["labels"], list(reversed(range(len(chain["labels"]))))
    columns = {"gold": chain["gold"], "token": chain["tokens"], "note": None}
    if chain["notes"]:
        columns["note"] = [chain["notes"].get(i, "") for i in range(1, len(chain["log_emit"]) + 1)]
    columns = {name: cells for name, cells in columns.items() if cells is not None}
    emissions = [[*columns, *labels]]
    emissions += [[*(cells[i] for cells in columns.values()), *row] for i, row in enumerate(chain["log_emit"])]
    before = [(labels[y], chain["after"][y]) for y in order]
    before += [(name, chain[key]) for name, key in (("*", "forgotten"), ("^", "start")) if chain[key] is not None]
    table = [["before", *(labels[y] for y in order)], *([name, *(row[y] for y in order)] for name, row in before)]
    return parse_content(table_of(emissions), "emissions.csv", transitions=("table.csv", table_of(table)))


def as_npz(chain):
    notes = [chain["notes"].get(i, "") for i in range(1, len(chain["log_emit"]) + 1)]
    arrays = {
        "logits": chain["log_emit"],
        "labels": chain["labels"],
        "transitions": chain["after"],
        "start": chain["start"],
        "forgotten": chain["forgotten"],
        "gold": chain["gold"],
        "tokens": chain["tokens"],
        "notes": notes,
    }
    return parse_content(npz(**{name: value for name, value in arrays.items() if value is not None}), "logits.npz")


def npz(**arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **{name: np.array(value) for name, value in arrays.items()})
    return file.getvalue()


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@settings(max_examples=60)
@given(chains())
def test_every_format_says_the_same_problem(chain):
    problems = {name: make(chain) for name, make in (("json", as_json), ("csv", as_csv), ("npz", as_npz))}
    problems["written"] = parse_problem(problems["json"].to_json())
    for name, problem in problems.items():
        np.testing.assert_array_equal(problem.log_emit, chain["log_emit"])
        assert (problem.labels, problem.gold, problem.tokens) == (chain["labels"], chain["gold"], chain["tokens"]), name
        assert dict(problem.notes) == chain["notes"]
        np.testing.assert_array_equal(problem.model.log_table, problems["json"].model.log_table)
    start = chain["start"] or [0.0] * len(chain["labels"])
    lattice, _ = problems["csv"].run("exact")
    expected = oracle.log_z(chain["log_emit"], chain["after"], start)
    assert rv.log_z(lattice) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    if chain["forgotten"] is None:
        windows = problems["npz"].model.rows(5, 0, np.zeros(1, int))
        found = problems["npz"].model.log_table[windows][0]
        np.testing.assert_allclose(found, oracle.forgotten(chain["after"]), rtol=1e-9, atol=1e-9)


def test_a_table_is_written_if_it_is_shorter():
    dense = parse_problem('{"labels": ["a", "b"], "log_emit": [[0, 0]], "transitions": [[1, 2], [3, 4]]}')
    assert '"transitions": [' in dense.to_json() and '"version": 2' in dense.to_json()
    sparse = rv.NgramModel.from_windows("abc", 1, {("a", "b"): 2.0})
    assert transitions_of(sparse) is None
    text = rv.Problem(sparse, np.zeros((1, 3))).to_json()
    assert '"windows": [' in text and '"version": 1' in text  # which every rcmviz reads


def test_logits_alone_are_read_with_labels_and_a_table(tmp_path):
    logits, table = np.array([[0, 1], [2, -np.inf]], np.float32), np.array([[1, 2], [3, 4]])
    for name, content in (("x.npy", npy(logits)), ("t.npy", npy(table)), ("labels.txt", b"on\noff\n")):
        (tmp_path / name).write_bytes(content)
    assert read_problem(tmp_path / "x.npy").labels == ("0", "1")
    problem = read_problem(tmp_path / "x.npy", transitions=tmp_path / "t.npy", labels=tmp_path / "labels.txt")
    assert (problem.labels, problem.name, problem.T) == (("on", "off"), "x", 2)
    np.testing.assert_array_equal(transitions_of(problem.model).after, table)
    assert read_problem(str(tmp_path / "x.npy"), labels=["p", "q"]).labels == ("p", "q")
    (tmp_path / "labels.txt").write_text("")
    with pytest.raises(ValueError, match="labels.txt: it is empty"):
        read_problem(tmp_path / "x.npy", labels=tmp_path / "labels.txt")
    with pytest.raises(ValueError, match="0 labels for 2 columns"):
        read_problem(tmp_path / "x.npy", labels=[])


@pytest.mark.parametrize("table", [b"1,2\n3,4\n", b"before,1,0\n0,2,1\n1,4,3\n"])
def test_a_table_is_a_matrix_or_has_names_which_may_be_numbers(table):
    problem = parse_content(npy(np.zeros((3, 2))), "x.npy", transitions=("t.csv", table))
    np.testing.assert_array_equal(transitions_of(problem.model).after, [[1, 2], [3, 4]])


def test_gold_in_numbers_names_and_images_of_arrays():
    images = np.array([[[0, 1]], [[1, 1]]])
    content = npz(
        log_emit=np.zeros((2, 2)), labels=["a", "b"], gold=[1, 0], images=images, name="n", title="what it is"
    )
    problem = parse_content(content, "x.npz")
    assert (problem.gold, problem.name, problem.title) == (("b", "a"), "n", "what it is")
    np.testing.assert_array_equal(problem.images, images)


def test_a_shipped_model_reads_logits():
    labels = list("abcdefghijklmnopqrstuvwxyz")
    content = npz(logits=np.eye(26)[:3] * 9, labels=labels)
    assert parse_content(content, "x.npz", "handwriting-pen").model.order == 3
    with pytest.raises(ProblemError, match="model and transitions; give one"):
        parse_content(content, "x.npz", "handwriting-pen", ("t.npy", npy(np.zeros((26, 26)))))


EMIT = {"labels": ["a", "b"], "log_emit": [[0, 0], [0, 0]]}
JSON = {
    "rows": ({"transitions": [[0, 0]]}, "transitions: 1 rows for 2 labels; give a row per label before"),
    "width": ({"transitions": [[0, 0], [0]]}, "transitions[1]: 1 values, but there are 2 labels"),
    "order": ({"transitions": [[0, 0], [0, 0]], "order": 2}, "order: 2"),
    "both": (
        {"transitions": [[0, 0], [0, 0]], "windows": []},
        "give either a model or windows or transitions, not win",
    ),
    "alone": ({"start": [0, 0], "order": 1}, "start: it belongs to transitions; give those too"),
    "start": ({"transitions": [[0, 0], [0, 0]], "start": [0]}, "start: 1 values, but there are 2 labels"),
    "tokens": ({"order": 1, "tokens": ["x"]}, "tokens: 1 tokens for 2 positions"),
    "token": ({"order": 1, "tokens": ["x", 7]}, "tokens[1]: '7'"),
    "notes": ({"order": 1, "notes": ["x"]}, "notes: not notes; write them by position"),
    "position": (
        {"order": 1, "notes": {"3": "x"}},
        "notes['3']",
    ),
    "same": ({"order": 1, "notes": {"01": "x"}}, "notes['01']"),
    "note": ({"order": 1, "notes": {"1": " "}}, "notes['1']"),
    "title": ({"order": 1, "title": "x" * 201}, "title: not a text of at most 200 characters"),
}


@pytest.mark.parametrize(("changes", "said"), JSON.values(), ids=JSON)
def test_values_that_json_cannot_hold_are_refused(changes, said):
    with pytest.raises(ProblemError) as caught:
        parse_problem(json.dumps(EMIT | changes), "mine.json")
    assert str(caught.value).startswith("mine.json: ") and said in str(caught.value)


EMISSIONS = b"a,b\n0,0\n"
TABLES = {
    "matrix": (b"1,2\n3,4\n5,6\n", "line 1: the header holds numbers; the first line names the labels"),
    "numbers": (b"x,1,2\na,3,4\n", "line 1: the header holds numbers; the first line names the labels"),
    "column": (b"x,a,c\na,0,0\nb,0,0\n", "line 1: the columns are no 'b'; name the labels 'a', 'b'"),
    "unknown column": (b"x,a,b,c\na,0,0,0\nb,0,0,0\n", "line 1: the columns are 'c'"),
    "row": (b"x,a,b\na,0,0\n", "line 2: the first column has no 'b'"),
    "twice": (b"x,a,b\na,0,0\n\na,1,1\nb,0,0\n", "line 4: 'a' stands twice (first in line 2)"),
    "short": (b"x,a,b\na,0\nb,0,0\n", "line 2: 2 columns, but the header has 3"),
    "nan": (b"x,a,b\na,0,nan\nb,0,0\n", "line 2, column 'b': nan"),
    "inf": (b"x,a,b\na,0,inf\nb,0,0\n", "line 2, column 'b': inf"),
    "empty": (b"x,a,b\na,0,\nb,0,0\n", "line 2, column 'b': an empty cell"),
    "commas": (b",,\n,,\n", "line 1: there are only commas; the first line names the labels"),
    "semicolons": (b"x;a;b\na;0;0\n", "line 1: one column only; separate the columns with commas"),
    "bytes": (b"x,a,b\na,\xe9,0\n", "byte 8 is not UTF-8"),
    "npy shape": (npy(np.zeros((2, 3))), "start: its shape is (2, 3); give 2 × 2: a row per label before"),
    "npy inf": (npy(np.array([[0, np.inf], [0, 0]])), "start[0, 1]: inf"),
    "npy nan": (npy(np.array([[0, np.nan], [0, 0]])), "start[0, 1]: nan"),
    "large": (b"x" * (MAX_BYTES + 1), "it is larger than 5,000,000 bytes"),
}


@pytest.mark.parametrize(("table", "said"), TABLES.values(), ids=TABLES)
def test_tables_that_are_none_are_named(table, said):
    with pytest.raises(ProblemError) as caught:
        parse_content(EMISSIONS, "mine.csv", transitions=("table.csv", table))
    assert str(caught.value).startswith("table.csv: ") and said in str(caught.value)


def damaged():
    good = npz(logits=np.zeros((2, 2)))
    return good[: len(good) // 2]


def liar():
    """Return an array whose header claims more bytes than any memory."""
    content = npy(np.zeros((2, 2)))
    return content.replace(b"(2, 2)", b"(2, 9999999999999)").replace(b" " * 12 + b"\n", b"\n")


def bomb():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("logits.npy", b"\0" * (MAX_UNPACKED + 1))
    return file.getvalue()


ZEROS = np.zeros((2, 2))
ARRAYS = {
    "damaged": (damaged(), "start: not a readable npz file"),
    "liar": (liar(), "start: not a readable array (its shape (2, 9999999999999) of float64 is more"),
    "bomb": (bomb(), "start: 40,000,001 bytes unpacked, the limit is 40,000,000"),
    "pickle": (npy(np.array([{}, 1], object)), "start: it holds pickled objects, which could run code"),
    "pickled labels": (npz(logits=ZEROS, labels=np.array(["a", "b"], object)), "labels: it holds pickled objects"),
    "name": (npz(logits=ZEROS, weights=ZEROS), "weights: unknown array; the arrays are log_emit, logits, labels"),
    "none": (npz(labels=["a"]), "log_emit: missing"),
    "both": (npz(logits=ZEROS, log_emit=ZEROS), "log_emit: missing"),
    "shape": (npz(logits=np.zeros(3)), "logits: its shape is (3,); give a row per position, a column per label"),
    "text": (npz(logits=np.full((2, 2), "x")), "logits: its values are <U1; give real numbers"),
    "nan": (npz(logits=[[0, 0], [0, np.nan]]), "logits[1, 1]: nan"),
    "inf": (npz(log_emit=[[0, np.inf]]), "log_emit[0, 1]: inf"),
    "impossible": (npz(logits=[[0, 0], [-np.inf, -np.inf]]), "logits[1]: every label is impossible here"),
    "labels": (npz(logits=ZEROS, labels=["a"]), "labels: <U1 of shape (1,); give np.array([...], str) with 2 texts"),
    "label twice": (npz(logits=ZEROS, labels=["a", "a"]), "labels[1]: the label 'a'"),
    "gold": (npz(logits=ZEROS, gold=[0, 2]), "gold[1]: 2"),
    "gold name": (npz(logits=ZEROS, gold=["0", "x"]), "gold[1]: 'x'"),
    "gold kind": (npz(logits=ZEROS, gold=[0.0, 1.0]), "gold: float64 of shape (2,); give 2 names of labels"),
    "title": (npz(logits=ZEROS, title=["x"]), "title: <U1 of shape (1,); give one text"),
    "images": (npz(logits=ZEROS, images=np.full((2, 1, 1), 7)), "images: give zeros and ones of shape (2, rows"),
    "start": (npz(logits=ZEROS, start=[0, 0]), "start: it belongs to transitions"),
    "long": (npz(logits=np.zeros((401, 2))), "logits: 401 positions"),
    "transitions": (npz(logits=ZEROS, transitions=np.zeros((2, 3))), "transitions: its shape is (2, 3); give 2 × 2"),
}


@pytest.mark.parametrize(("content", "said"), ARRAYS.values(), ids=ARRAYS)
def test_arrays_that_cannot_be_used_are_named(content, said):
    with pytest.raises(ProblemError) as caught:
        parse_content(content, "mine.npz")
    assert str(caught.value).startswith("mine.npz: ") and said in str(caught.value)


class Trap:
    """An object whose pickle runs code."""

    def __reduce__(self):
        return pytest.fail, ("a pickle was loaded",)


def test_a_pickle_is_never_loaded():
    for content in (pickle.dumps(Trap()), b"\x93NUMPY" + pickle.dumps(Trap()), b"PK\x03\x04" + pickle.dumps(Trap())):
        with pytest.raises(ProblemError):
            parse_content(content, "mine.npz")


def test_what_does_not_go_together(tmp_path):
    table = ("t.csv", b"x,a,b\na,0,0\nb,0,0\n")
    with pytest.raises(ProblemError, match='"transitions"'):
        parse_content(json.dumps(EMIT | {"order": 1}).encode(), "x.json", transitions=table)
    with pytest.raises(ProblemError, match=r"\.npy"):
        parse_content(EMISSIONS, "x.csv", labels=["a", "b"])
    with pytest.raises(ProblemError, match="labels: "):
        parse_content(npz(logits=ZEROS, labels=["a", "b"]), "x.npz", labels=["a", "b"])
    with pytest.raises(ProblemError, match="transitions: "):
        parse_content(npz(logits=ZEROS, labels=["a", "b"], transitions=ZEROS), "x.npz", transitions=table)
    with pytest.raises(ProblemError, match=r"gone\.csv: No such file"):
        read_problem(tmp_path / "x.csv", transitions=tmp_path / "gone.csv")
