"""Links of all pages and their parts: methods, checkpoints, arms, edits."""

from functools import partial
from random import Random
from urllib.parse import parse_qsl, urlencode

from fuzz.damage import NUMBERS, PIECES, of_bytes
from fuzz.target import target
from pages.learn.checkpoint import DataSource, read_checkpoint
from pages.precision.methods import parse_arms
from pages.shell.methods import parse_methods, parse_runs
from pages.shell.registry import pages
from pages.shell.text_store import PREFIX, expand

VIEWS = {name: page.default for name, page in pages().items()}
NAMES = sorted({name for view in VIEWS.values() for name in (*view.names(), *view.place_names())})
SAID = (
    "0",
    "1",
    "3",
    "0.25",
    "rcms",
    "beam",
    "exact",
    "beam:7,rcms:7",
    "rcms:0000000011999999999",
    "pen",
    "kassel",
    "drawn",
    "learning",
    "words",
    "letters",
    "own",
    "upload:abc",
    "pen:1000:0,rcms:10,step:1200",
    "upload",
    "x",
    "é",
    "²",
    "٣",
    PREFIX + "A" * 32,
    PREFIX + "../../x",
    "p4:ol,f3:=a,b5:20",
    "AAA___.gCA",
    "*ol",
    *NUMBERS,
    *(piece.decode("utf-8", "replace") for piece in PIECES),
)


def query_of(view, random: Random, samples: list[bytes]) -> bytes:
    """A query of odd values under names of the page, and sometimes of others."""
    known = (*view.names(), *view.place_names())
    query = dict(parse_qsl(random.choice(samples).decode())) if random.random() < 0.5 else {}
    for _ in range(random.choice((1, 2, 2, 4, 8))):
        name = random.choice(NAMES if random.random() < 0.1 else known)
        value = query.get(name, "")
        if random.random() < 0.2 and value:
            value = _CHANGED(random, [value.encode()]).decode("utf-8", "replace")[:20_000]
        else:
            value = random.choice(SAID)
        query[name] = value
    return urlencode(query, errors="replace").encode()


_CHANGED = of_bytes(b":", b",", b"@", b"x2")


def read_link(view, content):
    """A link as a page reads it, and written again: then it reads as the same, without a notice."""
    query = dict(parse_qsl(content.decode("utf-8", "replace"), keep_blank_values=True))
    read, opening, notices = view.read(query, view)
    written = read.write()
    again, _, more = view.read(written, view)
    assert again.write() == written and not more, (written, more)
    widgets = read.with_widgets(read.widgets())
    assert sum(map(len, notices)) < 5_000 + 300 * len(query), "endless notices"
    return written, opening, widgets.write()


for page, view in VIEWS.items():
    target(f"link-{page}", lambda view=view: {"usual": urlencode(view.write()).encode()}, partial(query_of, view))(
        partial(read_link, view)
    )

READERS = {
    "methods": parse_methods,
    "runs": parse_runs,
    "arms": parse_arms,
    "checkpoint": read_checkpoint,
    "source": DataSource.parse,
    "kept": expand,
}


@target(
    "link-parts",
    lambda: {
        "methods": b"methods beam:10,rcms:10,exact",
        "runs": b"runs rcms:10,rcms:10",
        "arms": b"arms rcms:10x2,beam:10@rcms",
        "checkpoint": b"checkpoint pen:1000:0,rcms:10,step:1200,l2:0.1",
        "source": b"source pen:1000:0:0.1",
        "kept": b"kept text",
    },
    of_bytes(b":", b",", b"@", b"x2", b"pen", b"exact"),
)
def part(content):
    kind, _, text = content.decode("utf-8", "replace").partition(" ")
    return READERS.get(kind, parse_runs)(text)
