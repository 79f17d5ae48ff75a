"""Python source that trains the models of the Learn page, or the model of one checkpoint."""

from dataclasses import fields

from pages.learn.checkpoint import read_checkpoint
from pages.learn.data import HELD_OUT_FOLD, HELD_OUT_WORDS, HELD_OUT_WRITERS
from rcmviz.learn.settings import Training
from rcmviz.tasks import TEST_FOLD
from rcmviz.tasks.handwriting.pen import NOISE


def training_code(question):
    """Return the source of all trainings; it needs rcmviz and the data."""
    settings = ", ".join(_settings(training) for training in question.trainings)
    return "\n".join(
        [
            "import rcmviz as rv",
            *_data_lines(question.source, held_out=True),
            f"for settings in [{settings}]:",
            "    for state in rv.train(data, settings, held_out):",
            "        print(settings.method, state.epoch, state.log_likelihood, state.accuracy, state.recall_99)",
            '    state.model.save(f"{settings.method}-{settings.budget}.npz")',
            "",
        ]
    )


def checkpoint_lines(name):
    """Return source lines that end with the ``model`` of a checkpoint."""
    source, training, step = read_checkpoint(name)
    return [
        "from rcmviz.jobs.replay import retrained",
        *_data_lines(source),
        f'model = retrained(data, {_settings(training)}, {step}, {{"grid": "8x4"}})',
    ]


def _data_lines(source, held_out=False):
    if source.kind == "upload":
        lines = [
            "from rcmviz.sequences.encoding import Encoder",
            "",
            'file = rv.read_sequences("your-file.conll")',
            "encoder, everything = Encoder.learn(file.X, file.y)",
            "data, held_out = everything.take(range(1, len(everything))), everything.take([0])",
        ]
        return lines
    if source.kind == "pen":
        noise = f", noise={source.noise:g}" if source.noise != NOISE else ""
        imports = "from rcmviz.tasks.handwriting.pen import pen_words"
        train = f"pen_words({source.words}, seed={source.seed}{noise})"
        others = f"pen_words({HELD_OUT_WORDS}, seed={source.seed + HELD_OUT_WRITERS}{noise})"
    else:
        imports = "from rcmviz.tasks.handwriting.letter_data import load_words"
        train = f"[word for word in load_words() if word.fold not in ({TEST_FOLD}, {HELD_OUT_FOLD})]"
        others = f"[word for word in load_words() if word.fold == {HELD_OUT_FOLD}]"
    lines = [
        imports,
        "from rcmviz.tasks.handwriting.letter_data import word_sequences",
        "",
        f"data = word_sequences({train})",
    ]
    return [*lines, f"held_out = word_sequences({others})"] if held_out else lines


def _settings(training):
    """Return ``rv.Training(…)`` with the settings that differ from the defaults."""
    usual = Training()
    given = {entry.name: getattr(training, entry.name) for entry in fields(Training)}
    listed = [f"{name}={value!r}" for name, value in given.items() if value != getattr(usual, name)]
    return f"rv.Training({', '.join(listed)})"
