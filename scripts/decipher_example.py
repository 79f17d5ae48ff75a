"""Write the runs that the Decipher page opens with: EM on the usual cipher of either kind, of letters before any swaps.

To be run again when EM, a language model or the payload changes; tests/pages/test_decipher_page.py tells.
"""

import json
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pages.decipher import run, shown
from pages.decipher.link import OPENINGS
from rcmviz.core.whole_file import write_text
from rcmviz.views.decipher.payload import shown_method

for kind, puzzle in OPENINGS.items():
    _, session = run.start(puzzle)
    session.request_passes(shown.PASSES[kind])
    while session.is_running:
        session.run.keep_awake()
        session.hand_out_passes(shown.PASSES[kind])
        time.sleep(0.05)
    made = shown.shown_run(replace(puzzle, run=session.run.name), session)
    methods, file = [shown_method(method) for method in made.methods], shown.RECORDED[kind]
    write_text(file, json.dumps(methods, separators=(",", ":"), ensure_ascii=False) + "\n")
    for method in methods:
        print(f"{method['name']}: {method['points']['accuracy'][-1]:.1%} of the {kind} right")
    print(f"{shown.PASSES[kind]} passes, {file.stat().st_size:,} bytes in {file}")
