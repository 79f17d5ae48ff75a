"""The reader of letter.data: accepted and refused files, errors, features and folds."""

import gzip

import numpy as np
import pytest

from rcmviz.data import registry
from rcmviz.tasks.handwriting import letter_data
from rcmviz.tasks.handwriting.letter_data import Word, downsample, features, fold_words, load_words, read_letters, split


def random_words(seed=0, texts=("ommanding", "x", "uzz"), folds=(0, 3, 9)):
    rng = np.random.default_rng(seed)
    return [
        Word(text, rng.integers(0, 2, (len(text), 16, 8)), fold, index, "kassel")
        for index, (text, fold) in enumerate(zip(texts, folds, strict=True))
    ]


def lines_of(words):
    """The lines of a letter.data file, without the tab at the end."""
    lines, number = [], 0
    for word in words:
        for position, (letter, image) in enumerate(zip(word.letters, word.images, strict=True), start=1):
            number += 1
            following = -1 if position == len(word) else number + 1
            head = [number, letter, following, word.index + 1, position, word.fold]
            lines.append("\t".join(map(str, [*head, *image.ravel()])))
    return lines


def write(path, lines, end="\t\n"):
    content = "".join(line + end for line in lines).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def with_field(lines, line, column, value):
    fields = lines[line - 1].split("\t")
    fields[column] = value
    return [*lines[: line - 1], "\t".join(fields), *lines[line:]]


@pytest.mark.parametrize("name", ["letter.data", "letter.data.gz"])
@pytest.mark.parametrize("end", ["\n", "\t\n", "\r\n", "\t\r\n"])
def test_reads_back_what_was_written(tmp_path, name, end):
    words = random_words()
    got = read_letters(write(tmp_path / name, lines_of(words), end))
    assert [(w.letters, w.fold, w.index, w.source) for w in got] == [
        ("ommanding", 0, 0, "kassel"),
        ("x", 3, 1, "kassel"),
        ("uzz", 9, 2, "kassel"),
    ]
    for word, expected in zip(got, words, strict=True):
        np.testing.assert_array_equal(word.images, expected.images)
        assert not word.images.flags.writeable


def test_lines_are_put_in_the_order_of_their_ids(tmp_path):
    lines = lines_of(random_words())
    shuffled = [lines[i] for i in np.random.default_rng(1).permutation(len(lines))]
    assert [word.letters for word in read_letters(write(tmp_path / "letter.data", shuffled))] == [
        "ommanding",
        "x",
        "uzz",
    ]


@pytest.mark.parametrize(
    ("line", "column", "value", "message"),
    [
        (2, 0, "one", "line 2: id is 'one', expected a whole number"),
        (2, 0, "1", "line 2: id is '1'"),
        (3, 0, "9" * 30, "line 3: id is '9"),
        (2, 1, "M", "line 2: letter is 'M', expected one of a to z"),
        (2, 1, "mm", "line 2: letter is 'mm'"),
        (2, 1, "", "line 2: letter is ''"),
        (4, 2, "7", "line 4: next_id is '7'"),
        (13, 2, "14", "line 13: next_id is '14'"),
        (5, 4, "6", "line 5: position is '6', expected 1, 2"),
        (10, 4, "2", "line 10: position is '2'"),
        (1, 5, "10", "line 1: fold is '10', expected 0 to 9"),
        (1, 5, "-1", "line 1: fold is '-1', expected 0 to 9"),
        (1, 5, "", "line 1: fold is '', expected a whole number"),
        (6, 5, "4", "line 6: fold is '4'"),
        (1, 6, "NaN", "line 1: pixel p_0_0 is 'NaN', expected 0 or 1"),
        (2, 6 + 8 * 3 + 5, "nan", "line 2: pixel p_3_5 is 'nan', expected 0 or 1"),
        (3, 133, "2", "line 3: pixel p_15_7 is '2'"),
        (3, 133, "", "line 3: "),
        (3, 20, "0.5", "line 3: pixel p_1_6 is '0.5'"),
        (3, 20, "/", "line 3: pixel p_1_6 is '/'"),
    ],
)
def test_malformed_lines_are_named(tmp_path, line, column, value, message):
    path = write(tmp_path / "letter.data", with_field(lines_of(random_words()), line, column, value))
    with pytest.raises(ValueError) as error:
        read_letters(path)
    assert f"{path}, {message}" in str(error.value)


@pytest.mark.parametrize("column", [1, 5, 6, 70, 133])
def test_a_missing_column_is_named(tmp_path, column):
    lines = lines_of(random_words())
    fields = lines[3].split("\t")
    del fields[column]
    path = write(tmp_path / "letter.data", [*lines[:3], "\t".join(fields), *lines[4:]])
    with pytest.raises(ValueError, match="line 4: 133 columns, .*134"):
        read_letters(path)


def test_a_superfluous_column_and_an_empty_line_are_named(tmp_path):
    lines = lines_of(random_words())
    with pytest.raises(ValueError, match="line 2: 135 columns"):
        read_letters(write(tmp_path / "letter.data", [lines[0], lines[1] + "\t0", *lines[2:]]))
    with pytest.raises(ValueError, match="line 2: 1 columns"):
        read_letters(write(tmp_path / "letter.data", [lines[0], "", *lines[1:]]))


@pytest.mark.parametrize("content", [b"", b"\n", b"\r\n\r\n", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_refused(tmp_path, content):
    path = tmp_path / "letter.data"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is empty"):
        read_letters(path)


def test_a_truncated_or_damaged_gzip_file_is_refused(tmp_path):
    path = write(tmp_path / "letter.data.gz", lines_of(random_words()))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="cut short"):
        read_letters(path)
    damaged = bytearray(whole)
    damaged[-6] ^= 1  # in the checksum
    path.write_bytes(damaged)
    with pytest.raises(ValueError, match="damaged"):
        read_letters(path)


def test_plain_text_named_gz_is_refused_and_a_missing_file_is_named(tmp_path):
    path = tmp_path / "letter.data.gz"
    path.write_text("\n".join(lines_of(random_words())))
    with pytest.raises(ValueError, match="not a gzip file"):
        read_letters(path)
    with pytest.raises(ValueError, match="cannot read .*nowhere"):
        read_letters(tmp_path / "nowhere")


def test_a_word_refuses_what_is_not_letter_images():
    images = np.zeros((2, 16, 8), np.uint8)
    with pytest.raises(ValueError, match="3 letters .*2 images"):
        Word("abc", images, 0, 0, "pen")
    with pytest.raises(ValueError, match="source"):
        Word("ab", images, 0, 0, "crayon")
    for bad in (images + 2, images - 0.5, images[:, :8], images[0], images[:0], images * np.nan):
        with pytest.raises(ValueError, match="letter image"):
            Word("", bad, 0, 0, "drawn")


def test_features_are_the_pixels_of_even_rows_and_columns():
    images = np.zeros((2, 16, 8), np.uint8)
    images[0, 2, 4] = images[0, 1, 0] = images[1, 0, 3] = images[1, 14, 6] = 1
    assert downsample(images).shape == (2, 8, 4)
    small = features(images)
    assert small.shape == (2, 32) and small.dtype == np.float32
    assert [list(np.flatnonzero(row)) for row in small] == [[1 * 4 + 2], [7 * 4 + 3]]
    full = features(images, grid="16x8")
    assert [list(np.flatnonzero(row)) for row in full] == [[8, 2 * 8 + 4], [3, 14 * 8 + 6]]
    with pytest.raises(ValueError, match="'4x8': .*8x4, 16x8"):
        features(images, grid="4x8")


def test_folds():
    words = random_words(texts=tuple("abcdefghijkl"), folds=(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1))
    train, test = split(words)
    assert [word.letters for word in test] == ["b", "l"]
    assert len(train) == 10 and all(word.fold != 1 for word in train)
    assert [word.letters for word in fold_words(words, 0)] == ["a", "k"]
    for bad in (10, -1):
        with pytest.raises(ValueError, match="0 to 9"):
            split(words, bad)


def test_without_the_data_the_advice_is_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("RCMVIZ_DATA", str(tmp_path))
    monkeypatch.setattr(registry, "cache_dir", lambda: tmp_path / "cache")
    with pytest.raises(ValueError, match="rcmviz data get ocr.*RCMVIZ_DATA"):
        load_words()
    (tmp_path / "ocr").mkdir()
    write(tmp_path / "ocr" / "letter.data.gz", lines_of(random_words()))
    assert [word.letters for word in load_words()] == ["ommanding", "x", "uzz"]


@pytest.mark.skipif(
    registry.find("ocr") is None, reason="Kassel's words are not here: RCMVIZ_DATA is unset and nothing was fetched"
)
def test_kassels_words():
    words = letter_data.load_words()
    assert len(words) == 6877 and sum(map(len, words)) == 52152
    assert [len(fold_words(words, fold)) for fold in range(10)] == [626, 704, 684, 698, 693, 651, 739, 717, 690, 675]
    assert len({word.letters for word in words}) == 55
    assert [word.index for word in words] == list(range(6877))
