"""A little of scripts/kill_and_fill.py: writers killed at random moments, disks that fill."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "kill_and_fill.py"
WRITTEN = {
    "lattice (JSON)",
    "trace (JSON)",
    "problem (JSON)",
    "model (npz)",
    "language model (npz)",
    "language model (ARPA)",
    "view (HTML)",
    "report (JSON)",
    "recorded run (JSON)",
}


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="it forks")
def test_no_file_is_lost_and_resumed_runs_end_equally(tmp_path):
    found = tmp_path / "found.json"
    command = [sys.executable, SCRIPT, "18", "--fills", "1", "--json", found]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    rows = json.loads(found.read_text())["rows"]
    assert set(rows) == WRITTEN | {"training", "sweep", "download"}
    assert sum(row["kills"] for row in rows.values()) >= 18 and all(row["fills"] for row in rows.values())
    faults = {name: [row.get(kind, 0) for kind in ("lost", "spoilt", "silent", "other")] for name, row in rows.items()}
    assert not any(map(any, faults.values())), faults
