"""Write the word that the Align page opens with, so that its first view waits for no kernel and no training.

To be run again when the trainer, the lexicon or the payload changes; tests/pages/test_align_page.py tells.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pages.align import runs
from pages.align.link import AlignQuestion

payload = runs.computed(AlignQuestion())
runs.EXAMPLE.write_text(json.dumps(payload, separators=(",", ":"), ensure_ascii=False) + "\n", encoding="utf-8")
print(f"{len(payload['runs'])} runs, {runs.EXAMPLE.stat().st_size:,} bytes in {runs.EXAMPLE}")
