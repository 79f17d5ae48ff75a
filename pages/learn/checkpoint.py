"""The data source of a training, and the names of checkpoints in links.

The name of a checkpoint has all that decides it, so that it can be trained again on any computer:
``pen:1000:0,rcms:10,step:1200`` and the settings that differ from the defaults (``eta:0.5``).
"""

from dataclasses import dataclass, replace
from typing import Any

from pages.shell import link
from pages.shell.methods import parse_methods
from rcmviz.core.methods import TRAINABLE, MethodChoice
from rcmviz.learn.settings import Training
from rcmviz.tasks.handwriting.pen import NOISE, WRITERS

MOST_WORDS, MAX_NOISE = 5_000, 0.5
MAX_EPOCHS, MAX_ORDER, MAX_PASSES = 200, 6, 5
# Names of settings in links and in names of checkpoints.
FIELDS = {
    "order": "order",
    "mode": "mode",
    "eta": "eta",
    "epochs": "epochs",
    "seed": "seed",
    "passes": "passes",
    "dedup": "deduplicate",
    "average": "average",
    "lost": "lost_gold",
    "shuffle": "shuffle",
    "l2": "l2",
}
BOUNDS = {"order": MAX_ORDER, "epochs": MAX_EPOCHS, "passes": MAX_PASSES, "eta": 100.0, "l2": 10.0}


@dataclass(frozen=True)
class DataSource:
    """The source of sequences: ``words`` by the pen with ``seed`` and ``noise``, Kassel's words, or an ``upload``.

    Uploads are named by the digest of their bytes.

    >>> str(DataSource()), str(DataSource("kassel")), DataSource.parse("pen:500:3").seed
    ('pen:1000:0', 'kassel', 3)
    """

    kind: str = "pen"
    words: int = 1_000
    seed: int = 0
    noise: float = NOISE
    upload: str = ""

    def __str__(self) -> str:
        if self.kind == "pen":
            return f"pen:{self.words}:{self.seed}" + (f":{self.noise:g}" if self.noise != NOISE else "")
        return self.kind if self.kind == "kassel" else f"upload:{self.upload}"

    @classmethod
    def parse(cls, text: str) -> "DataSource":
        """Parse the text that ``str`` writes; ValueError if it is malformed."""
        kind, *parts = text.split(":")
        if kind == "kassel" and not parts:
            return cls("kassel")
        if kind == "upload" and len(parts) == 1 and parts[0].isalnum():
            return cls("upload", upload=parts[0][:32])
        if kind != "pen" or not 1 <= len(parts) <= 3:
            raise ValueError(f"{text[:40]!r} is not a data source such as pen:1000:0 or kassel")
        words = _number("the number of words", parts[0], 10, MOST_WORDS)
        seed = _number("the seed", parts[1], 0, WRITERS - 1) if len(parts) > 1 else 0
        return cls("pen", words, seed, _number("noise", parts[2], 0.0, MAX_NOISE, float) if len(parts) > 2 else NOISE)


def training_of(chosen: MethodChoice, shared: Training) -> Training:
    """Return the shared settings for one method; only some methods make a second pass."""
    passes = shared.passes if chosen.entry.passes_in_bulk else 1
    return replace(shared, method=chosen.kind, budget=chosen.budget, passes=passes)


def method_of(training: Training) -> MethodChoice:
    """Return the method of a training, with its name."""
    return MethodChoice(training.method, training.budget)


def write_checkpoint(source: DataSource, training: Training, step: int) -> str:
    """Return the name of the model after ``step`` examples of a training."""
    settings = [f"{name}:{value}" for name, value in _changed_settings(training).items()]
    return ",".join([str(source), str(method_of(training)), f"step:{step}", *settings])


def read_checkpoint(name: str) -> tuple[DataSource, Training, int]:
    """Parse the name of a checkpoint into (source, training, step); ValueError says what is wrong with it."""
    source, method, step, *settings = [*name.split(","), "", "", ""][: max(3, name.count(",") + 1)]
    if not step.startswith("step:"):
        raise ValueError(f"{name[:60]!r} is not a checkpoint such as pen:1000:0,rcms:10,step:1200")
    training = training_of(parse_methods(method, TRAINABLE)[0], Training())
    for setting in settings:
        field, _, value = setting.partition(":")
        training = _with_setting(training, field, value)
    return DataSource.parse(source), training, read_step(step[5:])


def checkpoint_title(name: str) -> str:
    """Return the title of a checkpoint.

    >>> checkpoint_title("pen:1000:0,rcms:10,step:1200")
    'RCMS 10 after 1,200 examples'
    """
    _, training, step = read_checkpoint(name)
    return f"{method_of(training).name} after {step:,} examples"


def step_query(training: Training, model: Any) -> dict[str, str]:
    """Return the parameters of the Step page for inference with a ``model`` with its training settings."""
    query, method = {"method": training.method, "pos": "1"}, TRAINABLE[training.method]
    if method.has_budget:
        query["budget"] = str(training.budget)
    if training.passes > 1:
        query["passes"] = str(training.passes)
    if training.deduplicate:
        query["dedup"] = "1"
    if "root_weight" in method.options:
        query["root"] = f"{model.root_weight:.6g}"
    return query


def read_step(text: str) -> int:
    """Parse the step of a checkpoint; ValueError if it is invalid."""
    return _number("the step", text, 1, 10**9)


def _changed_settings(training):
    """Return the shared settings that differ from the defaults, as text."""
    usual = Training()
    values = {name: (getattr(training, field), getattr(usual, field)) for name, field in FIELDS.items()}
    return {name: _text(value) for name, (value, default) in values.items() if value != default}


def _text(value):
    return str(int(value)) if isinstance(value, bool) else f"{value:.6g}" if isinstance(value, float) else str(value)


def _with_setting(training, name, text):
    """Return the training with one setting read from text; ValueError for an unknown setting or an invalid value."""
    if name not in FIELDS:
        raise ValueError(f"{name[:40]!r} is not a setting; choose from {', '.join(FIELDS)}")
    field = FIELDS[name]
    kind = type(getattr(Training(), field))
    if kind is bool:
        value = bool(_number(name, text, 0, 1))
    else:
        value = text if kind is str else _number(name, text, 0, BOUNDS.get(name, 2**53), kind)
    return replace(training, **{field: value})


def _number(name, text, low, high, kind=int):
    try:
        return link.within(low, high, kind)(text)
    except link.InvalidParam:
        raise ValueError(f"{name} is {text[:40]!r}, expected a number from {low:,} to {high:,}") from None
