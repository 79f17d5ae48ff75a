"""Provenance of results: version, commit, command, seeds, date and machine. Every results file carries it."""

import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from joblib import cpu_count

import rcmviz
from rcmviz.core.shared.wording import counted

CHECKOUT = Path(__file__).parents[2]
NO_COMMIT = "commit unknown (not a Git checkout)"
DIRTY = "with uncommitted changes"


def provenance(command: str, *, quick: bool, seeds: Iterable[int] = ()) -> dict:
    """The record of the run that made a result, ready for JSON.

    ``command`` that makes it again · ``quick`` or full · ``seeds`` that were used, empty if none can be chosen.
    ``load`` is that of the machine when the run ended: how many processes wanted to run.
    """
    packages = {name: version(name) for name in ("numpy", "numba", "scipy")}
    return {
        "run": "quick" if quick else "full",
        "command": command,
        "seeds": sorted(set(seeds)),
        "version": rcmviz.__version__,
        **commit_of(CHECKOUT),
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        **packages,
        "machine": machine(),
        "cores": cpu_count(),
        "load": [round(load, 2) for load in os.getloadavg()] if hasattr(os, "getloadavg") else None,
    }


def provenance_line(origin: Mapping) -> str:
    """The provenance as the line that stands below the title of a result in Markdown.

    >>> origin = {"run": "quick", "command": "rcmviz reproduce table2", "seeds": [0, 1], "version": "0.2.0",
    ...           "commit": "2ea9cda", "dirty": True, "date": "2026-11-27", "machine": "x86_64", "cores": 2}
    >>> print(provenance_line(origin).replace("; ", ";\\n"))
    **Quick run** (`rcmviz reproduce table2`, seeds 0 and 1). rcmviz 0.2.0, commit 2ea9cda with uncommitted changes;
    2026-11-27, x86_64, 2 cores.
    """
    kind = "**Quick run**" if origin["run"] == "quick" else "Full run"
    commit = f"commit {origin['commit']}" if origin["commit"] else NO_COMMIT
    if origin["dirty"]:
        commit += f" {DIRTY}"
    cores = counted(origin["cores"], "core")
    text = (
        f"{kind} (`{origin['command']}`, {_seeds(origin['seeds'])}). rcmviz {origin['version']}, {commit}; "
        f"{origin['date']}, {origin['machine']}, {cores}."
    )
    return f"{text} {origin['note']}" if "note" in origin else text


def _seeds(seeds):
    if not seeds:
        return "no seed to choose"
    if len(seeds) > 2 and list(seeds) == list(range(seeds[0], seeds[-1] + 1)):
        return f"seeds {seeds[0]}–{seeds[-1]}"
    listed = ", ".join(map(str, seeds[:-1]))
    return f"seeds {listed} and {seeds[-1]}" if listed else f"seed {seeds[-1]}"


def seeds_of(specs: Iterable[Mapping]) -> list[int]:
    """The seeds that the specs of an experiment name.

    >>> seeds_of([{"training": {"seed": 3}}, {"seed": 1}, {"seeds": 2}, {"data": "kassel"}])
    [0, 1, 3]
    """
    found: set[int] = set()
    for spec in specs:
        settings = spec.get("training") or spec.get("settings") or spec
        if "seeds" in settings:
            found |= set(range(settings["seeds"]))
        elif "seed" in settings:
            found.add(settings["seed"])
    return sorted(found)


def commit_of(folder: Path) -> dict:
    """``{"commit": abbreviated, "dirty": whether anything but results differs from it}`` of a checkout of rcmviz.

    ``commit`` is None where the sources are in no checkout of their own, as in an installed package.
    """
    try:
        own = _git(folder, "ls-files", "rcmviz/__init__.py")
        if not own:
            return {"commit": None, "dirty": False}
        changed = _git(folder, "status", "--porcelain", "--", ".", ":(exclude)results")
        return {"commit": _git(folder, "rev-parse", "--short", "HEAD"), "dirty": bool(changed)}
    except (OSError, subprocess.SubprocessError):  # no git here, or no checkout
        return {"commit": None, "dirty": False}


def _git(folder, *arguments):
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True, timeout=30)
    return done.stdout.strip()


def machine() -> str:
    """The processor by name where the system tells it, else its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names and names[0] else platform.machine()
