"""From a question to what its tab draws; each kept by what it came from."""

import json
from functools import cache, lru_cache
from pathlib import Path

from pages.search.link import SearchQuestion
from pages.search.rolling import searn_payload
from pages.search.searches import searching_payload
from pages.search.updates import perceptron_payload
from pages.shared.computing import compute

EXAMPLE = Path(__file__).with_name("example.json")  # of the usual questions: the first views wait for no kernel
TABS = {"search": searching_payload, "perceptron": perceptron_payload, "searn": searn_payload}


def payload_of(question):
    """What the view draws of a question; ValueError says what to do where it has no answer."""
    asked = _asked(question)
    return prepared()[question.tab] if asked == _asked(SearchQuestion(tab=question.tab)) else _computed(asked)


def computed(question):
    """The same, from the engine."""
    return TABS[question.tab](_asked(question))


@lru_cache(maxsize=12)
def _computed(asked):
    return compute(_seconds(asked), TABS[asked.tab], asked)


def _seconds(asked):
    """What it takes, by a rough estimate: a word of 16 letters with a queue of 1,000 took 13 s, a training 3 to 7 s."""
    return len(asked.word) * (0.04 + 8e-4 * asked.queue) if asked.tab == "search" else 3.0


def _asked(question):
    """The question with nothing but what matters on its tab."""
    return question.only("tab", *question.groups())


@cache
def prepared():
    """The payloads of the usual questions, by tab; scripts/record_openings.py writes them."""
    return json.loads(EXAMPLE.read_text(encoding="utf-8"))
