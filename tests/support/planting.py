"""Runs one test on the package with one edit in it.

A process that has loaded the libraries, the package and the tests is forked for every run. There the functions that the
edit changes take their new code, wherever they have been imported; no file is touched. Kernels run without the
compiler, on a few random problems.
"""

import gc
import inspect
import json
import os
import resource
import signal
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType

ROOT = Path(__file__).parents[2]
LONGEST = 4  # seconds of processor time for one test, which takes one or two: some bugs never come to an end
ENVIRONMENT = {"NUMBA_DISABLE_JIT": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # no test needs a plugin here
# Python's own tracebacks: pytest's look through all modules for the source, a quarter of a run.
OPTIONS = ("-q", "-x", "--tb=native", "-o", "addopts=", "-p", "no:cacheprovider")
# Of the random problems; a bug must be shown by one of those that `make test` draws, and ends its run there.
EXAMPLES, EXAMPLES_WITH_BUG = "0.1", "0.2"


@dataclass(frozen=True)
class Bug:
    """An edit ``before`` → ``after`` in ``module`` that ``test`` (``test_file.py::test_name``) must detect."""

    name: str
    module: str
    before: str
    after: str
    test: str

    @property
    def source(self):
        """The module with the bug in it; an AssertionError where it can no longer be planted."""
        source = _file(self.module).read_text(encoding="utf-8")
        assert source.count(self.before) == 1, f"{self.module} has changed: plant {self.name!r} again"
        return source.replace(self.before, self.after)


class Runs:
    """The process that is forked for every run, of the tests in these files with edits in these modules."""

    def __init__(self, files, modules):
        self.process = subprocess.Popen(
            [sys.executable, "-P", __file__, *files, *modules],
            env=os.environ | ENVIRONMENT,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def outcome(self, tests, bug=None):
        """(pytest's exit code, what it printed) of some tests on the package, with the bug in it or as it is."""
        json.dump([tests, bug and bug.module, bug and bug.source], self.process.stdin)
        print(file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def close(self):
        """End the process."""
        self.process.communicate()


def _serve(files, modules):
    """Answer every line (tests, module, source) of standard input with a line (exit code, what was printed)."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else is printed is no answer
    functions = _load(files, modules)
    for line in sys.stdin:
        child = os.fork()
        if not child:
            tests, module, source = json.loads(line)
            resource.setrlimit(resource.RLIMIT_CPU, (LONGEST * len(tests),) * 2)
            if module:
                _plant(module, source, functions)
            else:
                _forget(files)
            print(json.dumps(_run(tests)), file=answers, flush=True)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
            print(json.dumps([1, f"1 failed: no end within {LONGEST} s of CPU for a test"]), file=answers, flush=True)
        elif status:
            print(json.dumps([None, f"the process ended with status {status}"]), file=answers, flush=True)


def _load(files, modules):
    """Load these, and what the package loads on first use; all functions, by file and qualified name."""
    paths = [_found(file) for file in files]
    sys.path[:0] = map(str, {ROOT: None, ROOT / "tests": None} | {path.parent: None for path in paths})
    os.environ["RCMVIZ_EXAMPLES"] = EXAMPLES_WITH_BUG
    for name in ("conftest", *(path.stem for path in paths), *modules, "pdb"):
        import_module(name)
    package = import_module("rcmviz")
    for name in dir(package):
        getattr(package, name)
    import_module("_pytest.config").get_config()  # and what pytest loads as it begins
    functions = defaultdict(list)
    for function in gc.get_objects():
        if isinstance(function, FunctionType):
            functions[function.__code__.co_filename, function.__code__.co_qualname].append(function)
    gc.freeze()  # nothing of this is a run's to clear away
    return functions


def _forget(files):
    """Drop test modules, so that they are loaded again without a bug, for fewer problems."""
    os.environ["RCMVIZ_EXAMPLES"] = EXAMPLES
    for file in files:
        del sys.modules[Path(file).stem]


def _plant(module, source, functions):
    """Give all functions of a module the code that this source has for them."""
    file = str(_file(module))
    before, after = (compile(text, file, "exec") for text in (_file(module).read_bytes(), source))
    assert _outside(before) == _outside(after), f"{module}: code outside of functions has run already"
    for code in _defined(after):
        for function in functions[file, code.co_qualname]:
            function.__code__ = code


def _defined(code):
    """The codes of the functions and methods that a module's or a class's code defines."""
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from [part] if _is_function(part) else _defined(part)


def _is_function(code):
    return code.co_flags & inspect.CO_OPTIMIZED and not code.co_name.startswith("<")


def _outside(code):
    """What a module's or a class's code does but for the functions that it defines, wherever its lines stand."""
    inner = [part for part in code.co_consts if isinstance(part, CodeType)]
    others = [part for part in code.co_consts if not isinstance(part, CodeType)]
    run = [part.co_qualname if _is_function(part) else _outside(part) for part in inner]
    return code.co_code, code.co_names, others, run


def _run(tests):
    import contextlib
    import io

    import pytest

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = pytest.main([*map(_node, tests), *OPTIONS])
    return int(code), printed.getvalue()


def _node(test):
    file, _, name = test.partition("::")
    return f"{_found(file)}::{name}"


def _found(file):
    (path,) = (ROOT / "tests").rglob(file)
    return path


def _file(module):
    return ROOT / f"{module.replace('.', '/')}.py"


if __name__ == "__main__":
    _serve(*([name for name in sys.argv[1:] if name.endswith(".py") == is_file] for is_file in (True, False)))
