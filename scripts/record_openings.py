"""Write the prepared answers of pages, so that first views wait for no kernel and no training.

    python scripts/record_openings.py [page …]      (all without any)

Run it again if a model, a trainer or a payload changes; tests of the pages compare the files.
"""

import json
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from rcmviz.core.shared.whole_file import write_text


def decipher():
    """EM on the usual cipher of either kind, of letters before any swaps."""
    from pages.decipher import run, shown
    from pages.decipher.question import OPENINGS
    from rcmviz.views.decipher.payload import method_payload

    for kind, puzzle in OPENINGS.items():
        _, session = run.start(puzzle)
        session.request_passes(shown.PASSES[kind])
        while session.is_running:
            session.run.keep_awake()
            session.hand_out_passes(shown.PASSES[kind])
            time.sleep(0.05)
        made = shown.shown_run(replace(puzzle, run=session.run.name), session)
        yield shown.RECORDED[kind], [method_payload(method) for method in made.methods]


def home():
    """The picture of Home."""
    from pages.home.picture import FILE, computed_picture

    yield FILE, computed_picture()


def answers_of(name):
    """The answer that a declared page opens with; of a page with tabs those of the tabs that the file has."""
    from pages.shell.answers import compute_payload, prepared
    from pages.shell.registry import folder_of, page_named

    page = page_named(name)
    tabs = prepared(name) if page.tabs else [""]
    payloads = {tab: compute_payload(page, page.openings()[tab]) for tab in tabs}
    yield folder_of(name) / "example.json", payloads if page.tabs else payloads[""]


def runs_of(name):
    """The recorded runs that a declared page shows before a training is started."""
    from pages.shell.registry import page_named

    page = page_named(name)
    for part in (page, *page.tabs.values()):
        if part.training is not None and part.training.record is not None:
            yield from part.training.record()


def files_of(name):
    """All prepared files of a declared page."""
    from pages.shell.registry import folder_of

    if (folder_of(name) / "example.json").exists():
        yield from answers_of(name)
    yield from runs_of(name)


def prepared_pages():
    """Return the function that writes each page's files, by name."""
    from pages.shell.registry import names

    return {name: partial(files_of, name) for name in names()} | {"decipher": decipher, "home": home}


if __name__ == "__main__":
    recorders = prepared_pages()
    if unknown := sorted(set(sys.argv[1:]) - recorders.keys()):
        sys.exit(f"no page {unknown[0]!r} opens with a prepared answer; there are {', '.join(recorders)}")
    for name in sys.argv[1:] or recorders:
        for file, content in recorders[name]():
            write_text(file, json.dumps(content, separators=(",", ":"), ensure_ascii=False) + "\n")
            print(f"{file.stat().st_size:,} bytes in {file}")
