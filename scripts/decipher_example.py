"""Write the run that the Decipher page opens with: EM on the usual cipher to its end, before any swaps.

To be run again when EM, the language model of letters or the payload changes; tests/pages/test_decipher_page.py tells.
"""

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pages.decipher import run, shown
from pages.decipher.link import Puzzle
from rcmviz.views.decipher.payload import shown_method

_, session = run.start(Puzzle())
session.request_passes(run.ROUND)
while session.is_running:
    session.run.keep_awake()
    session.hand_out_passes(run.ROUND)
    time.sleep(0.05)
made = shown.shown_run(Puzzle(run=session.run.name), session)
methods = [shown_method(method) for method in made.methods]
shown.RECORDED.write_text(json.dumps(methods, separators=(",", ":"), ensure_ascii=False) + "\n", encoding="utf-8")
for method in methods:
    print(f"{method['name']}: {method['points']['accuracy'][-1]:.1%} of the letters right")
print(f"{run.ROUND} passes, {shown.RECORDED.stat().st_size:,} bytes in {shown.RECORDED}")
