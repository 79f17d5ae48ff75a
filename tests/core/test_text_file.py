"""Text files: encodings and line ends, the same for every reader."""

import gzip
import io

import pytest

import rcmviz as rv
from rcmviz.core.shared import text_file
from rcmviz.core.shared.text_file import decode, lines_of, stream_lines
from rcmviz.ctc_decoding.file import parse_frames, parse_labels
from rcmviz.lm.text import stream_sentences

DATA = "a\u2028b\u2029c\x0bd\x0ce\x1cf\x85g\u00a0h"  # what str.splitlines splits is no line end here
ENDS = ["\n", "\r\n", "\r", "\r\r\n"]


@pytest.mark.parametrize("end", ENDS)
def test_every_line_end_and_nothing_else(end):
    text = f"{DATA}{end}x{end}"
    assert lines_of(decode(text.encode(), "x")) == [DATA, "x"]
    assert list(stream_lines(io.BytesIO(text.encode()), "x", 99)) == [DATA, "x"]


@pytest.mark.parametrize("end", ENDS[:3])
@pytest.mark.parametrize("chunk", range(1, 9))
def test_line_ends_at_every_place_of_a_chunk(monkeypatch, chunk, end):
    monkeypatch.setattr(text_file, "CHUNK", chunk)
    lines = ["the cat", "", "", "sat \u00e9", "é", "on"]
    content = b"\xef\xbb\xbf" + end.join(lines).encode()
    assert list(stream_lines(io.BytesIO(content), "x", 99)) == lines
    with pytest.raises(ValueError, match="x, line 4: byte 0xc3 .*UTF-8"):
        list(stream_lines(io.BytesIO(content.replace(b"sat \xc3\xa9", b"sat \xc3")), "x", 99))
    with pytest.raises(ValueError, match="x, line 4: more than 0 MB"):
        list(stream_lines(io.BytesIO(end.join([*lines[:3], "a" * 30]).encode()), "x", 20))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16le", "utf-16be", "utf-32"])
def test_the_encoding_is_named_where_it_can_be_told(encoding):
    with pytest.raises(ValueError, match=f"^x.*: .*{encoding.upper()}; .* -f {encoding} -t"):
        decode("the cat\n".encode(encoding), "x")
    with pytest.raises(ValueError, match=f"iconv -f {encoding} "):
        list(stream_sentences(io.BytesIO("the cat\n".encode(encoding)), "x"))


def test_a_mark_at_the_edge_of_a_line_is_shown():
    assert decode("\ufeffa\ufeffb\n".encode(), "x") == "a\ufeffb\n"
    for text in ("a" * 99 + "\ufeff", "a\n\ufeff", "a\n\ufeffb", "\ufeff\ufeffa", "a\ufeff\nb"):
        with pytest.raises(ValueError, match=r"x, line \d: '.*ufeff.*'"):
            decode(text.encode(), "x")


@pytest.mark.parametrize("end", ENDS)
def test_other_readers_take_the_same_line_ends(tmp_path, end):
    def written(name, text):
        (tmp_path / name).write_bytes(text.replace("\n", end).encode())
        return tmp_path / name

    problem = written("a.csv", "a,b\n0,-1\n-1,0\n")
    table = written("t.csv", "1,0\n0,1\n")
    assert rv.read_problem(problem, transitions=table).log_emit.tolist() == [[0, -1], [-1, 0]]
    assert rv.read_problem("a,b\n0,-1\n-1,0\n".replace("\n", end)).T == 2
    json = '{"labels": ["a", "b"],\n"order": 1, "windows": [],\n"log_emit": [[1, 0]]}\n'
    assert rv.read_problem(written("a.json", json)).T == 1
    labels = "a\n \n\n".replace("\n", end).encode()
    assert parse_labels(labels, "labels.txt") == ("a", " ", "")
    frames = "a, ,<blank>\n.5,.25,.25\n.25,.5,.25\n".replace("\n", end).encode()
    assert parse_frames(frames, "f.csv").labels == ("a", " ") and len(parse_frames(frames, "f.csv").log_probs) == 2
    assert list(stream_sentences(io.BytesIO(b"the cat\nran\n".replace(b"\n", end.encode())), "x")) == [
        ["the", "cat"],
        ["ran"],
    ]


def test_a_packed_text_where_none_is_read_is_named(tmp_path):
    (tmp_path / "p.json").write_bytes(gzip.compress(b"{}"))
    with pytest.raises(ValueError, match="p.json: .*gunzip"):
        rv.read_problem(tmp_path / "p.json")
