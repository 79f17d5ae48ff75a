"""Runs one test on the package with one edit in it.

A process that has loaded all libraries, and nothing of ours, is forked for every run. The edit reaches Python's import
machinery only, no file is touched. Kernels run without the compiler, on a few random problems.
"""

import gc
import json
import os
import resource
import signal
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path

ROOT = Path(__file__).parents[2]
LONGEST = 4  # seconds of processor time for one test, which takes one or two: some bugs never come to an end
LIBRARIES = ("numpy", "numba", "scipy.stats", "scipy.optimize", "pandas", "joblib", "hypothesis", "pytest",
             "sklearn.linear_model", "sklearn.svm", "pdb", "urllib.request", "graphlib",
             "platformdirs.unix")  # fmt: skip
ENVIRONMENT = {"NUMBA_DISABLE_JIT": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # no test needs a plugin here
# Python's own tracebacks: pytest's look through all modules for the source, a quarter of a run.
OPTIONS = ("-q", "-x", "--tb=native", "-o", "addopts=", "-p", "no:cacheprovider")
# Of the random problems; a bug must be shown by one of those that `make test` draws, and ends its run there.
EXAMPLES, EXAMPLES_WITH_BUG = "0.1", "0.2"


@dataclass(frozen=True)
class Bug:
    """``before`` → ``after`` in ``module``; ``test`` must notice: ``test_file.py::test_name``."""

    name: str
    module: str
    before: str
    after: str
    test: str

    @property
    def source(self):
        """The module with the bug in it; an AssertionError where it can no longer be planted."""
        source = (ROOT / f"{self.module.replace('.', '/')}.py").read_text(encoding="utf-8")
        assert source.count(self.before) == 1, f"{self.module} has changed: plant {self.name!r} anew"
        return source.replace(self.before, self.after)


class Runs:
    """The process that is forked for every run."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-P", __file__], env=os.environ | ENVIRONMENT, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )  # fmt: skip

    def outcome(self, tests, bug=None):
        """(pytest's exit code, what it printed) of some tests on the package, with the bug in it or as it is."""
        json.dump([tests, bug and bug.module, bug and bug.source], self.process.stdin)
        print(file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def close(self):
        """End the process."""
        self.process.communicate()


class Planted(SourceFileLoader):
    """Loads a module from another source than that of its file."""

    def __init__(self, spec, source):
        super().__init__(spec.name, spec.origin)
        self.source = source

    def get_code(self, fullname):
        """The code of that source, never that of the file's cache."""
        return self.source_to_code(self.source, self.path)


class Planter(MetaPathFinder):
    """Finds one module with another source than that of its file."""

    def __init__(self, module, source):
        self.module, self.source = module, source

    def find_spec(self, fullname, path, target=None):
        """As Python's own, but for the loader."""
        if fullname != self.module:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        spec.loader = Planted(spec, self.source)
        return spec


def _serve():
    """Answer every line (tests, module, source) of standard input with a line (exit code, what was printed)."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else is printed is no answer
    for library in LIBRARIES:
        import_module(library)
    import_module("_pytest.config").get_config()  # and what pytest loads as it begins
    _draw_no_constants()
    gc.freeze()  # the libraries' objects are no run's to clear away
    for line in sys.stdin:
        child = os.fork()
        if not child:
            tests, module, source = json.loads(line)
            resource.setrlimit(resource.RLIMIT_CPU, (LONGEST * len(tests),) * 2)
            print(json.dumps(_run(tests, module, source)), file=answers, flush=True)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
            print(json.dumps([1, f"1 failed: no end within {LONGEST} s of CPU for a test"]), file=answers, flush=True)
        elif status:
            print(json.dumps([None, f"the process ended with status {status}"]), file=answers, flush=True)


def _draw_no_constants():
    """Hypothesis takes numbers to try from the source of all that is loaded, anew in every run: a sixth of it."""
    providers = import_module("hypothesis.internal.conjecture.providers")
    providers._get_local_constants = lambda: providers._local_constants


def _run(tests, module, source):
    import contextlib
    import io

    import pytest

    os.environ["RCMVIZ_EXAMPLES"] = EXAMPLES_WITH_BUG if module else EXAMPLES
    if module:
        sys.meta_path.insert(0, Planter(module, source))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = pytest.main([*map(_node, tests), *OPTIONS])
    return int(code), printed.getvalue()


def _node(test):
    file, _, name = test.partition("::")
    (path,) = (ROOT / "tests").rglob(file)
    return f"{path}::{name}"


if __name__ == "__main__":
    _serve()
