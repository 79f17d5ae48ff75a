"""Write the word that the Align page opens with, so that its first view waits for no kernel and no training.

To be run again when the trainer, the lexicon or the payload changes; tests/test_align_page.py tells.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "pages"))

from _common import align_runs
from _common.align_settings import Question

payload = align_runs.computed(Question())
align_runs.EXAMPLE.write_text(json.dumps(payload, separators=(",", ":"), ensure_ascii=False) + "\n", encoding="utf-8")
print(f"{len(payload['runs'])} runs, {align_runs.EXAMPLE.stat().st_size:,} bytes in {align_runs.EXAMPLE}")
