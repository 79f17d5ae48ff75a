"""Write the run that the ARS page opens with, so that its first view waits for no kernel.

To be run again when the shipped language model or the payload changes; tests/test_ars_page.py tells.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "pages"))

from _common import ars_runs
from _common.ars_settings import Question

payload = ars_runs.computed(Question())
ars_runs.EXAMPLE.write_text(json.dumps(payload, separators=(",", ":"), ensure_ascii=False) + "\n", encoding="utf-8")
print(f"{payload['round']} rounds, {ars_runs.EXAMPLE.stat().st_size:,} bytes in {ars_runs.EXAMPLE}")
