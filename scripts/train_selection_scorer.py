"""Writes models/selection-scorer.json, the weights of the selection rule ``learned``.

It learns on 100 words by the pen, with the shipped model of the pen's handwriting and a budget of ten; 15 s.
"""

import json
from pathlib import Path

from rcmviz.core.builders.learned_selection import FEATURES, learn_scorer
from rcmviz.core.models.shipped import load_model
from rcmviz.tasks.handwriting.pen import pen_words
from rcmviz.tasks.handwriting.problems import problem_from_word

WORDS, PEN, BUDGET, MODEL = 100, 2, 10, "handwriting-pen"
TARGET = Path(__file__).parents[1] / "models" / "selection-scorer.json"


def main() -> None:
    model = load_model(MODEL)
    log_emits = [problem_from_word(model, word, MODEL).log_emit for word in pen_words(WORDS, seed=PEN)]
    weights = learn_scorer(model, log_emits, BUDGET)
    named = dict(zip(FEATURES, [round(float(weight), 3) + 0.0 for weight in weights], strict=True))
    TARGET.write_text(json.dumps({"weights": named}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
