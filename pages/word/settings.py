"""What a view shows, as one frozen value that a link can carry.

A link is read field by field: what cannot be read is named in a notice and replaced by its default, so nonsense in a
link never costs more than a sentence.
"""

from dataclasses import dataclass, fields, replace

from pages.word.edits import MAX_BUDGET, Edit, read_edits, write_edits
from rcmviz.core.methods import BUILDERS, MethodChoice
from rcmviz.core.problem import REPAIRED_ROOT_WEIGHT
from rcmviz.tasks.handwriting.pen import NOISE, WRITERS

SOURCES = ("pen", "kassel", "drawn", "problem")
NONE = "none"  # where a further method could be chosen
MAX_LETTERS = 200
MAX_SEED = WRITERS - 1
MOST_RUNS = 3
PARAMETERS = {"src", "word", "seed", "noise", "model", "method", "budget", "runs", "linked", "passes", "dedup", "root",
              "edits", "pos", "node", "problem"}  # fmt: skip


@dataclass(frozen=True)
class Subject:
    """The example that is looked at: where it comes from and with which model it is read.

    ``text`` is what the source needs: letters for the pen, an index or letters for Kassel's words, hexadecimal pixels
    for a drawing, a packed problem file.
    """

    source: str = "pen"
    text: str = "exactly"
    seed: int = 14
    noise: float = NOISE
    model: str = "handwriting-pen"


@dataclass(frozen=True)
class Options:
    """What all methods of a view share."""

    passes: int = 1
    deduplicate: bool = False
    root_weight: float = REPAIRED_ROOT_WEIGHT

    def of(self, method):
        """Those that a method takes, as arguments of its builder."""
        return {name: value for name, value in vars(self).items() if name in method.options}


@dataclass(frozen=True)
class Settings:
    """A whole view: subject, methods (one unless the page ``compares``), options, what-if edits, position and node."""

    subject: Subject = Subject()
    methods: tuple[MethodChoice, ...] = (MethodChoice(),)
    compares: bool = False
    options: Options = Options()
    linked: bool = True
    edits: tuple[Edit, ...] = ()
    position: int = 1
    node: str | None = None


def default_model(source):
    """The shipped model that was trained on such images."""
    return "handwriting-kassel" if source == "kassel" else "handwriting-pen"


DEFAULT_TEXT = {"pen": "exactly", "kassel": "3", "drawn": "", "problem": ""}


class Reader:
    """Reads a query, field by field, and collects a notice for each value that cannot be."""

    def __init__(self, query):
        self.query = dict(query)
        self.notices = []

    def refuse(self, name, wanted, default):
        shown = self.query[name].replace("`", "'")
        shown = shown if len(shown) <= 40 else shown[:40] + "…"
        self.notices.append(f"`{name}={shown}` in the link is not {wanted}; showing {default} instead.")
        return default

    def choice(self, name, among, default):
        value = self.query.get(name, default)
        return value if value in among else self.refuse(name, f"one of {', '.join(among)}", default)

    def number(self, name, low, high, default, kind=int):
        try:
            value = kind(self.query.get(name, default))
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            whole = "a whole number" if kind is int else "a number"
            return self.refuse(name, f"{whole} from {low:,} to {high:,}", default)
        return value

    def parsed(self, name, parse, default):
        if name not in self.query:
            return default
        try:
            return parse(self.query[name])
        except ValueError as error:
            self.notices.append(f"`{name}` in the link: {error}; showing the view without it.")
            return default

    def refuse_others(self, known):
        """A notice for parameters that are not among the ``known`` ones."""
        unknown = sorted(set(self.query) - set(known))
        if unknown:
            named = ", ".join(repr(name[:40]) for name in unknown[:5])
            self.notices.append(f"The link has {named}, which means nothing here.")


def read_settings(query, models, default):
    """(Settings, notices) of a link; ``models`` names that exist, ``default`` Settings for what the link leaves out."""
    reader = Reader(query)
    source = "problem" if "problem" in query else reader.choice("src", SOURCES[:3], default.subject.source)
    text = query.get("problem" if source == "problem" else "word")
    if text is None:
        text = default.subject.text if source == default.subject.source else DEFAULT_TEXT[source]
    model = default.subject.model if source == default.subject.source else default_model(source)
    settings = Settings(
        subject=Subject(
            source,
            text,
            reader.number("seed", 0, MAX_SEED, default.subject.seed),
            reader.number("noise", 0.0, 0.5, default.subject.noise, float),
            reader.choice("model", models, model) if models else model,
        ),
        methods=_read_methods(reader, default),
        compares=default.compares,
        options=Options(
            reader.number("passes", 1, 10, default.options.passes),
            reader.choice("dedup", ("0", "1"), "01"[default.options.deduplicate]) == "1",
            reader.number("root", -50.0, 50.0, default.options.root_weight, float),
        ),
        linked=reader.choice("linked", ("0", "1"), "01"[default.linked]) == "1",
        edits=reader.parsed("edits", read_edits, ()),
        position=reader.number("pos", 1, 2_000, 1),
        node=query.get("node") or None,
    )
    reader.refuse_others(PARAMETERS)
    return settings, reader.notices


def _read_methods(reader, default):
    if default.compares:
        return reader.parsed("runs", parse_methods, default.methods)
    first = default.methods[0]
    kind = reader.choice("method", BUILDERS, first.kind)
    return (MethodChoice(kind, reader.number("budget", 1, MAX_BUDGET, first.budget)),)


def parse_methods(text):
    """``beam:10,rcms:10,exact`` as MethodChoices; ValueError says what is wrong.

    >>> [method.name for method in parse_methods("beam:10,exact")]
    ['Beam 10', 'Exact']
    """
    methods = tuple(MethodChoice.parse(part, most=MAX_BUDGET) for part in text.split(",")[: MOST_RUNS + 1])
    if len(methods) > MOST_RUNS or len(set(methods)) < len(methods):
        raise ValueError(f"compare up to {MOST_RUNS} methods that differ")
    return methods


def heading(kind):
    """What a select box calls a method, or that there is none."""
    return "–" if kind == NONE else BUILDERS[kind].heading


def write_query(settings):
    """The settings as query parameters; what is as always is left out, but for what a reader of the link looks for."""
    subject, default = settings.subject, Settings()
    query = {"problem": subject.text} if subject.source == "problem" else {"src": subject.source, "word": subject.text}
    if subject.source == "pen":
        query["seed"] = str(subject.seed)
        if subject.noise != NOISE:
            query["noise"] = f"{subject.noise:g}"
    if subject.source != "problem" and subject.model != default_model(subject.source):
        query["model"] = subject.model
    if settings.compares:
        query["runs"] = ",".join(str(method) for method in settings.methods)
        if not settings.linked:
            query["linked"] = "0"
    else:
        query["method"] = settings.methods[0].kind
        if settings.methods[0].has_budget:
            query["budget"] = str(settings.methods[0].budget)
    names = {"passes": "passes", "deduplicate": "dedup", "root_weight": "root"}
    for field in fields(Options):
        value = getattr(settings.options, field.name)
        if value != getattr(default.options, field.name):
            query[names[field.name]] = f"{value:g}" if not isinstance(value, bool) else str(int(value))
    if settings.edits:
        query["edits"] = write_edits(settings.edits)
    query["pos"] = str(settings.position)
    if settings.node:
        query["node"] = settings.node
    return {name: value for name, value in query.items() if value != ""}


def at(settings, position, node=None):
    """The same view at another position."""
    return replace(settings, position=int(position), node=node or None)
