"""Kill every writer at random moments and fill its disk at every write: no file is lost, and resumed runs end equally.

    python scripts/kill_and_fill.py [KILLS] [--seed 0] [--json FILE]

*Kill*: a process writes a file again and again, with two alternating contents, and is ended by SIGKILL; then the file
must have one of them completely. Trainings, sweeps and downloads are ended again and again until one completes; its
result is compared bit for bit with an uninterrupted run. *Fill*: the system refuses every write beyond a number of
bytes (RLIMIT_FSIZE, at some places of each file), then the flush, then the renaming; the old file must remain, alone,
and an OSError be raised. Processes are forks of this one, so it runs on Linux and macOS.
"""

import argparse
import errno
import hashlib
import http.server
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import rcmviz as rv
from rcmviz.core.shared.whole_file import write_text
from rcmviz.data import download, registry
from rcmviz.experiments import report
from rcmviz.experiments.cells import run_cells
from rcmviz.learn import trainer as learning

LONGEST = 0.08  # seconds of a writer until it is killed, a random part of it
FILLS = 12  # places of a file at which its disk is full
KEPT, LOST, SILENT = 0, 1, 2  # how a writer ends on a full disk: with an OSError, with another error, with none
LINES = ["the dog ran", "a dog sat", "the cat sat on the mat", "a cat ran to the dog"] * 5


# Files that are written at once


def npz_bytes(path):
    """Return the arrays of a file as bytes, without time stamps."""
    with np.load(path, allow_pickle=False) as arrays:
        return b"".join(name.encode() + arrays[name].tobytes() for name in sorted(arrays))


def writers():
    """Name → (write(path, version 0 or 1), read(path)): ``read`` gives the same bytes for the same content, and fails
    for a damaged file.
    """
    emissions = np.random.default_rng(0).normal(size=(40, 2))
    models = [rv.NgramModel.from_windows("ab", 1, {("a", "b"): float(n)}) for n in (1, 2)]
    runs = [rv.rcms(model, emissions, budget=6) for model in models]
    problems = [rv.Problem(model, emissions, name=f"problem {n}") for n, model in enumerate(models)]
    languages = [rv.train_lm(lines, order=2) for lines in (LINES, LINES[:9])]
    reports = [report.Report("kept", f"# {n}\n" * 5_000, {"rows": [{"n": n}] * 2_000}) for n in (0, 1)]
    return {
        "lattice (JSON)": (lambda path, n: runs[n][0].to_json(path), lambda path: rewrite_json(rv.read_lattice(path))),
        "trace (JSON)": (lambda path, n: runs[n][1].to_json(path), lambda path: rewrite_json(rv.read_trace(path)[1])),
        "problem (JSON)": (lambda path, n: problems[n].to_json(path), lambda path: rewrite_json(rv.read_problem(path))),
        "model (npz)": (lambda path, n: models[n].save(path), npz_bytes),
        "language model (npz)": (lambda path, n: languages[n].save(path), npz_bytes),
        "language model (ARPA)": (lambda path, n: languages[n].write_arpa(path), read_if_valid(rv.read_arpa)),
        "view (HTML)": (lambda path, n: rv.export_html(runs[n][1], runs[n][0], path=path), read_if_valid(whole_page)),
        "report (JSON)": (lambda path, n: report.write(reports[n], path.parent), read_if_valid(read_json)),
        "recorded run (JSON)": (lambda path, n: write_text(path, json.dumps([n] * 30_000)), read_if_valid(read_json)),
    }


def rewrite_json(found):
    """Return the bytes of a value read and written again."""
    return found.to_json().encode()


def read_if_valid(read):
    """The bytes of a file that ``read`` can read."""

    def content(path):
        read(path)
        return path.read_bytes()

    return content


def whole_page(path):
    """Raise ValueError if a page has no end."""
    if not path.read_text(encoding="utf-8").endswith("</html>\n"):
        raise ValueError(f"{path} has no end")


def read_json(path):
    """Return the JSON of a file."""
    return json.loads(path.read_text(encoding="utf-8"))


# Runs that are started, ended and resumed


def resumed_runs():
    """Return name → ``run(folder)``, which resumes from the folder's files and returns its result as bytes."""
    rng = np.random.default_rng(1)
    golds = ["".join(rng.choice(list("abc"), size=8)) for _ in range(12)]
    data = rv.Sequences.from_arrays([rng.normal(size=(8, 3)) for _ in golds], golds, "abc")
    settings = rv.Training(order=2, budget=4, epochs=12)
    specs = [{"order": order, "lines": lines} for order in (1, 2, 3) for lines in range(3, 20)]
    content = rng.bytes(3_000_000)
    server = serve(content)

    def train(folder):
        path = folder / "training.npz"
        trained = rv.Trainer.resume(path, data) if path.exists() else rv.Trainer(data, settings)
        for _ in learning.advance_to_end(trained, 1, path):
            pass
        model = trained.model("f8")
        return b"".join(part.tobytes() for part in (model.keys, model.weights, model.emission))

    def sweep(folder):
        return json.dumps(run_cells(cell, specs, store=folder / "cells.jsonl")).encode()

    def fetch(folder):
        file = registry.DataFile("text.bin", len(content), hashlib.sha256(content).hexdigest(), server)
        known = registry.DataSet("kept", "", (file,), "", "")
        registry._DATASETS, registry.cache_dir = (known,), lambda: folder
        return download.get("kept").read_bytes()

    return {"training": train, "sweep": sweep, "download": fetch}


def cell(spec):
    """A cell of a sweep: a language model, and what it says of a line."""
    model = rv.train_lm(LINES[: spec["lines"]], order=spec["order"])
    time.sleep(0.005)
    return {"log_prob": model.log_prob("dog", "the")}


def serve(content):
    """The address of a server that sends ``content`` slowly, in a process of its own until this one ends."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):  # noqa: N802 (the name that http.server calls)
            start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(content) - start))
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            self.end_headers()
            for place in range(start, len(content), 100_000):
                self.wfile.write(content[place : place + 100_000])
                time.sleep(0.002)

        def handle(self):
            try:
                super().handle()
            except ConnectionError:  # whoever asked was killed
                self.close_connection = True

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        if parent := os.fork():
            SERVERS.append(parent)
            return f"http://127.0.0.1:{server.server_port}/text.bin"
        server.serve_forever()


SERVERS = []


# Processes


def fork_work(work, limit=None):
    """The number of a process that does ``work()``, a code it ends with, while no file may grow beyond ``limit``."""
    child = os.fork()
    if child:
        return child
    code = LOST
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        code = work()
    finally:
        os._exit(code)


def exit_code_of(child):
    """Return the exit code of a process."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_after(seconds, work):
    """Whether a process was still at work when it was killed; the clock runs from its first moment."""
    ready, begun = os.pipe()

    def begin():
        os.write(begun, b".")
        return work()

    child = fork_work(begin)
    os.read(ready, 1)
    os.close(ready), os.close(begun)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return exit_code_of(child) == -signal.SIGKILL


# Trials


def kill_writer(write, read, path, kills, rng):
    """(Kills, those within a write, files that were damaged or gone)."""
    write(path, 1)
    known = {read(path)}
    write(path, 0)
    known.add(read(path))
    found = Counter()

    def over_and_over():
        for n in range(10**9):
            write(path, (n + 1) % 2)
        return KEPT

    for _ in range(kills):
        killed_after(rng.uniform(0, LONGEST), over_and_over)
        parts = [part for part in path.parent.iterdir() if part.name.startswith(".")]
        found.update(kills=1, within=len(parts), lost=0 if is_complete(read, path, known) else 1)
        for part in parts:
            part.unlink()
    return found


def is_complete(read, path, known):
    """Whether a file has one of the contents that are known."""
    try:
        return read(path) in known
    except Exception:  # whatever the reader says of it, it is lost
        return False


def fill_writer(write, read, path, places):
    """(Fills, those after which the old file was not alone and whole, those without an OSError)."""
    write(path, 1)
    sizes = max(part.stat().st_size for part in path.parent.iterdir())
    write(path, 0)
    before, names = read(path), sorted(part.name for part in path.parent.iterdir())
    found = Counter()

    def attempt(broken=None):
        def work():
            if broken:
                setattr(os, broken, refuse)
            try:
                write(path, 1)
            except OSError as error:
                return KEPT if error.errno in (errno.EFBIG, errno.ENOSPC) else LOST
            return SILENT

        return work

    # Files of one writer may differ in size: where the disk is full for none of them, that is no fill.
    limits = sorted({0, 1, *np.linspace(0, min(sizes, path.stat().st_size) - 1, places, dtype=int).tolist()})
    trials = [(attempt(), limit) for limit in limits] + [(attempt(name), None) for name in ("fsync", "replace")]
    for work, limit in trials:
        code = exit_code_of(fork_work(work, limit))
        alone = sorted(part.name for part in path.parent.iterdir()) == names
        found.update(fills=1, silent=int(code != KEPT), spoilt=int(not (alone and is_complete(read, path, {before}))))
    return found


def refuse(*_):
    """Raise the error of a system call on a full disk."""
    raise OSError(errno.ENOSPC, "No space left on device")


def kill_run(run, folder, kills, rng):
    """(Kills, ends that were reached, results that were not the same)."""
    want, seconds = run_uninterrupted(run, folder)
    found, place = Counter(), folder / "killed"

    def work():
        (folder / "result").write_bytes(run(place))
        return KEPT

    while found["kills"] < kills or not found["ends"]:
        place.mkdir(exist_ok=True)
        patience = rng.uniform(0, 0.6 * seconds) if found["kills"] < kills else 10**6
        over = False
        if patience < 10**6:
            over = not killed_after(patience, work)
            found["kills"] += not over
        else:
            over = exit_code_of(fork_work(work)) == KEPT
        if over:
            found.update(ends=1, other=int((folder / "result").read_bytes() != want))
            shutil.rmtree(place)
    return found


def run_uninterrupted(run, folder):
    """Return (result, seconds) of an uninterrupted run, the second one, when all kernels are loaded."""
    for number in (1, 2):
        place = folder / f"whole{number}"
        place.mkdir()
        began = time.monotonic()
        want = run(place)
    return want, time.monotonic() - began


def fill_run(run, folder, places, rng):
    """(Fills, runs that did not end in an OSError, results of those that went on that were not the same)."""
    (folder / "whole").mkdir(parents=True)
    want = run(folder / "whole")
    size = max(file.stat().st_size for file in (folder / "whole").rglob("*") if file.is_file())
    found = Counter()
    for number in range(places):
        place = folder / f"filled{number}"
        place.mkdir()

        def work(place=place):
            try:
                run(place)
            except OSError as error:
                return KEPT if error.errno in (errno.EFBIG, errno.ENOSPC) else LOST
            except download.DownloadError as error:
                return KEPT if "cannot write" in str(error) else LOST
            return SILENT

        code = exit_code_of(fork_work(work, rng.randrange(size)))
        found.update(fills=1, silent=int(code != KEPT), other=int(run(place) != want))
    return found


def trial(kills, fills, seed, report=print):
    """Return ``{"name": counts}`` of ``kills`` kills in all and ``fills`` fills of each file."""
    rng, rows = random.Random(seed), {}
    written, begun = writers(), resumed_runs()
    share = max(1, kills // (2 * len(written)))
    rest = max(0, kills - share * len(written))
    try:
        with tempfile.TemporaryDirectory() as folder:
            for number, (name, (write, read)) in enumerate(written.items()):
                path = Path(folder) / str(number) / "kept.json"
                path.parent.mkdir()
                rows[name] = kill_writer(write, read, path, share, rng)
                rows[name].update(fill_writer(write, read, path, fills))
                report(f"{name}: {counts_line(rows[name])}")
            for number, (name, run) in enumerate(begun.items()):
                place = Path(folder) / f"run{number}"
                place.mkdir()
                mine = rest // len(begun) + (number < rest % len(begun))
                rows[name] = kill_run(run, place, mine, rng)
                rows[name].update(fill_run(run, place / "full", fills, rng))
                report(f"{name}: {counts_line(rows[name])}")
    finally:
        for server in SERVERS:
            os.kill(server, signal.SIGKILL)
            exit_code_of(server)
        SERVERS.clear()
    return rows


def counts_line(counts):
    """Counts as a line."""
    return ", ".join(f"{number} {name}" for name, number in counts.items())


def faults(rows):
    """Return the number of lost, damaged, silent and differing results."""
    return sum(row[name] for row in rows.values() for name in ("lost", "spoilt", "silent", "other"))


def main():
    """Print all counts; the exit code is 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kills", nargs="?", type=int, default=200)
    parser.add_argument("--fills", type=int, default=FILLS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = trial(options.kills, options.fills, options.seed)
    everything = Counter()
    for row in rows.values():
        everything.update(row)
    print(f"in all: {counts_line(everything)}; {faults(rows)} faults")
    if options.json:
        write_text(options.json, json.dumps({"seed": options.seed, "rows": rows}, indent=1) + "\n")
    sys.exit(bool(faults(rows)))


if __name__ == "__main__":
    main()
