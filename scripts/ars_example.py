"""Write the run that the ARS page opens with, so that its first view waits for no kernel.

To be run again when the shipped language model or the payload changes; tests/pages/test_ars_page.py tells.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pages.ars import runs
from pages.ars.link import ArsQuestion
from rcmviz.core.whole_file import write_text

payload = runs.computed(ArsQuestion())
write_text(runs.EXAMPLE, json.dumps(payload, separators=(",", ":"), ensure_ascii=False) + "\n")
print(f"{payload['round']} rounds, {runs.EXAMPLE.stat().st_size:,} bytes in {runs.EXAMPLE}")
