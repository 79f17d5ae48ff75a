"""The opening picture of Home: beam search and RCMS with the same budget on one word."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from pages.home.examples import COMPARED
from pages.word import runs
from rcmviz.views.shared.packed import Packed, pack

FILE = Path(__file__).with_name("picture.json")
MOMENT = 5  # the letter at which beam search drops the right prefix


def computed_picture() -> dict[str, Any]:
    """Compute the payload, which ``scripts/record_openings.py home`` writes to ``FILE``."""
    payload = runs.word_payload(COMPARED.subject, COMPARED.methods, COMPARED.options, ())
    return {name: value for name, value in payload.items() if name != "player"}


@cache
def picture() -> Packed:
    """Return the prepared payload, with the link that the picture opens."""
    payload = json.loads(FILE.read_text(encoding="utf-8"))
    return pack(payload | {"moment": MOMENT, "link": {"page": "compare", "query": COMPARED.write()}})
