"""Python source that aligns one word of the Align page, or trains its strategies, in a notebook."""

from pages.align.inputs import HELD_OUT
from pages.align.question import TRAINING
from rcmviz.align.settings import AlignTraining

HEAD = ["from rcmviz.align.settings import AlignTraining", "from rcmviz.align.train import AlignTrainer"]


def picture_code(question):
    """Return the source of one alignment; it needs rcmviz and the data."""
    typed = question.phones.strip()
    inventory = ", data.train.phones" if question.source == "utterances" else ""
    given = f"speech.spoken({typed!r}{inventory})" if typed else f"speech.pronunciation({question.word!r})"
    compared = ("rcms",) if question.compare == "none" else ("rcms", question.compare)
    step = f" and trainer.step < {question.step}" if question.step else ""
    advance = f"trainer.advance({question.step} - trainer.step)" if question.step else "trainer.advance()"
    kept = f"{question.keep}, joined={question.joined}"
    lines = [
        "from rcmviz.align.infer import Aligner",
        *HEAD,
        "from rcmviz.tasks.speech import examples as speech",
        "",
        _data(question),
        f"trainer = AlignTrainer(data.train, {_settings(question, question.learned)})",
        f"while not trainer.done{step}:",
        f"    {advance}",
        "model = trainer.model()",
        f"x = model.phone_numbers({given})",
        f"for strategy in {compared}:",
        f"    print(strategy, Aligner(model, strategy, {kept}).forward(x).best())",
    ]
    return "\n".join(lines) + "\n"


def learning_code(question):
    """Return the source of the trainings on the learning tab."""
    listed = tuple(training.strategy for training in question.trainings)
    settings = _settings(question, "{}").replace("'{}'", "strategy")
    lines = [
        *HEAD,
        "from rcmviz.tasks.speech import examples as speech",
        "",
        _data(question),
        f"for strategy in {listed}:",
        f"    trainer = AlignTrainer(data.train, {settings}, data.test)",
        "    while not trainer.done:",
        "        state = trainer.advance()",
        "        print(strategy, state.epoch, state.error_rate, state.exact, state.explained, state.mean_length)",
        '    trainer.model().save(f"align-{strategy}.npz")',
    ]
    return "\n".join(lines) + "\n"


def _data(question):
    if question.source == "lexicon":
        return "data = speech.load()" if question.seed == 0 else f"data = speech.load(seed={question.seed})"
    held_out = HELD_OUT[question.source]
    return f"data = speech.load({question.source!r}, seed={question.seed}, train={question.words}, test={held_out})"


def _settings(question, strategy):
    """Return ``AlignTraining(…)`` with the settings that differ from the defaults."""
    usual = AlignTraining()
    given = [
        f"{name}={value!r}" for name, value in question.fields_of(*TRAINING).items() if value != getattr(usual, name)
    ]
    return f"AlignTraining({', '.join([repr(strategy), *given])})"
