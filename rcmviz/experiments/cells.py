"""Many independent runs of one function: over processes or a cluster, resumable, a failure spoils one cell only.

A *cell* is a pure function of a *spec*, a dict that JSON can write, and returns such a dict: so it is the same number
wherever it runs, and it can be kept. joblib does the running: ``loky`` processes here, ``dask`` elsewhere.
"""

import json
import os
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

from joblib import Parallel, delayed, parallel_config

BEGINNING = b'{"key": '  # of every line of a store
BACKENDS = "loky", "threading", "dask"


def run_cells(cell, specs, *, store=None, jobs=1, backend="loky", scheduler=None, version="", done=None):
    """``cell(spec)`` for every spec → the results in their order; a cell that fails is ``{"error": message}``.

    ``cell`` an importable function · ``store`` a file of JSON lines: finished cells are appended, those found are
    not run again (same spec, same ``version``); failures are not kept · ``jobs`` at once (a cluster uses all it has) ·
    ``backend`` one of ``BACKENDS`` · ``scheduler`` of Dask, as ``tcp://host:8786`` · ``done(spec, result)`` is called
    for each, found ones first.
    ValueError where the cluster does not answer or the store cannot be read.

    >>> run_cells(dict.copy, [{"seed": 0}, {"seed": 1}])
    [{'seed': 0}, {'seed': 1}]
    """
    specs = list(specs)
    keys = [_key(spec, version) for spec in specs]
    by_key, stored = dict(zip(keys, specs, strict=True)), _stored(store)
    results = {key: stored[key] for key in by_key if key in stored}
    for key, result in results.items():
        _report(done, by_key[key], result)
    missing = {key: spec for key, spec in by_key.items() if key not in results}
    for key, result in _run_all(cell, missing, jobs, backend, scheduler):
        results[key] = result
        if store is not None and "error" not in result:
            _append(store, {"key": key, "spec": by_key[key], "result": result})
        _report(done, by_key[key], result)
    return [results[key] for key in keys]


def _key(spec, version):
    return json.dumps([version, spec], sort_keys=True)


def _report(done, spec, result):
    if done is not None:
        done(spec, result)


def _run_all(cell, specs, jobs, backend, scheduler):
    """(key, result) as they come; where the workers break down, an error for every cell that is left."""
    if not specs:
        return
    left = dict(specs)
    with _workers(backend, scheduler):
        calls = (delayed(_attempt)(cell, key, spec) for key, spec in specs.items())
        try:
            with closing(Parallel(n_jobs=jobs, return_as="generator_unordered")(calls)) as finished:
                for key, result in finished:
                    del left[key]
                    yield key, result
        except RuntimeError as error:  # joblib's and Dask's for a worker that was killed
            lost = {"error": f"its worker ended before it did: {str(error).splitlines()[0]}"}
            yield from ((key, lost) for key in left)


def _attempt(cell, key, spec):
    """The result as JSON would give it back, so that a stored one is the same as a fresh one."""
    try:
        return key, json.loads(json.dumps(cell(spec)))
    except Exception as error:  # other cells continue, and the table reports it
        return key, {"error": f"{type(error).__name__}: {error}"}


@contextmanager
def _workers(backend, scheduler):
    if backend not in BACKENDS:
        raise ValueError(f"backend {backend!r}: write one of {', '.join(BACKENDS)}")
    if scheduler is None and backend == "dask":
        raise ValueError("Dask needs a scheduler: start one, dask scheduler, and name it, tcp://host:8786")
    if scheduler is not None and backend != "dask":
        raise ValueError(f"a scheduler belongs to Dask: write backend='dask', not {backend!r}")
    with client_of(scheduler) as client:
        try:
            chosen = parallel_config(backend=backend, **({} if client is None else {"client": client}))
        except (ImportError, ValueError) as error:
            raise ValueError(f"backend {backend!r}: {str(error).splitlines()[0]}") from None
        with chosen:
            yield


def client_of(scheduler):
    """A context: the client of a Dask cluster, None where no scheduler is named; ValueError where none answers."""
    if scheduler is None:
        return nullcontext()
    try:
        from distributed import Client
    except ImportError:
        raise ValueError("Dask is not installed: pip install 'rcmviz[cluster]'") from None
    try:
        return Client(scheduler, set_as_default=False, timeout="10s")
    except (OSError, ValueError) as error:
        raise ValueError(f"no Dask scheduler answers at {scheduler} ({error}); start one: dask scheduler") from None


def _stored(path):
    """The results of a store by key; what a crash left of its last line is cut off, ValueError for any other line.

    It is opened to be written, so that OSError comes now and not after the first cell.
    """
    if path is None:
        return {}
    with open(path, "ab"):
        pass
    *lines, rest = Path(path).read_bytes().split(b"\n")
    results = dict(_entry(path, number, line) for number, line in enumerate(lines, start=1))
    if rest[: len(BEGINNING)] != BEGINNING[: len(rest)]:
        raise _error_result(path, len(lines) + 1)
    os.truncate(path, Path(path).stat().st_size - len(rest))
    return results


def _entry(path, number, line):
    try:
        entry = json.loads(line)
        return entry["key"], entry["result"]
    except (ValueError, KeyError, TypeError):
        raise _error_result(path, number) from None


def _error_result(path, number):
    return ValueError(f"{path}, line {number}: not a result; remove the line, or name another file")


def _append(path, entry):
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
        file.flush()
        os.fsync(file.fileno())  # hours of work: it survives the machine too
