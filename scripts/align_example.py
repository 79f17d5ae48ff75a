"""Write what the Align page opens with: a word, and a run of the five strategies, so that no first view waits.

To be run again when the trainer, the lexicon or a payload changes; tests/pages/test_align_page.py tells.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pages.align import recorded, runs
from pages.align.link import OPENING
from rcmviz.align.workspace import STRATEGIES
from rcmviz.core.whole_file import write_text


def _write(file, content):
    write_text(file, json.dumps(content, separators=(",", ":"), ensure_ascii=False) + "\n")
    print(f"{file.stat().st_size:,} bytes in {file}")


methods = [recorded.recorded_method(strategy) for strategy in STRATEGIES]
for method in methods:
    points = method["points"]
    print(f"{method['name']}: {points['exact'][-1]:.1%} right, {points['explained'][-1]:.1%} explained")
_write(recorded.RECORDED, methods)
_write(runs.EXAMPLE, runs.computed(OPENING))
