"""The fuzzer finds nothing in the corpus and fixed seeds of every target, and every reader has a target.

It runs in one child process, where forking and limits do not affect other tests.
"""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.__main__ import main

ROOT = Path(__file__).parents[2]
FEW, COUNT = 4, 60  # inputs of every target besides the corpus; calls are the cheapest and the most various
CALLS = 1_500
READS = ("read_", "parse_", "load", "unpack", "decode_", "word_drawn")  # how readers are called
LEFT_OUT = {  # reads no outside input, or is compiled and called by functions that do
    "rcmviz.experiments",
    "rcmviz.cli",
    "rcmviz.kernels",
    "pages.lessons.facts",
}
OWN = {  # readers of trusted data: downloads with a hash, recordings, a page's state, this process
    "load_words",
    "load_data",
    "load_ipython_extension",
    "load_formatters",
    "load_tagger",
    "load_training",
    "load_dictionary",
    "load",
    "read_edits",
    "read_recording",
    "read_named",
    "decode",
    "read",
    "read_tables",
    "read_with_field",
    "loaded",
}


def run(*arguments):
    command = [sys.executable, "-m", "fuzz", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1_200, check=False)


def python(code):
    command = [sys.executable, "-c", code]
    quiet = os.environ | {"RCMVIZ_QUIET": "1"}  # a kernel that is compiled is no fault of a sample
    return subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True, timeout=1_200, check=False)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the fuzzer forks")
@pytest.mark.parametrize(
    ("target", "count"),
    [("", FEW), pytest.param("", COUNT, marks=pytest.mark.long), pytest.param("calls", CALLS, marks=pytest.mark.long)],
)
def test_nothing_is_found(target, count):
    found = run(*[target] * bool(target), "--count", str(count))
    assert found.returncode == 0, found.stdout + found.stderr


def test_an_input_can_be_used_again(tmp_path, capsys):
    path = tmp_path / "input"
    assert not main(["edits", "--seed", "7", "--keep", str(path)])
    first = capsys.readouterr().out
    assert not main(["edits", "--file", str(path)])
    assert path.read_bytes() and capsys.readouterr().out == first


BAD = """
import os, sys, time
from fuzz import child
from fuzz.target import Target
import numpy as np

def use(content):
    number = int(content)
    if number == 1: os.kill(os.getpid(), 11)
    if number == 2: [0][1]
    if number == 3: np.empty(2 * 10**9, np.uint8).fill(1)
    if number == 4: return [{"a": np.array([1.0, np.nan])}]
    if number == 5:
        while True: pass
    if number == 6: open("/no/such/file")
    if number == 7: raise ValueError("not of ours")
    return 1.0

child.SECONDS = 0.2
target = Target("bad", dict, lambda random, samples: str(int(random.random() * 0)).encode(), use)
tally = child.try_keys(target, range(9), lambda key: str(key).encode())
for verdict, keys in tally.findings.items():
    print(keys, verdict)
print(dict(tally.counts))
"""


def test_verdicts():
    found = python(BAD)
    assert found.stdout.splitlines() == [
        "[1] the process died of SIGSEGV",
        "[2] IndexError, outside",
        "[3] MemoryError, outside",
        "[4] not a number among the answers",
        "[5] more than 0.2 s of CPU time",
        "[7] ValueError, outside",
        "{'ok': 2, 'findings': 6, 'refused': 1}",
    ], found.stderr


def readers():
    """(module, name) of every function, at the top or of a class, that is called as readers are."""
    for path in sorted([*(ROOT / "rcmviz").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if not module.startswith(tuple(LEFT_OUT)):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef) and node.name.startswith(READS) and node.name not in OWN:
                    yield module, node.name


CALLED = """
import sys
import fuzz.targets
from fuzz.target import TARGETS
from fuzz.child import use

called = set()

def note(frame, event, _):
    if event == "call":
        called.add((frame.f_globals.get("__name__", ""), frame.f_code.co_name))

refused = []
for target in TARGETS.values():
    for name, content in target.samples().items():
        if target.name != "calls" or content.startswith((b"rv.load", b"rv.read")) or b".load(" in content:
            sys.setprofile(note)
            _, _, verdict = use(target, content)
            sys.setprofile(None)
            refused += [f"{target.name}, {name}: {verdict}"] * (verdict != "ok")
print(*refused, sep="\\n", file=sys.stderr)
for module, name in sorted(called):
    print(module, name)
"""


def test_every_reader_is_a_targets():
    found = python(CALLED)
    assert found.returncode == 0 and not found.stderr.strip(), f"samples that are refused: {found.stderr}"
    called = {tuple(line.split()) for line in found.stdout.splitlines()}
    missing = sorted(set(readers()) - called)
    assert missing == [], "a reader without a target: give it one in fuzz/targets (docs/contributing.md)"
