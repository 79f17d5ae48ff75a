"""Write what the CTC page opens with, so that its first view waits for no kernel.

To be run again when ``rv.ctc``, the shipped model of letters or the payload change; tests/pages/test_ctc_page.py tells.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pages.ctc import runs
from pages.ctc.link import CtcQuestion
from rcmviz.core.whole_file import write_text

text = json.dumps(runs.computed(CtcQuestion()), separators=(",", ":"), ensure_ascii=False)
write_text(runs.EXAMPLE, text + "\n")
print(f"{runs.EXAMPLE.stat().st_size:,} bytes in {runs.EXAMPLE}")
