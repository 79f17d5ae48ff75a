"""Lines that begin with #: rows or comments; skipped lines are counted; written files are read again."""

import pytest

from rcmviz.sequences.file import parse_sequences

CASES = {  # name: (text, the first column of each sequence, lines that are comments)
    "tabs": ("#bergsee\tO\nist\tO\n\n#Zermatt\tB\nruft\tO\n", [["#bergsee", "ist"], ["#Zermatt", "ruft"]], []),
    "blanks": ("#bergsee O\nist O\n\n#Zermatt B-LOC\nruft O\n", [["#bergsee", "ist"], ["#Zermatt", "ruft"]], []),
    "a lone #": ("#bergsee O\nist O\n\n# O\neins B-X\n", [["#bergsee", "ist"], ["#", "eins"]], []),
    "a lone # within": ("a O\n# HASH\nb O\n", [["a", "#", "b"]], []),
    "a label that no other has": (
        "# O\neins B-x\n\n# B-x\nzwei C\n\n# HASH\ndrei D\n",
        [["#", "eins"], ["#", "zwei"], ["#", "drei"]],
        [],
    ),
    "nothing else": ("# O\n\n# #\n", [["#"], ["#"]], []),
    "numbers of sentences": ("# 1\na O\n\n# 2\nb O\n", [["a"], ["b"]], [1, 4]),
    "every line": ("#a O\n#b B\n\n# a remark of many words\n#c O\n", [["#a", "#b"], ["#c"]], [4]),
    "every line, tabs": ("# remark\n# remark\n#a\tO\n#\tB\n", [["#a", "#"]], [1, 2]),
    "comments between and within": ("# one two three\na O\n#x\nb O\n\n# four\nc O\n", [["a", "b"], ["c"]], [1, 3, 6]),
    "as many columns by accident": ("# a comment\na X O\n\n# dev set\nb X O\n", [["a"], ["b"]], [1, 4]),
    "key = value": ("# sent_id = 3\na X Y O\n# sent_id = 4\nb = X O\n", [["a", "b"]], [1, 3]),
    "key = value of more": ("# newdoc id = x\na X Y Z O\n", [["a"]], [1]),
    "tabs, no tab": ("# sent_id = 3\na\tO\n\n# text\nb\tO\n", [["a"], ["b"]], [1, 4]),
    "numbers of words": ("#\thttp://x.de\t[2010-07-04]\tO\n1\tGleich\tO\tO\n2\t#x\tO\tO\n", [["1", "2"]], [1]),
    "an empty label": ("#\thttp://x.de\t\nGleich\tX\tO\n", [["Gleich"]], [1]),
    "documents": ("-DOCSTART- -X- O\n\n#a X O\n", [["#a"]], []),
}


@pytest.mark.parametrize(("text", "tokens", "comments"), CASES.values(), ids=CASES)
def test_a_line_is_a_comment_only_where_it_cannot_be_a_row(text, tokens, comments):
    file = parse_sequences(text.encode(), "a.conll")
    assert [file.column("1", number) for number in range(len(file))] == tokens
    assert file.skipped.get("comment", []) == comments and file.comments == len(comments)


@pytest.mark.parametrize(("text", "tokens", "comments"), CASES.values(), ids=CASES)
def test_written_files_are_read_again(text, tokens, comments):
    file = parse_sequences(text.encode(), "a.conll")
    again = parse_sequences(file.with_labels(file.y, [0.5] * len(file)).encode(), "b.conll")
    assert [again.column("1", number) for number in range(len(again))] == tokens
    assert again.y == file.y and again.comments == len(file)


def test_a_text_without_labels_keeps_its_tokens():
    train = parse_sequences(b"a O\nb B\n", "train.conll")
    for text in ("#bergsee\nist\n#\n", "#bergsee\n#\n", "# a remark\n#bergsee\nist\n"):
        file = parse_sequences(text.encode(), "new.conll", like=train)
        tokens = [line for line in text.split("\n") if line and " " not in line]
        assert file.column("1", 0) == tokens
        for label in ("O", "HASH", "=", "#"):
            labels = [[label if token == "#" else "O" for token in tokens]]
            written = file.with_labels(labels, [0.5])
            again = parse_sequences(written.encode(), "again.conll")
            assert again.column("1", 0) == tokens and again.y == labels and written.count("\n") == len(tokens) + 1


def test_skipped_lines_are_counted():
    text = "# text = it's\n1-2\tit's\t_\t_\n1\tit\t_\tP\n# within\n2\t's\t_\tV\n2.1\tx\t_\tX\n"
    file = parse_sequences(text.encode(), "a.conllu")
    assert file.remarks == [
        "2 comments skipped (the first: line 1)",
        "2 multiword-token or empty-node lines skipped (the first: line 2)",
    ]
    assert "; 2 comments skipped (the first: line 1);" in repr(file) and file.with_labels(file.y) == text
    assert parse_sequences(b"-DOCSTART- O\n\na O\n", "a.conll").remarks == ["1 -DOCSTART- line skipped (line 1)"]
    assert parse_sequences(b"sequence,w,label\n1,#a,O\n", "a.csv").remarks == []


@pytest.mark.parametrize("name", ["", "Unnamed: 0"])
def test_the_index_of_a_pandas_table_describes_no_position(name):
    file = parse_sequences(f"{name},sequence,word,label\n0,1,the,D\n1,1,cat,N\n".encode(), "a.csv")
    assert file.columns.features == ("word",) and file.columns.numeric == () and len(file.remarks) == 1
    assert parse_sequences(b"sequence,word\n1,the\n", "b.csv", like=file).y is None


def test_blanks_around_cells_do_not_count():
    file = parse_sequences(b'sequence, word, label\n1, the, D\n1,cat ,N\n1, "big, cat", N\n', "a.csv")
    assert file.y == [["D", "N", "N"]] and file.column("word", 0) == ["the", "cat", "big, cat"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_odd_cells_are_written_as_they_are_read(delimiter):
    tokens = ['"', 'a"b', "#x", "#", "a\u00a0b", "\ufeff", "a\ufeffb", "a\u2028b", "a\x0bb", "a\x85b", "'", ",;"]
    rows = [f'"{token.replace(chr(34), chr(34) * 2)}"{delimiter}1{delimiter}L' for token in tokens]
    text = delimiter.join(("word", "sequence", "label")) + "\n" + "\n".join(rows) + "\n"
    file = parse_sequences(text.encode(), "a.csv")
    again = parse_sequences(file.with_labels(file.y).encode(), "b.csv")
    assert file.column("word", 0) == again.column("word", 0) == tokens
