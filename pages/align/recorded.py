"""The recorded run of the learning tab: its curves, and the spellings of each checkpoint."""

import json
from functools import cache
from pathlib import Path

from pages.align.inputs import load_data
from pages.align.question import DATA, STRATEGY_NAMES, TRAINING, AlignQuestion
from rcmviz.jobs.alignments import AlignJobTrainer, HeldOutAlignments, aligner_of
from rcmviz.views.align.learning import CURVES, reading
from rcmviz.views.word.payload import number

RECORDED = Path(__file__).with_name("strategies.json")
RECORDED_WORD = 5  # held out: "brother", which RCMS reads and no beam does
STRETCH = 31  # examples from one point of a curve to the next
KEPT = 4  # points from one checkpoint to the next


def is_recorded(question):
    """Whether the page has a recorded run of this question."""
    return question.only(*DATA, *TRAINING, "strategies") == AlignQuestion()


@cache
def _recorded_methods():
    return json.loads(RECORDED.read_text(encoding="utf-8"))


def recorded_payload(word, step):
    """Return the payload of the recorded run, like ``build_align_learning``, with the held-out example ``word``."""
    data, kept = load_data(AlignQuestion()), _recorded_methods()
    methods = []
    for method in kept:
        checkpoints = [
            {"step": step, "text": texts[word][0], "p": texts[word][1]} for step, texts in method["checkpoints"]
        ]
        methods.append(method | {"checkpoints": checkpoints})
    return {
        "id": "recorded",
        "size": len(data.train),
        "step": step,
        "word": word,
        "recorded": True,
        "words": [data.test.text(w) for w in range(len(data.test))],
        "example": {"phones": list(data.test.phone_names(word)), "meant": data.test.text(word)},
        "methods": methods,
    }


def recorded_method(strategy, most=None):
    """Train one method and return its record; ``most`` limits the number of examples."""
    question = AlignQuestion()
    data, settings = load_data(question), question.training(strategy)
    trainer = AlignJobTrainer(data.train, settings)
    while not trainer.prepare():
        pass
    steps = settings.epochs * len(data.train)
    points, checkpoints = {name: [] for name in ("step", "examples", *CURVES)}, []
    while trainer.step < (most or steps):
        state = trainer.advance(STRETCH)
        evaluation = HeldOutAlignments(state.model, data.test, settings)
        evaluation.evaluate_next(len(data.test))
        values = vars(state) | evaluation.scores
        for name, kept in points.items():
            kept.append(number(values[name]) if name in CURVES else values[name])
        if trainer.step == STRETCH or trainer.step // STRETCH % KEPT == 0 or trainer.step == steps:
            aligner = aligner_of(state.model, settings)
            texts = [list(reading(aligner, data.test, w).values()) for w in range(len(data.test))]
            checkpoints.append([trainer.step, texts])
    return {
        "name": STRATEGY_NAMES[strategy],
        "kind": strategy,
        "status": "done",
        "message": "",
        "done": steps,
        "steps": steps,
        "left": None,
        "evaluating": False,
        "points": points,
        "checkpoints": checkpoints,
    }
