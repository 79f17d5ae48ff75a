"""Write the training that the Learn page opens with, so that its first view moves before anybody has started one.

To be run again when the pen, the trainer or the payload changes; tests/pages/test_openings.py tells.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pages.learn import recorded
from rcmviz.core.whole_file import write_text

text = json.dumps(recorded.record(), separators=(",", ":"), ensure_ascii=False)
write_text(recorded.FILE, text + "\n")
print(f"{recorded.FILE.stat().st_size:,} bytes in {recorded.FILE}")
print(recorded.story())
