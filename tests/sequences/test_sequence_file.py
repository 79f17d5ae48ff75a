"""Files of labelled sequences: reading, writing, errors."""

import gzip

import pytest

import rcmviz as rv
from rcmviz.sequences.file import Columns, parse_sequences, read_sequences
from rcmviz.sequences.token_features import neighbours, shape, spelling

CONLL = """# a comment
The DT B-NP
# # O
cat NN I-NP


-DOCSTART- -X- O

sits VB B-VP
"""
CSV = 'sequence,token,size,kind,label\ns1,The,1.5,x,D\ns1,"big, cat",-2,y,N\ns2,sits,0,x,V\n'


def conll(text=CONLL, name="tags.conll", **options):
    return parse_sequences(text.encode(), name, **options)


def table(text=CSV, name="tags.csv", **options):
    return parse_sequences(text.encode(), name, **options)


def test_conll_columns_comments_and_documents():
    file = conll()
    assert file.y == [["B-NP", "O", "I-NP"], ["B-VP"]]
    assert file.rows == ((("The", "DT", "B-NP"), ("#", "#", "O"), ("cat", "NN", "I-NP")), (("sits", "VB", "B-VP"),))
    assert file.lines == ((2, 3, 4), (9,))
    assert (file.columns.label, file.columns.token, file.columns.features) == ("3", "1", ("1", "2"))


def test_conll_with_tabs_has_cells_with_spaces():
    file = conll("New York\tPLACE\n#\tHASH\n\n#\tHASH\n")
    assert file.y == [["PLACE", "HASH"], ["HASH"]]
    assert file.column("1", 0) == ["New York", "#"]


def test_other_white_space_belongs_to_its_cell():
    file = parse_sequences("1\u00a0000  CARD \nof\u2028it X\n".encode(), "numbers.conll", plain=True)
    assert file.X[0] == [{"1": "1\u00a0000"}, {"1": "of\u2028it"}] and file.y == [["CARD", "X"]]


def test_python_only_numbers_are_text():
    file = parse_sequences(b"sequence,n,label\n1,1_000,A\n1,2,B\n", "n.csv", plain=True)
    assert file.X[0] == [{"n": "1_000"}, {"n": "2"}]


def test_csv_groups_rows_by_sequence():
    file = table()
    assert file.y == [["D", "N"], ["V"]]
    assert file.lines == ((2, 3), (4,))
    names = ("sequence", "token", "size", "kind", "label")
    assert file.columns == Columns("csv", names, "label", names[1:4], "token", ("size",), False)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_delimiters(delimiter):
    text = CSV.replace('"big, cat"', "cat").replace(",", delimiter)
    assert table(text).y == [["D", "N"], ["V"]]


LINE_ENDS = [lambda text, end=end: text.replace("\n", end) for end in ("\r", "\r\n", "\r\r\n")]


@pytest.mark.parametrize("change", [str, lambda text: "\ufeff" + text, *LINE_ENDS])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(("text", "name"), [(CONLL, "a.conll"), (CSV, "a.csv")])
def test_byte_order_marks_line_ends_and_gzip(tmp_path, text, name, change, pack):
    path = tmp_path / (name + (".gz" if pack is gzip.compress else ""))
    path.write_bytes(pack(change(text).encode()))
    file, plain = rv.read_sequences(path), parse_sequences(text.encode(), name)
    assert (file.rows, file.lines, file.y, file.skipped) == (plain.rows, plain.lines, plain.y, plain.skipped)


def test_features_of_tokens_columns_and_numbers():
    X = table().X
    assert X[0][1] == {
        "last": True,
        "token": "big, cat",
        "token:shape": "x, x",
        "token:prefix1": "b",
        "token:prefix2": "bi",
        "token:prefix3": "big",
        "token:suffix1": "t",
        "token:suffix2": "at",
        "token:suffix3": "cat",
        "token[-1]": "the",
        "size": -2.0,
        "kind": "y",
        "kind[-1]": "x",
    }
    assert X[1] == X[-1] == X[1:][0] and len(X) == 2
    assert X[1][0]["first"] and X[1][0]["last"]


def test_columns_as_they_are():
    assert table(plain=True).X[0] == [
        {"token": "The", "size": 1.5, "kind": "x"},
        {"token": "big, cat", "size": -2.0, "kind": "y"},
    ]


def test_spelling():
    assert shape("iPhone-12B") == "xXx-dX" and shape("ÉTÉ") == "X" and shape("") == ""
    assert spelling("w", "a") == {"w": "a", "w:shape": "x"}
    assert neighbours("w", ["a"], 0) == {}


def test_label_and_token_columns_can_be_named():
    assert conll("DT The 1\nNN cat 2\n", label="1", token="2").y == [["DT", "NN"]]
    assert table("sequence,tag,word\n1,D,the\n", label="tag").columns.token == "word"


def test_columns_can_be_chosen():
    numbered = conll("1 The DT D\n", columns=["2", "3"])
    assert (numbered.columns.token, set(numbered.X[0][0])) == (
        "2",
        {"first", "last", "2", "2:shape", "2:prefix1", "2:prefix2", "2:suffix1", "2:suffix2", "3"},
    )
    assert sorted(table(columns=["size"]).X[0][0]) == ["first", "size"]
    with pytest.raises(ValueError, match="'colour'.*--columns"):
        table(columns=["colour"])


def test_conll_u_reads_words_and_their_classes():
    text = "# text = it's a cat\n1-2\tit's\t_\t_\n1\tit\tit\tPRON\n2\t's\tbe\tAUX\n2.1\tx\tx\tX\n3\tcat\tcat\tNOUN\n"
    file = conll(text, "a.conllu")
    assert file.y == [["PRON", "AUX", "NOUN"]]
    assert (file.columns.label, file.columns.features, file.columns.token) == ("4", ("2",), "2")
    assert file.lines == ((3, 4, 6),)


CONLL_U = """# sent_id = 1
# text = it's
1-2\tit's\t_\t_\t_
1\tit\tit\tPRON\tPRP
2\t's\tbe\tAUX\tVBZ

# sent_id = 2
1\tcat\tcat\tNOUN\tNN
1.1\tx\tx\tX\t_
"""


def test_predictions_take_their_place_in_conll_u_and_all_else_stays():
    file = conll(CONLL_U, "a.conllu")
    assert file.with_labels(file.y) == CONLL_U == conll(CONLL_U.replace("\n", "\r\n"), "a.conllu").with_labels(file.y)
    text = file.with_labels([["A", "B"], ["C"]], [0.5, 0.25])
    labelled = CONLL_U.replace("PRON", "A").replace("AUX", "B").replace("NOUN", "C")
    labelled = labelled.replace("1-2", "# confidence = 0.500000\n1-2").replace(
        "1\tcat", "# confidence = 0.250000\n1\tcat"
    )
    assert text == labelled and conll(text, "a.conllu").y == [["A", "B"], ["C"]]
    bare = conll("".join(line for line in CONLL_U.splitlines(keepends=True) if line[0].isdigit()), "a.conllu")
    unlabelled = conll("1\tit\tit\tPRP\n", "b.conllu", like=bare)
    assert unlabelled.y is None and unlabelled.with_labels([["A"]]) == "1\tit\tit\tA\tPRP\n"


def test_a_further_file_is_read_like_the_training_file():
    train = table()
    new = table("sequence,kind,token,size\nt,z,it,7\n", like=train)
    assert new.y is None and new.X[0][0]["size"] == 7.0
    assert table("extra,sequence,kind,token,size,label\n0,t,z,it,7,P\n", like=train.columns).y == [["P"]]
    assert table("sequence,size\nt,7\n", like=table(columns=["size"])).X[0][0]["size"] == 7.0
    assert conll("it PR\n", like=conll()).y is None
    assert conll("it PR O\n", like=Columns.from_dict(conll().columns.to_dict())).y == [["O"]]


def test_predictions_are_added_as_a_column():
    file = conll()
    text = file.with_labels([["A", "B", "C"], ["D"]], [0.5, 0.25])
    assert text == (
        "# confidence = 0.500000\nThe DT B-NP A\n# # O B\ncat NN I-NP C\n\n# confidence = 0.250000\nsits VB B-VP D\n"
    )
    assert conll(text).y == [["A", "B", "C"], ["D"]]
    again = table(table().with_labels([["A", "B"], ["C"]], [0.5, 0.25]), label="predicted")
    assert again.y == [["A", "B"], ["C"]] and again.column("confidence", 1) == ["0.250000"]
    assert again.column("token", 0) == ["The", "big, cat"]


MISTAKES = {
    "broken conll line": ("a.conll", "a B\nc D\ne\n", "a.conll, line 3: 1 column, line 1 has 2; every line has"),
    "broken csv line": ("a.csv", CSV + "s3,x\n", "a.csv, line 5: 2 columns, line 1 has 5; every line has the same"),
    "nothing": ("a.conll", "", "a.conll is empty: it holds no sequences"),
    "comments only": ("a.conll", "# x\n\n", "a.conll is empty: it holds no sequences"),
    "nothing in a csv": ("a.csv", "", "a.csv is empty: it holds no sequences"),
    "header only": ("a.csv", "sequence,x,label\n", "a.csv is empty: it holds no sequences"),
    "no sequence": ("a.csv", "x,label\n1,B\n", "a.csv, line 1: no column 'sequence', which numbers"),
    "no label": ("a.csv", "sequence,x\n1,B\n", "a.csv: no column 'label'; there are sequence, x; name it with --label"),
    "only labels": ("a.conll", "B\n", "a.conll: no column besides the label '1'"),
    "column twice": ("a.csv", "sequence,x,x\n1,2,3\n", "a.csv, line 1: the column 'x'"),
    "empty sequence name": ("a.csv", "sequence,x,label\n,2,B\n", "a.csv, line 2: the column 'sequence'"),
    "scattered": (
        "a.csv",
        "sequence,x,label\n1,2,B\n2,2,B\n1,2,B\n",
        "a.csv, line 4: sequence '1' already ended in line 2",
    ),
    "no label here": ("a.csv", "sequence,x,label\n1,2,\n", "a.csv, line 2: the label"),
    "nan": ("a.csv", "sequence,x,label\n1,2,B\n1,NaN,B\n", "a.csv, line 3, column 'x': NaN"),
    "infinite": ("a.csv", "sequence,x,label\n1,-inf,B\n", "a.csv, line 2, column 'x': -inf"),
    "no number": ("a.csv", "sequence,x,label\n1,2,B\n1,,B\n", "a.csv, line 3, column 'x': an empty cell"),
    "quotes": ("a.csv", 'sequence,x,label\n1,"2,B\n', "a.csv, line 2: not CSV (unexpected end of data); correct the"),
    "a cell of two lines": ("a.csv", 'sequence,x,label\n1,2,B\n1,"2\n3",B\n', "a.csv, line 3: not CSV (unexpected end"),
    "quotation marks as tokens": (
        "a.tsv",
        'sequence\tword\tlabel\n1\tHe\tP\n1\t"\tM\n1\tno\tI\n1\t"\tM\n',
        "a.tsv, line 3: not CSV (unexpected end of data); correct the quotes there: a cell ends in its line",
    ),
    "separators in quotes": (
        "a.csv",
        'sequence,x,label\n1,",",B,C\n',
        "a.csv, line 2: 4 columns, line 1 has 3; every line has the same columns; ',' is one cell by its quotes",
    ),
    "two quotation marks": (
        "a.tsv",
        'sequence\tx\ty\tlabel\n1\t"\t"\tP\n',
        r"line 2: 3 columns, line 1 has 4; every line has the same columns; '\t' is one cell by its quotes",
    ),
    "tabs and blanks": ("a.conll", "a B\nc\tD\n", "line 1 has no tab, and the tab in line 2 makes tabs the separator"),
    "a tab at the end": ("a.conll", "a B\t\nc D\t\n", "write one for every position; the line ends in a tab"),
    "no-break space": (
        "a.conll",
        "a B\nc\u00a0D\n",
        "line 2: 1 column, line 1 has 2; every line has the same columns; the line is 'c\\xa0D'",
    ),
    "mark within": ("a.conll", "a B\nc D\n\ufeff\n", r"a.conll, line 3: '\ufeff' holds a byte order mark (U+FEFF)"),
    "mark at the end": ("a.csv", "sequence,x,label\n1,2,B\ufeff\n", r"a.csv, line 2: '1,2,B\ufeff' holds a byte order"),
    "JSON": ("a.json", '[{"X": [{"w": "a"}]}]', "a.json: JSON holds no sequences here; write CSV, CoNLL-U or CoNLL"),
    "no number of a word": ("a.conllu", "x\tcat\t_\tNOUN\n", "a.conllu, line 1: 'x'"),
}


@pytest.mark.parametrize(("name", "text", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_named_with_its_line(name, text, message):
    with pytest.raises(ValueError) as caught:
        parse_sequences(text.encode(), name)
    assert message in str(caught.value)


def test_invalid_utf_8_is_named_by_line_and_byte():
    with pytest.raises(ValueError, match=r"a.conll, line 2: byte 0xe9 \(offset 6\) .*iconv"):
        parse_sequences("a B\ncafé N\n".encode("latin1").replace(b"caf", b"ca"), "a.conll")
    with pytest.raises(ValueError, match="line 1: byte 0xff .*iconv -f utf-16 -t"):
        parse_sequences("a B\n".encode("utf-16"), "a.conll")


def test_files_over_the_limit(tmp_path):
    path = tmp_path / "large.conll"
    path.write_text("word LABEL\n" * 1000)
    with pytest.raises(ValueError, match="large.conll: .*--max-mb 1"):
        read_sequences(path, max_bytes=10_999)
    assert len(read_sequences(path, max_bytes=11_000)) == 1
    packed = gzip.compress(path.read_bytes())
    with pytest.raises(ValueError, match="at most 0 MB"):
        parse_sequences(packed, "large.conll.gz", max_bytes=10_999)
    with pytest.raises(ValueError, match="gzip"):
        parse_sequences(packed[:40], "large.conll.gz")
    with pytest.raises(ValueError, match="none.csv: No such file .*path"):
        read_sequences(tmp_path / "none.csv")


UNLIKE = {
    "a column less": ("a.csv", "sequence,token,kind\n1,a,b\n", "line 1: no column 'size', which training had"),
    "another kind": ("a.conll", "a b\n", "a.conll: read as conll, but training read csv; give a file of the same kind"),
    "no number": ("a.csv", "sequence,token,size,kind\n1,a,big,b\n", "line 2, column 'size': 'big'"),
}


@pytest.mark.parametrize(("name", "text", "message"), UNLIKE.values(), ids=UNLIKE.keys())
def test_a_file_unlike_the_training_file(name, text, message):
    with pytest.raises(ValueError) as caught:
        parse_sequences(text.encode(), name, like=table())
    assert message in str(caught.value)


def test_conll_with_other_columns_than_in_training():
    with pytest.raises(ValueError, match="1 columns, .*3; .*2 without .*3 with"):
        conll("it\n", like=conll())


def test_damaged_columns_are_refused():
    with pytest.raises(ValueError, match="columns"):
        Columns.from_dict({"kind": "csv"})
