"""Write the index behind "Find a word where they differ" on Step and Compare: pages/word/differing_words.json.

    python scripts/record_differing_words.py      (two minutes of CPU time)

Each pen writes one word of the lexicon; beam search and RCMS read it with the same budget and the shipped model. Run it
again if that model, the pen or a method changes; tests/pages/test_find_word.py reads some of the words again.
"""

import json
import sys
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import rcmviz as rv
from pages.word.find_word import BUDGETS, FILE, KINDS, MOST_ALIKE
from rcmviz.core.shared.whole_file import write_text
from rcmviz.evaluation.disagreements import as_records
from rcmviz.tasks.handwriting.letter_data import word_sequences
from rcmviz.tasks.handwriting.lexicon import LEXICON
from rcmviz.tasks.handwriting.pen import write_word

PENS = 25  # for each word of the lexicon


def rows():
    """For each kind, budget and length up to ``MOST_ALIKE`` words: those with the largest gap in confidence."""
    model = rv.load_model("handwriting-pen")
    pairs = [(text, seed) for seed, text in product(range(PENS), LEXICON)]
    data = word_sequences([write_word(text, seed=seed) for text, seed in pairs])
    for budget, kind in product(BUDGETS, KINDS):
        table, found = rv.disagreements(data, model, (f"beam:{budget}", f"rcms:{budget}"), show=kind, regrets=0), {}
        for row in as_records(table):
            text, seed = pairs[row["number"]]
            same = found.setdefault(len(text), [])
            if len(same) < MOST_ALIKE and text not in [other for other, *_ in same]:
                position = row["second_position" if kind in ("harmed", "second-budget") else "first_position"]
                same.append([text, seed, position or 1])
        yield {"kind": kind, "budget": budget, "words": [word for _, words in sorted(found.items()) for word in words]}


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows())
    write_text(FILE, f"[\n{lines}\n]\n")
