"""Install the wheel into a clean environment and run the tutorial's examples, also with a user's CSV.

    python scripts/clean_install.py [WHEEL]

Only the wheel and the tutorial's text are taken from the checkout. The wheel is built if none is given. All caches are
empty, so every package is fetched and every kernel compiled. Prints wall time and CPU time of each step; two minutes
are the limit for all of them.
"""

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENOUGH = 120  # seconds
NEEDS_MORE = "rv.show("  # asks for rcmviz[notebook], which a plain installation has not


def examples(tutorial):
    """The tutorial's Python as one text for doctest, and its shell commands on an own file, a list of scripts."""
    kinds = "python", "sh"
    python, shell = (re.findall(rf"^```{kind}\n(.*?)^```", tutorial, re.DOTALL | re.MULTILINE) for kind in kinds)
    plain = "".join(line for line in "\n".join(python).splitlines(True) if NEEDS_MORE not in line)
    (own,) = [block for block in shell if "<<" in block]
    return plain, re.split(r"^(?=rcmviz )", own, flags=re.MULTILINE)


def run_timed(name, command, folder, environment):
    """Run a command and print what it took; returns its wall time and CPU time in seconds."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    after, took = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - began
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{took:7.1f} s, {busy:5.1f} s of CPU time: {name}", flush=True)
    return took, busy


def main():
    python, commands = examples((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "example.md").write_text(python, encoding="utf-8")
        binaries = folder / "venv" / "bin"
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "RCMVIZ", "NUMBA"))}
        environment = kept | {"XDG_CACHE_HOME": str(folder / "cache"), "PATH": f"{binaries}:{os.environ['PATH']}"}
        pip = "-m", "pip", "--quiet", "--disable-pip-version-check"
        doctest = "-m", "doctest", "-o", "NORMALIZE_WHITESPACE"
        if sys.argv[1:]:
            wheel = "the wheel that is given", ["cp", str(Path(sys.argv[1]).resolve()), "."]
        else:
            wheel = "pip wheel", [sys.executable, *pip, "wheel", "--no-deps", "--wheel-dir", ".", str(ROOT)]
        steps = [
            wheel,
            ("python -m venv", [sys.executable, "-m", "venv", "venv"]),
            ("pip install", ["sh", "-c", f"venv/bin/python {' '.join(pip)} install rcmviz-*.whl"]),
            ("the tutorial's Python", ["venv/bin/python", *doctest, "example.md"]),
            *((command.splitlines()[0], ["sh", "-ec", command]) for command in commands),
        ]
        took = [run_timed(step, command, folder, environment) for step, command in steps]
    total, busy = map(sum, zip(*took, strict=True))
    print(f"{total:7.1f} s, {busy:5.1f} s of CPU time: all; the goal is {ENOUGH} s on an idle machine")
    sys.exit(total > ENOUGH)


if __name__ == "__main__":
    main()
