"""Example problems of five tasks, each opened at an instructive position."""

import json
from dataclasses import dataclass
from functools import cached_property

from pages.word import runs
from pages.word.question import Subject, WordQuestion
from rcmviz.core.methods import MethodChoice

NEVER = None  # weight of an impossible transition: null in JSON, −∞


# Each label tends to repeat the last but one. With budget 2, beam search is sure of bbbbbbb and RCMS of bababab.
SAMPLE = {
    "schema": "rcmviz/problem",
    "version": 1,
    "name": "an echo of two",
    "labels": ["a", "b", "c"],
    "order": 2,
    "mode": "single",
    "windows": [
        [["^", "^", "a"], 0.2],
        [["*", "*", "c"], 0.2],
        [["*", "a", "b"], 0.5],
        [["*", "c", "c"], 1.0],
        [["a", "a", "a"], 2.0],
        [["a", "b", "a"], 1.5],
        [["b", "a", "b"], 3.0],
        [["b", "b", "b"], 2.0],
    ],
    "log_emit": [
        [-2.4, -0.3, -0.9],
        [-0.6, -0.6, -1.2],
        [-0.9, -2.4, None],
        [-1.8, -0.9, -0.3],
        [-0.3, -0.3, -0.6],
        [-1.8, -1.2, -1.8],
        [-1.5, -0.6, -1.5],
    ],
    "gold": ["b", "a", "b", "a", "b", "a", "b"],
}


@dataclass(frozen=True, eq=False)
class Prepared:
    """An example problem: the ``name`` on its button and ``parts``, the keys of a problem file.

    It opens at ``position`` with beam search and RCMS of this ``budget``.
    """

    name: str
    parts: dict
    budget: int
    position: int

    @property
    def title(self):
        """The title of the problem."""
        return self.parts.get("title", "Two labels that repeat each other")

    @cached_property
    def text(self):
        """The problem file, with a window, row or position per line."""
        return as_text(self.parts)

    @cached_property
    def settings(self):
        """The question that opens the problem at its position."""
        methods = MethodChoice("beam", self.budget), MethodChoice("rcms", self.budget)
        return WordQuestion(
            Subject("problem", runs.pack_problem(self.text)), methods, compares=True, position=self.position
        )


def as_text(parts):
    """Return a problem as JSON with a line for each inner list."""
    return "{" + ",\n ".join(f"{json.dumps(key)}: {_value(value)}" for key, value in parts.items()) + "}"


def _value(value):
    if isinstance(value, list) and isinstance(value[0], list):
        return "[\n  " + ",\n  ".join(json.dumps(row) for row in value) + "\n]"
    return json.dumps(value, ensure_ascii=False)


def _rows(labels, seen, otherwise):
    """Return log emissions from ``[{label: log}]``; missing labels get ``otherwise``."""
    return [[row.get(label, otherwise) for label in labels] for row in seen]


def _tags():
    """A garden path: "the old man" is read as one phrase until no verb comes."""
    labels = ["DET", "ADJ", "NOUN", "VERB", "."]
    seen = [
        {"DET": -0.1},
        {"ADJ": -0.3, "NOUN": -2.0},
        {"NOUN": -0.2, "VERB": -2.4},
        {"DET": -0.1},
        {"NOUN": -0.5, "VERB": -1.9},
        {".": 0.0},
    ]
    follows = {
        "^ ^ DET": 1.0,
        "^ DET ADJ": 0.6,
        "^ DET NOUN": 0.8,
        "DET ADJ NOUN": 1.2,
        "DET NOUN VERB": 1.4,
        "NOUN VERB DET": 1.2,
        "VERB DET NOUN": 1.2,
        "DET NOUN .": 1.0,
        "ADJ NOUN VERB": 1.2,
        "ADJ NOUN DET": -4.0,
        "DET NOUN NOUN": -0.6,
        "NOUN NOUN DET": -4.0,
        "* NOUN VERB": 0.8,
        "* VERB DET": 0.9,
        "* DET NOUN": 1.0,
        "* NOUN DET": -3.0,
        "* * VERB": 0.2,
        "* * NOUN": 0.3,
        "NOUN DET NOUN": 1.0,
        "ADJ VERB DET": -2.0,
        "DET ADJ VERB": -3.0,
    }
    return {
        "name": "parts of speech",
        "title": "The old man the boats: which word is the verb?",
        "labels": labels,
        "order": 2,
        "windows": [[window.split(), weight] for window, weight in follows.items()],
        "log_emit": _rows(labels, seen, -7.0),
        "tokens": ["the", "old", "man", "the", "boats", "."],
        "gold": ["DET", "NOUN", "VERB", "DET", "NOUN", "."],
        "notes": {
            "2": "Mostly an adjective; a noun, too.",
            "3": "“Old” as a noun needs “man” as a verb, which is rare: a beam of two drops it here.",
            "4": "A second determiner, and no verb between: the first reading becomes expensive.",
        },
    }


def _machine():
    """A hidden Markov model: a bearing wears out, and the evidence comes late."""
    labels = ["fine", "worn", "failing"]
    scores = {
        "quiet": [-0.4, -1.3, -3.0],
        "hum": [-1.9, -0.5, -1.6],
        "whine": [-5.0, -0.7, -0.9],
        "grind": [-6.0, -3.2, -0.2],
    }
    tokens = ["quiet", "quiet", "hum", "quiet", "hum", "hum", "whine", "grind"]
    return {
        "name": "a bearing",
        "title": "A hidden Markov model: when did the bearing begin to wear?",
        "labels": labels,
        "transitions": [[-0.1, -2.4, -7.0], [-5.0, -0.1, -2.2], [-9.0, -5.0, 0.0]],
        "start": [-0.1, -2.6, -5.0],
        "log_emit": [scores[token] for token in tokens],
        "tokens": tokens,
        "gold": ["fine", "fine", "worn", "worn", "worn", "worn", "worn", "failing"],
        "notes": {
            "3": "One hum proves little. The beam drops “worn” and becomes sure; RCMS merges it into the root.",
            "7": "A fine bearing does not whine: without “worn” a method has to jump to “failing”.",
        },
    }


def _entities():
    """Named entities: the third word decides the type of the first one."""
    kinds = ["PER", "LOC", "ORG"]
    labels = ["O", *(f"{part}-{kind}" for kind in kinds for part in "BI")]
    seen = [
        {"B-PER": -0.9, "B-LOC": -1.0, "O": -1.9, "B-ORG": -1.9},
        {"I-LOC": -0.6, "I-ORG": 0.6, "I-PER": -2.7, "O": -3.2},
        {"I-ORG": 0.7, "O": -6.0},
        {"O": 0.6},
        {"B-LOC": -0.4, "B-PER": -0.8, "B-ORG": -2.5},
        {"O": 0.6},
        {"O": 0.3},
    ]

    def weight(before, label):
        if label[0] == "I":
            return 0.8 if before[1:] == label[1:] else NEVER
        return 0.2 if label == "O" else -0.4

    forgotten = [-0.2, -1.0, -3.4, -0.5, -2.2, -1.8, -1.3]

    return {
        "name": "named entities",
        "title": "Lincoln Park Bank: a person, a place or a firm?",
        "labels": labels,
        "transitions": [[weight(before, label) for label in labels] for before in labels],
        "start": [NEVER if label[0] == "I" else 0.0 for label in labels],
        "forgotten": forgotten,
        "log_emit": _rows(labels, seen, -8.0),
        "tokens": ["Lincoln", "Park", "Bank", "lent", "Jordan", "two", "million"],
        "gold": ["B-ORG", "I-ORG", "I-ORG", "O", "B-LOC", "O", "O"],
        "notes": {
            "1": "Likely a person, a place or no name: a beam of three keeps these and drops the firm.",
            "3": "Only a firm continues with “Bank”, and it must begin with “Lincoln”.",
        },
    }


def _frames():
    """Frames of a recording with blanks, as output by a network trained with CTC."""
    labels = ["_", "h", "e", "l", "o"]
    seen = [
        {"_": -0.1},
        {"h": -0.4, "_": -1.6},
        {"h": -0.1, "_": -1.6},
        {"e": -0.1},
        {"_": -1.3, "e": -1.2, "l": -1.9},
        {"l": -0.6},
        {"l": -0.4, "_": -1.1},
        {"l": -0.6, "o": -1.8},
        {"o": -1.0, "l": -1.6},
        {"o": -0.1},
        {"_": -0.1},
    ]
    follows = {
        "h_e": 1.8,
        "*he": 1.7,
        "_he": 1.3,
        "hhe": 1.8,
        "ehe": 0.9,
        "e_l": 1.7,
        "*el": 1.7,
        "_el": 1.2,
        "hel": 1.2,
        "eel": 1.6,
        "l_l": 1.4,
        "l_o": 0.3,
        "*lo": -0.2,
        "_lo": 1.2,
        "hlo": -0.2,
        "elo": -1.9,
        "llo": -1.2,
        "olo": 0.5,
    }
    return {
        "name": "frames with blanks",
        "title": "hello in eleven frames: the two l need a blank between them",
        "labels": labels,
        "order": 2,
        "windows": [[list(window), weight] for window, weight in follows.items()],
        "log_emit": _rows(labels, seen, -5.0),
        "tokens": [f"{20 * k} ms" for k in range(len(seen))],
        "gold": list("_hhe_l_loo_"),
        "notes": {
            "5": "“e” once more or a blank: both mean the same word.",
            "7": "“eel_” and “e_l_” mean the same and compete for places in the beam. Shorter contexts join them.",
        },
    }


def _keypad():
    """A message typed on a phone: 43556."""
    keys = {"3": "def", "4": "ghi", "5": "jkl", "6": "mno"}
    labels = sorted("".join(keys.values()))
    typed = "43556"
    follows = {
        "^^i": 0.9,
        "^^h": 0.5,
        "^^g": 0.8,
        "^if": 1.1,
        "^id": 0.7,
        "^he": 0.7,
        "^ge": 0.6,
        "^hi": 0.1,
        "^ie": -1.7,
        "hel": 1.5,
        "gel": -0.7,
        "iel": -2.5,
        "*el": 0.8,
        "ell": 2.2,
        "elk": 0.2,
        "*ll": 2.0,
        "llo": 1.7,
        "*lo": -0.4,
        "idl": -1.9,
        "ifl": -1.5,
        "ifj": -2.7,
        "ifk": -3.2,
        "idj": -2.5,
        "idk": -2.2,
        "dlk": -2.6,
        "dll": -2.5,
        "flo": -1.2,
        "fll": -2.8,
    }
    return {
        "name": "keypad message",
        "title": "43556 on a phone: the word begins like “if”, and is not",
        "labels": labels,
        "order": 2,
        "windows": [[list(window), weight] for window, weight in follows.items()],
        "log_emit": [[0.0 if label in keys[key] else None for label in labels] for key in typed],
        "tokens": [f"{key} {keys[key]}" for key in typed],
        "gold": list("hello"),
        "notes": {"2": "“if”, “id” and “ge” are heavier: a beam of three keeps them, and “he” is gone."},
    }


GALLERY = (
    Prepared("An echo", SAMPLE, 2, 4),
    Prepared("Parts of speech", _tags(), 2, 3),
    Prepared("Hidden Markov model", _machine(), 1, 3),
    Prepared("Named entities", _entities(), 3, 1),
    Prepared("CTC frames", _frames(), 3, 7),
    Prepared("Keypad message", _keypad(), 3, 2),
)
