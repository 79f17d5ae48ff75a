"""The link of the Learn page: the data, the methods, how they learn; and the names of checkpoints.

A checkpoint is named by everything that decides it, so that it can be trained again wherever the link is opened:
``pen:1000:0,rcms:10,step:1200`` and, where they are not the usual ones, the other settings (``eta:0.5``).
"""

from dataclasses import dataclass, replace
from functools import partial

from pages.shared.methods import MOST_RUNS, NONE, parse_methods, write_methods
from pages.shell import link
from rcmviz.core.methods import TRAINABLE, MethodChoice
from rcmviz.learn.settings import Training
from rcmviz.tasks.handwriting.pen import NOISE, WRITERS

MOST_WORDS = 5_000
MAX_EPOCHS, MAX_ORDER, MAX_PASSES = 200, 6, 5
# What a setting is called in a link and in the name of a checkpoint.
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
    """Where the sequences are from: so many ``words`` of the pen, by ``seed`` and ``noise``; Kassel's; an ``upload``,
    named by the digest of its bytes.

    >>> str(DataSource()), str(DataSource("kassel")), DataSource.parse("pen:500:3").seed
    ('pen:1000:0', 'kassel', 3)
    """

    kind: str = "pen"
    words: int = 1_000
    seed: int = 0
    noise: float = NOISE
    upload: str = ""

    def __str__(self):
        if self.kind == "pen":
            return f"pen:{self.words}:{self.seed}" + (f":{self.noise:g}" if self.noise != NOISE else "")
        return self.kind if self.kind == "kassel" else f"upload:{self.upload}"

    @classmethod
    def parse(cls, text):
        """The source that ``str`` wrote; ValueError where it is none."""
        kind, *parts = text.split(":")
        if kind == "kassel" and not parts:
            return cls("kassel")
        if kind == "upload" and len(parts) == 1 and parts[0].isalnum():
            return cls("upload", upload=parts[0][:32])
        if kind != "pen" or not 1 <= len(parts) <= 3:
            raise ValueError(f"{text[:40]!r} is no data such as pen:1000:0 or kassel")
        words = _number("the number of words", parts[0], 10, MOST_WORDS)
        seed = _number("the seed", parts[1], 0, WRITERS - 1) if len(parts) > 1 else 0
        return cls("pen", words, seed, _number("noise", parts[2], 0.0, 0.5, float) if len(parts) > 2 else NOISE)


def training_of(chosen, shared):
    """The shared settings for one method; a second pass is for those that can make one."""
    passes = shared.passes if chosen.entry.passes_in_bulk else 1
    return replace(shared, method=chosen.kind, budget=chosen.budget, passes=passes)


def method_of(training):
    """The method of a training, with its name."""
    return MethodChoice(training.method, training.budget)


def write_checkpoint(source, training, step):
    """The name of the model that a training had after ``step`` examples."""
    settings = [f"{name}:{value}" for name, value in _written(training).items()]
    return ",".join([str(source), str(method_of(training)), f"step:{step}", *settings])


def read_checkpoint(name):
    """(Source, Training, step) of the name of a checkpoint; ValueError says what is wrong with it."""
    source, method, step, *settings = [*name.split(","), "", "", ""][: max(3, name.count(",") + 1)]
    if not step.startswith("step:"):
        raise ValueError(f"{name[:60]!r} is no checkpoint such as pen:1000:0,rcms:10,step:1200")
    training = training_of(parse_methods(method)[0], Training())
    for setting in settings:
        field, _, value = setting.partition(":")
        training = _with_setting(training, field, value)
    return DataSource.parse(source), training, _number("the step", step[5:], 1, 10**9)


def checkpoint_title(name):
    """What people call a checkpoint.

    >>> checkpoint_title("pen:1000:0,rcms:10,step:1200")
    'RCMS 10 after 1,200 examples'
    """
    _, training, step = read_checkpoint(name)
    return f"{method_of(training).name} after {step:,} examples"


def step_query(training, model):
    """The parameters of the Step page that infer with a ``model`` as it was trained."""
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


def _written(training):
    """The shared settings that are not the usual ones, as text."""
    usual = Training()
    values = {name: (getattr(training, field), getattr(usual, field)) for name, field in FIELDS.items()}
    return {name: _text(value) for name, (value, default) in values.items() if value != default}


def _text(value):
    return str(int(value)) if isinstance(value, bool) else f"{value:.6g}" if isinstance(value, float) else str(value)


def _with_setting(training, name, text):
    """The training with one setting read from text; ValueError where there is no such setting or value."""
    if name not in FIELDS:
        raise ValueError(f"{name[:40]!r} is no setting; there are {', '.join(FIELDS)}")
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


def _read_shared(reader, plan, _field):
    shared = plan.shared
    for name in FIELDS:
        shared = reader.take(name, partial(_with_setting, shared, name), shared)
    return replace(plan, shared=shared)


@dataclass(frozen=True)
class LearnPlan(link.Link):
    """A whole Learn page: the data, up to three methods, the settings they share, the held-out ``word`` that is looked
    at and the ``step`` at which (None: the latest).
    """

    source: DataSource = link.coded("data", DataSource(), DataSource.parse, always=True)
    methods: tuple[MethodChoice, ...] = link.coded(
        "runs", (MethodChoice(), MethodChoice("beam")), parse_methods, write_methods, always=True
    )
    shared: Training = link.multi_param(tuple(FIELDS), Training(), _read_shared, lambda plan, _: _written(plan.shared))
    word: int = link.whole("word", 0, 0, 1_000_000)
    step: int | None = link.coded("at", None, lambda text: _number("the step", text, 1, 10**9))

    beside = ("run",)  # the name of a training, which the session writes

    @property
    def trainings(self):
        """One Training per method."""
        return tuple(training_of(method, self.shared) for method in self.methods)

    def widgets(self):
        """What the widgets show: the data, the settings by field, each method and its budget."""
        source = self.source
        shown = {"source": source.kind, "words": source.words, "pen": source.seed, "noise": source.noise}
        if source.kind == "upload":
            shown["digest"] = source.upload
        shown |= {field: getattr(self.shared, field) for field in FIELDS.values()}
        for number, method in enumerate([*self.methods, *[None] * MOST_RUNS][:MOST_RUNS]):
            shown[f"kind.{number}"] = method.kind if method else NONE
            shown[f"budget.{number}"] = method.budget if method else 10
        return shown

    def with_widgets(self, shown):
        """The plan as its widgets show it; another source begins with its first word."""
        shown = self.widgets() | {"digest": self.source.upload} | shown
        kind, pen = shown["source"], (shown["words"], shown["pen"], shown["noise"])
        source = (
            DataSource("upload", upload=shown["digest"])
            if kind == "upload"
            else DataSource(kind, *pen * (kind == "pen"))
        )
        kinds = {number: shown[f"kind.{number}"] for number in range(MOST_RUNS)}
        methods = [MethodChoice(kind, int(shown[f"budget.{number}"])) for number, kind in kinds.items() if kind != NONE]
        shared = Training(**{field: shown[field] for field in FIELDS.values()})
        word = self.word if source == self.source else 0
        return LearnPlan(source, tuple(dict.fromkeys(methods)), shared, word, self.step)
