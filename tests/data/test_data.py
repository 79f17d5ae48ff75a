"""The registry of data sets and downloads, from a local server that misbehaves on request."""

import gzip
import hashlib
import http.server
import socket
import threading
import tracemalloc
import urllib.request
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from rcmviz.data import download, registry
from rcmviz.data.download import DownloadError, get
from rcmviz.data.registry import DataFile, content_sha256, find, list_datasets, need, records_sha256


def letter_lines(words=(("ommanding", 0), ("uzz", 1), ("axi", 9)), seed=0, first_id=1):
    rng, lines, number = np.random.default_rng(seed), [], first_id
    for index, (word, fold) in enumerate(words):
        for position, letter in enumerate(word, start=1):
            following = -1 if position == len(word) else number + 1
            pixels = "\t".join(map(str, rng.integers(0, 2, 128)))
            lines.append(f"{number}\t{letter}\t{following}\t{index}\t{position}\t{fold}\t{pixels}\t\n")
            number += 1
    return lines


def packed(lines):
    return gzip.compress("".join(lines).encode(), mtime=0)


CONTENT = packed(letter_lines())


class Handler(http.server.BaseHTTPRequestHandler):
    """Sends ``server.content`` in the way of ``server.behaviour``, and records the requested ranges."""

    def log_message(self, *args):
        pass

    def do_GET(self):  # noqa: N802 (the name that http.server calls)
        server, asked = self.server, self.headers.get("Range")
        server.asked.append(asked)
        getattr(self, server.behaviour)(server.content, asked)

    def send(self, status, body, **headers):
        self.send_response(status)
        for name, value in {"Content_Length": len(body), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def good(self, content, asked):
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        if not asked:
            self.send(200, content)
        elif start >= len(content):
            self.send(416, b"", Content_Range=f"bytes */{len(content)}")
        else:
            self.send(206, content[start:], Content_Range=f"bytes {start}-{len(content) - 1}/{len(content)}")

    def fails_half_way(self, content, asked):
        if len(self.server.asked) > 1:
            return self.good(content, asked)
        self.send(200, content[: len(content) // 2], Content_Length=len(content))

    def fails_ever_further(self, content, asked):
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        stop = min(start + len(content) // 9, len(content))
        headers = {"Content_Range": f"bytes {start}-{len(content) - 1}/{len(content)}"} if asked else {}
        self.send(206 if asked else 200, content[start:stop], Content_Length=len(content) - start, **headers)

    def promises_too_much(self, content, asked):
        self.send(200, content, Content_Length=len(content) + 1000)

    def promises_too_little(self, content, asked):
        self.send(200, content, Content_Length=len(content) - 100)

    def knows_no_range(self, content, asked):
        self.send(200, content)

    def resets_half_way(self, content, asked):
        if len(self.server.asked) > 1:
            return self.good(content, asked)
        self.send(200, content[: len(content) // 2], Content_Length=len(content))
        self.wfile.flush()
        # With a linger time of zero, closing sends a reset instead of an end.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")

    def no_length(self, content, asked):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(content)
        self.close_connection = True

    def busy_then_good(self, content, asked):
        if len(self.server.asked) <= 2:
            return self.send(503, b"later")
        self.good(content, asked)

    def never_ends(self, content, asked):
        """Send until the client disconnects."""
        self.send_response(200)
        self.end_headers()
        try:
            while True:
                self.wfile.write(content)
                self.server.sent += len(content)
        except OSError:
            self.close_connection = True

    def promises_gigabytes(self, content, asked):
        self.send(200, content, Content_Length=3_000_000_000)

    def leads_elsewhere(self, content, asked):
        self.send(302, b"", Location=self.server.elsewhere)

    def not_here(self, content, asked):
        self.send(404, b"gone")


@contextmanager
def serving(behaviour, content=CONTENT):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.behaviour, server.content, server.asked, server.sent = behaviour, content, [], 0
    server.url = f"http://127.0.0.1:{server.server_port}/letter.data.gz"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, a registry whose data set is CONTENT, no waiting; the folder where the file would be."""
    original = tmp_path / "original.gz"
    original.write_bytes(CONTENT)
    ocr = registry.dataset_named("ocr")
    file = replace(ocr.files[0], size=len(CONTENT), sha256=records_sha256(original), unpacked=100_000)
    tiny = replace(ocr, files=(file,))
    monkeypatch.setattr(registry, "_DATASETS", (tiny,))
    monkeypatch.setattr(registry, "cache_dir", lambda: tmp_path / "cache")
    monkeypatch.setattr(download, "PAUSE_SECONDS", 0.0)
    monkeypatch.delenv("RCMVIZ_DATA", raising=False)
    return tmp_path / "cache" / "ocr"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_download_gets_its_name_and_is_found(cache):
    seen = []
    assert find("ocr") is None
    with serving("good") as server:
        path = get("ocr", server.url, on_progress=lambda done, total: seen.append((done, total)))
        assert get("ocr", server.url) == path == find("ocr")
    assert server.asked == [None]  # the second time nothing is fetched
    assert path.read_bytes() == CONTENT and names(cache) == ["letter.data.gz"]
    assert seen[-1] == (len(CONTENT), len(CONTENT)) and seen == sorted(seen)


def test_failing_half_way_resumes_from_there(cache):
    with serving("fails_half_way") as server:
        path = get("ocr", server.url)
    assert server.asked == [None, f"bytes={len(CONTENT) // 2}-"]
    assert path.read_bytes() == CONTENT and names(cache) == ["letter.data.gz"]


def test_a_reset_connection_is_tried_again(cache):
    with serving("resets_half_way") as server:
        assert get("ocr", server.url).read_bytes() == CONTENT
    assert len(server.asked) == 2


def test_attempts_that_get_further_do_not_count(cache):
    with serving("fails_ever_further") as server:
        assert get("ocr", server.url).read_bytes() == CONTENT
    assert len(server.asked) > download.ATTEMPTS


def test_a_partial_download_is_resumed(cache):
    cache.mkdir(parents=True)
    (cache / "letter.data.gz.part").write_bytes(CONTENT[:70])
    with serving("good") as server:
        assert get("ocr", server.url).read_bytes() == CONTENT
    assert server.asked == ["bytes=70-"]


def test_a_part_that_is_whole_is_taken(cache):
    cache.mkdir(parents=True)
    (cache / "letter.data.gz.part").write_bytes(CONTENT)
    with serving("good") as server:
        assert get("ocr", server.url).read_bytes() == CONTENT
    assert server.asked == [f"bytes={len(CONTENT)}-"]


def test_a_partial_download_longer_than_the_file_is_restarted(cache):
    cache.mkdir(parents=True)
    (cache / "letter.data.gz.part").write_bytes(CONTENT + b"more")
    with serving("good") as server:
        assert get("ocr", server.url).read_bytes() == CONTENT
    assert server.asked == [f"bytes={len(CONTENT) + 4}-", None]


def test_a_server_without_ranges_sends_it_whole(cache):
    cache.mkdir(parents=True)
    (cache / "letter.data.gz.part").write_bytes(b"x" * 70)
    with serving("knows_no_range") as server:
        assert get("ocr", server.url).read_bytes() == CONTENT
    assert server.asked == ["bytes=70-"]


def test_a_server_that_sends_no_length(cache):
    seen = []
    with serving("no_length") as server:
        assert get("ocr", server.url, lambda done, total: seen.append((done, total))).read_bytes() == CONTENT
    assert seen[-1] == (len(CONTENT), len(CONTENT))


def test_a_busy_server_is_retried(cache):
    with serving("busy_then_good") as server:
        assert get("ocr", server.url).read_bytes() == CONTENT
    assert len(server.asked) == 3


def test_a_server_that_promises_too_much_is_given_up(cache):
    promised = f"promised {len(CONTENT) + 1000} bytes and broke off"
    with serving("promises_too_much") as server, pytest.raises(DownloadError, match=promised):
        get("ocr", server.url)
    assert download.ATTEMPTS <= len(server.asked) <= download.ATTEMPTS + 1
    assert names(cache) == ["letter.data.gz.part"] and find("ocr") is None


@pytest.mark.parametrize(
    ("behaviour", "said"), [("never_ends", "does not end"), ("promises_gigabytes", "promises 3,000,000,000 bytes")]
)
def test_no_more_is_fetched_than_a_copy_has(cache, behaviour, said):
    piece = CONTENT * (download.CHUNK // len(CONTENT))
    with serving(behaviour, piece) as server, pytest.raises(DownloadError, match=f"{said}, .* has 100,000 at most"):
        get("ocr", server.url)
    assert server.asked == [None] and names(cache) == []
    assert server.sent < 30_000_000  # what lies in the buffers of both sides


def test_an_endless_archive_is_refused(cache):
    bomb = gzip.compress(bytes(50_000_000))
    assert len(bomb) < 100_000
    with serving("good", bomb) as server, pytest.raises(DownloadError, match="not the data set 'ocr'"):
        get("ocr", server.url)
    packed, most = cache / "letter.data.gz.rejected", 1_000_000
    found, peak = with_peak(lambda: records_sha256(packed, most))
    assert found == content_sha256(packed, most) == "unreadable" and peak < 8 * most


def with_peak(call):
    """Return a call's result and its peak memory."""
    tracemalloc.start()
    try:
        return call(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_part_that_is_too_large_is_of_another_file(cache):
    cache.mkdir(parents=True)
    (cache / "letter.data.gz.part").write_bytes(bytes(100_001))
    with serving("good") as server:
        assert get("ocr", server.url).read_bytes() == CONTENT
    assert server.asked == [None]


@pytest.mark.parametrize("elsewhere", ["ftp://127.0.0.1/x", "file:///etc/passwd"])
def test_a_server_leads_to_web_addresses_only(cache, elsewhere):
    with serving("leads_elsewhere") as server:
        server.elsewhere = elsewhere
        with pytest.raises(DownloadError, match="not followed|302"):
            get("ocr", server.url)
    assert find("ocr") is None


def test_https_leads_to_https_only():
    request = urllib.request.Request("https://example.org/letter.data.gz")
    with pytest.raises(DownloadError, match="'http://example.org/x'"):
        download._Redirects().redirect_request(request, None, 302, "Found", {}, "http://example.org/x")


def test_cached_files_are_checked_before_use(cache):
    with serving("good") as server:
        path = get("ocr", server.url)
    assert need("ocr") == path
    path.write_bytes(packed(letter_lines(seed=1)))
    with pytest.raises(ValueError, match="letter.data.gz .*remove it"):
        need("ocr")


def test_a_server_that_promises_too_little_is_noticed(cache):
    with serving("promises_too_little") as server, pytest.raises(DownloadError, match="not the data set 'ocr'"):
        get("ocr", server.url)
    assert names(cache) == ["letter.data.gz.rejected"]


@pytest.mark.parametrize(
    "content", [b"<html>sign in</html>", packed(letter_lines(seed=1)), packed(letter_lines()[:-3]), b"\x1f\x8b"]
)
def test_a_wrong_file_is_set_aside(cache, content):
    with serving("good", content) as server:
        with pytest.raises(DownloadError, match="letter.data.gz.rejected"):
            get("ocr", server.url)
        assert (cache / "letter.data.gz.rejected").read_bytes() == content
        assert names(cache) == ["letter.data.gz.rejected"] and find("ocr") is None
        server.content = CONTENT
        assert get("ocr", server.url).read_bytes() == CONTENT


def test_refused_connections_and_missing_files_say_so(cache):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/letter.data.gz"
    with pytest.raises(DownloadError, match="refused.*RCMVIZ_DATA/ocr/letter.data.gz"):
        get("ocr", url)
    with serving("not_here") as server, pytest.raises(DownloadError, match="404.*by hand"):
        get("ocr", server.url)
    assert server.asked == [None]


def test_an_unwritable_cache_is_reported(cache):
    cache.parent.write_text("a file where a folder should be")
    fault = "cannot write .*letter.data.gz.part.* set XDG_CACHE_HOME to a folder that can be written"
    with serving("good") as server, pytest.raises(DownloadError, match=fault):
        get("ocr", server.url)


def test_a_full_disk_is_reported(cache):
    cache.mkdir(parents=True)
    try:
        (cache / "letter.data.gz.part").symlink_to("/dev/full")
        with open("/dev/full", "wb", buffering=0) as full:
            full.write(b"x")
    except (NotImplementedError, FileNotFoundError):
        pytest.skip("this system has no /dev/full")
    except OSError:
        pass
    with serving("good") as server, pytest.raises(DownloadError, match="cannot write .*No space left"):
        get("ocr", server.url)


def test_invalid_names_and_addresses_are_refused(cache):
    for asked in (find, get):
        with pytest.raises(ValueError, match="'orc': .*ocr"):
            asked("orc")
    with pytest.raises(DownloadError, match="https"):
        get("ocr", "file:///etc/passwd")


def test_rcmviz_data_comes_before_the_cache(cache, tmp_path, monkeypatch):
    for folder in (cache, tmp_path / "own" / "ocr"):
        folder.mkdir(parents=True)
        (folder / "letter.data.gz").write_bytes(CONTENT)
    assert find("ocr") == cache / "letter.data.gz"
    monkeypatch.setenv("RCMVIZ_DATA", str(tmp_path / "own"))
    assert find("ocr") == tmp_path / "own" / "ocr" / "letter.data.gz"
    (tmp_path / "own" / "ocr" / "letter.data.gz").rename(tmp_path / "own" / "ocr" / "letter.data")
    assert find("ocr") == tmp_path / "own" / "ocr" / "letter.data", "an unpacked file counts too"
    (tmp_path / "own" / "ocr" / "letter.data").unlink()
    assert find("ocr") == cache / "letter.data.gz"


def fingerprint(tmp_path, lines):
    path = tmp_path / "letters.gz"
    path.write_bytes(packed(lines))
    return records_sha256(path)


def test_the_fingerprint_ignores_ids_and_order_and_nothing_else(tmp_path):
    lines = letter_lines()
    same = fingerprint(tmp_path, lines)
    assert fingerprint(tmp_path, lines[::-1]) == same
    assert fingerprint(tmp_path, letter_lines(first_id=500)) == same
    words = [lines[:9], lines[9:12], lines[12:]]
    renumbered = [line.split("\t") for word in (words[2], words[0], words[1]) for line in word]
    for number, fields in enumerate(renumbered, start=1):
        fields[0], fields[2] = str(number), "-1" if fields[2] == "-1" else str(number + 1)
    assert fingerprint(tmp_path, ["\t".join(fields) for fields in renumbered]) == same
    assert fingerprint(tmp_path, [line.replace("\r", "").replace("\t\n", "\r\n") for line in lines]) == same
    for column, value in ((1, "z"), (2, "-1"), (5, "7"), (6, None), (133, None)):
        fields = lines[4].split("\t")
        fields[column] = value or str(1 - int(fields[column]))
        assert fingerprint(tmp_path, [*lines[:4], "\t".join(fields), *lines[5:]]) != same
    assert fingerprint(tmp_path, lines[:-1]) != same
    assert fingerprint(tmp_path, [*lines, *lines[:1]]) != same
    unfinished = "\t".join(["900", "q", "901", "9", "1", "0"] + ["0"] * 128) + "\n"
    assert fingerprint(tmp_path, [*lines, unfinished]) != same
    assert fingerprint(tmp_path, ["no letters"]) == "unreadable"


def test_the_registry_is_complete():
    for dataset in list_datasets():
        assert dataset.licence and dataset.citation and dataset.size > 0
        assert all(file.url is None or file.url.startswith("https://") for file in dataset.files)
        for file in dataset.files:
            assert file.url.startswith("http") if file.url else "https://" in dataset.by_hand
            assert len(file.sha256) == len(hashlib.sha256().hexdigest())


TEXTS = {"train.txt": b"the cat\n" * 400, "dev.txt": b"a dog\n" * 300}


@contextmanager
def two_files(cache, monkeypatch):
    """The registry with a data set of two files, each served by a server of its own."""
    with serving("good", TEXTS["train.txt"]) as train, serving("good", TEXTS["dev.txt"]) as dev:
        files = tuple(
            DataFile(name, len(text), hashlib.sha256(text).hexdigest(), server.url)
            for (name, text), server in zip(TEXTS.items(), (train, dev), strict=True)
        )
        both = replace(registry.dataset_named("ocr"), name="both", files=files)
        monkeypatch.setattr(registry, "_DATASETS", (both,))
        yield train, dev


def test_a_data_set_of_two_files_comes_as_one(cache, monkeypatch):
    seen = []
    with two_files(cache, monkeypatch) as servers:
        path = get("both", on_progress=lambda done, total: seen.append((done, total)))
        assert get("both") == path
        assert [len(server.asked) for server in servers] == [1, 1]
    assert path == find("both") == cache.parent / "both" / "train.txt"
    assert need("both", "dev.txt").read_bytes() == TEXTS["dev.txt"]
    whole = sum(map(len, TEXTS.values()))
    assert seen == sorted(seen) and seen[-1] == (whole, whole) and {total for _, total in seen} == {whole}


def test_only_the_missing_file_is_fetched(cache, monkeypatch):
    with two_files(cache, monkeypatch) as (train, dev):
        get("both")
        need("both", "dev.txt").unlink()
        with pytest.raises(ValueError, match="run `rcmviz data get both`"):
            need("both", "dev.txt")
        get("both")
        assert (len(train.asked), len(dev.asked)) == (1, 2)
        with pytest.raises(DownloadError, match="both has 2 files"):
            get("both", train.url)
        with pytest.raises(ValueError, match="'test.txt': .*train.txt, dev.txt"):
            find("both", "test.txt")


def test_packed_copies_count_and_have_the_same_fingerprint(cache, tmp_path, monkeypatch):
    text = TEXTS["train.txt"]
    with two_files(cache, monkeypatch):
        monkeypatch.setenv("RCMVIZ_DATA", str(tmp_path / "own"))
        packed = tmp_path / "own" / "both" / "train.txt.gz"
        packed.parent.mkdir(parents=True)
        packed.write_bytes(gzip.compress(text))
        assert find("both") == packed and find("both", "train.txt.gz") == packed
    assert content_sha256(packed) == hashlib.sha256(text).hexdigest()
    packed.write_bytes(gzip.compress(text)[:-9])
    assert content_sha256(packed) == "unreadable"


def test_unserved_files_are_explained(cache, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(registry, "cache_dir", lambda: cache.parent)
    monkeypatch.delenv("RCMVIZ_DATA", raising=False)
    message = r"cannot be fetched as one file: take fra-eng.zip .* put it at \$RCMVIZ_DATA/tatoeba/eng.txt.gz"
    with pytest.raises(DownloadError, match=message):
        get("tatoeba")


FILES = [(dataset.name, file) for dataset in list_datasets() for file in dataset.files]


@pytest.mark.parametrize(("name", "file"), FILES, ids=[f"{name}/{file.filename}" for name, file in FILES])
def test_the_pinned_fingerprint_is_that_of_the_file(name, file):
    path = find(name, file.filename)
    if path is None:
        pytest.skip(f"{name}/{file.filename} is not here: RCMVIZ_DATA is unset and nothing was fetched")
    assert file.is_sound(path)
