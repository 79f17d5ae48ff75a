"""What Step, Compare and Your own example are asked: the word, methods, options, what-if edits, the position."""

from dataclasses import dataclass, replace
from string import ascii_lowercase

from pages.shell import link, text_store
from pages.shell.methods import MAX_BUDGET, MOST_RUNS, NONE, parse_runs, write_methods
from pages.shell.question import Question
from pages.shell.trained_models import known_models
from pages.word.edits import Edit, read_edits, renumber_edits, write_edits
from pages.word.strokes import LONGEST_INK
from rcmviz.core.builders.adaptive import WAYS
from rcmviz.core.methods import BUILDERS, USUAL_BUDGET, MethodChoice
from rcmviz.core.problems.problem import REPAIRED_ROOT_WEIGHT
from rcmviz.core.rules import FORWARD, POSTERIOR, RULES, fitting_rule
from rcmviz.tasks.handwriting.pen import HEX_DIGITS, NOISE, WRITERS

SOURCES = ("pen", "kassel", "drawn")  # of handwriting; besides, the subject can be a problem
DEFAULT_TEXT = {"pen": "exactly", "kassel": "3", "drawn": "", "problem": ""}
TYPED = ("pen", "kassel")  # sources whose text has a widget
MAX_LETTERS = 200
LONGEST_NODE = 1_000  # characters; the player leaves longer ones out of its links too
MAX_SEED = WRITERS - 1
EQUAL = "equal"  # budgets of all positions


def default_model(source):
    """The shipped model that was trained on such images."""
    return "handwriting-kassel" if source == "kassel" else "handwriting-pen"


def _read_source(reader, subject, _field):
    """A subject of another source begins with its own text and model."""
    known = reader.take("src", link.one_of(SOURCES), subject.source) if not reader.query.get("problem") else "problem"
    if known == subject.source:
        return subject
    return replace(subject, source=known, text=DEFAULT_TEXT[known], model=default_model(known))


def _write_source(subject, _field):
    return {} if subject.source == "problem" else {"src": subject.source}


def _name_of_text(subject):
    return "problem" if subject.source == "problem" else "word"


def _read_text(reader, subject, _field):
    text = reader.query.get(_name_of_text(subject), subject.text)
    return replace(subject, text=text_store.shorten(text) if subject.source == "problem" else text)


def _write_text(subject, _field):
    text = subject.text[: text_store.LONGEST] if subject.source in TYPED else subject.text
    return {_name_of_text(subject): text} if text or subject.source in TYPED else {}


def _read_model(reader, subject, _field):
    models = known_models(reader.query)
    return replace(subject, model=reader.take("model", link.one_of(models), subject.model)) if models else subject


def _write_model(subject, _field):
    usual = subject.source == "problem" or subject.model == default_model(subject.source)
    return {} if usual else {"model": subject.model}


@dataclass(frozen=True)
class Subject(link.Link):
    """The example that is looked at: where it comes from and with which model it is read.

    ``text`` is what the source needs: letters for the pen, an index or letters for Kassel's words, hexadecimal pixels
    for a drawing, a packed problem file or the name that it is kept by. A drawing has its strokes too, ``ink``, and a
    ``gold`` if somebody gives one.
    """

    source: str = link.multi_param(("src",), "pen", _read_source, _write_source)
    text: str = link.multi_param(("word", "problem"), DEFAULT_TEXT["pen"], _read_text, _write_text)
    seed: int = link.whole("seed", 14, 0, MAX_SEED, of="pen", always=True)
    noise: float = link.real("noise", NOISE, 0.0, 0.5, of="pen")
    model: str = link.multi_param(("model",), default_model("pen"), _read_model, _write_model)
    ink: str = link.text("ink", "", LONGEST_INK, of="drawn")
    gold: str = link.text("gold", "", MAX_LETTERS, of="drawn")

    def groups(self):
        """What decides how it is written."""
        return (self.source,)

    @property
    def drawn_letters(self):
        """How many letters are drawn."""
        return len(self.text) // HEX_DIGITS

    @property
    def drawn_gold(self):
        """The gold of a drawing, as letters that fit it; else ""."""
        gold = self.gold.strip().lower()
        return gold if len(gold) == self.drawn_letters and set(gold) <= set(ascii_lowercase) else ""


@dataclass(frozen=True)
class Options(link.Link):
    """What all methods of a view share."""

    passes: int = link.whole("passes", 1, 1, 10)
    deduplicate: bool = link.flag("dedup", False)
    root_weight: float = link.real("root", REPAIRED_ROOT_WEIGHT, -50.0, 50.0)
    draw: int = link.whole("draw", 0, 0, 999)
    select: str = link.choice("select", FORWARD, tuple(RULES))
    adaptive: str = link.choice("adaptive", EQUAL, (EQUAL, *WAYS))
    every_pass: bool = link.flag("every_pass", False)

    def options_of(self, method):
        """The options that a method takes, as arguments of its builder; an unsuitable rule is replaced."""
        adaptive = None if self.adaptive == EQUAL else self.adaptive
        rule = {"select": fitting_rule(self.select, method.kind), "adaptive": adaptive}
        return method.taken(vars(self) | {"seed": self.draw} | rule)

    @property
    def has_passes(self):
        """Whether RCMS makes more than one pass."""
        return self.passes > 1 or self.adaptive != EQUAL or self.select == POSTERIOR

    def suffix(self, method):
        """What a run's name says of the rule and the budgets, if they are not the usual ones.

        >>> from rcmviz.core.methods import METHODS
        >>> Options(select="lookahead", adaptive="entropy").suffix(METHODS["rcms"])
        ', lookahead, adaptive'
        """
        taken = self.options_of(method)
        rule = "" if taken.get("select", FORWARD) == FORWARD else f", {taken['select']}"
        return rule + (", adaptive" if taken.get("adaptive") else "")


def _read_methods(reader, settings, _field):
    if settings.compares:
        return replace(settings, methods=reader.take("runs", parse_runs, settings.methods))
    kind = reader.take("method", link.one_of(BUILDERS), settings.methods[0].kind)
    budget = reader.take("budget", link.within(1, MAX_BUDGET), settings.methods[0].budget)
    return replace(settings, methods=(MethodChoice(kind, budget),))


def _write_methods(settings, _field):
    if settings.compares:
        return {"runs": write_methods(settings.methods)}
    (method,) = settings.methods
    return {"method": method.kind} | ({"budget": str(method.budget)} if method.has_budget else {})


def _read_edits(text):
    return read_edits(text_store.expand(text))


def _write_edits(edits):
    return text_store.shorten(write_edits(edits))


def _write_node(name):
    """The name of a context, unless forty long labels make it too long for a link."""
    return name if name and len(name) <= LONGEST_NODE else None


@dataclass(frozen=True)
class WordQuestion(Question):
    """A whole view: subject, methods (one unless the page ``compares``), options, what-if edits, position and node.

    ``browser_params`` say how it is shown; the browser keeps them.
    """

    browser_params = ("phase", "share", "reveal", "stage", "present", "quiz")
    place_fields = ("position", "node")

    subject: Subject = link.nested(Subject())
    methods: tuple[MethodChoice, ...] = link.multi_param(
        ("method", "budget", "runs"), (MethodChoice(),), _read_methods, _write_methods
    )
    compares: bool = False
    linked: bool = link.flag("linked", True, of="comparison")
    options: Options = link.nested(Options())
    edits: tuple[Edit, ...] = link.coded("edits", (), _read_edits, _write_edits)
    position: int = link.whole("pos", 1, 1, 2_000, always=True)
    node: str | None = link.coded("node", None, lambda name: name or None, _write_node)

    @property
    def phase(self):
        """The phase of a link that says none: of its first position, and of others."""
        return "settle" if self.position > 1 else "grow"

    def placed(self):
        """Where the view stands, with the phase that it opens at."""
        return super().placed() | {"phase": self.phase}

    def groups(self):
        """What matters to one method, or to several."""
        return ("comparison",) if self.compares else ()

    @property
    def slots(self):
        """One method per place where one can be chosen, None where none is."""
        return [*self.methods, *[None] * MOST_RUNS][: MOST_RUNS if self.compares else 1]

    def widgets(self):
        """What the widgets show: the subject and the options by field, each method and its budget."""
        subject = self.subject
        shown = {name: getattr(subject, name) for name in ("source", "seed", "noise", "model", "gold")}
        shown |= vars(self.options) | {"linked": self.linked}
        if subject.source in TYPED:
            shown[f"text.{subject.source}"] = subject.text
        for number, method in enumerate(self.slots):
            shown[f"kind.{number}"] = method.kind if method else NONE
            if method and method.has_budget:
                shown[f"budget.{number}"] = method.budget
        return shown

    def first_widgets(self):
        """The texts of other sources, and budgets of methods that have none."""
        texts = {f"text.{source}": text for source, text in DEFAULT_TEXT.items()}
        return texts | {f"budget.{number}": USUAL_BUDGET for number in range(MOST_RUNS)}

    def changed_widgets(self, before):
        """Another source has another model."""
        return ("model",) if self.subject.source != before.subject.source else ()

    def with_widgets(self, shown):
        """The view as its widgets show it; edits of another subject or of a method that is gone mean nothing in it."""
        subject, chosen = _subject_of_widgets(self.subject, shown), self._methods_shown(shown)
        return replace(
            self,
            subject=subject,
            methods=tuple(chosen.values()),
            linked=shown.get("linked", self.linked),
            options=replace(self.options, **{name: shown[name] for name in vars(self.options) if name in shown}),
            edits=renumber_edits(self.edits, chosen)
            if replace(subject, gold=self.subject.gold) == self.subject
            else (),
        )

    def _methods_shown(self, shown):
        """The methods by the number of their place, from 1."""
        linked, methods = shown.get("linked", self.linked), {}
        for number, method in enumerate(self.slots):
            kind = shown.get(f"kind.{number}", method.kind if method else NONE)
            budget = shown.get(f"budget.{0 if linked else number}", method.budget if method else USUAL_BUDGET)
            if kind != NONE:
                methods[number + 1] = MethodChoice(kind, int(budget))
        return methods

    def at(self, position, node=None):
        """The same view at another position."""
        return replace(self, position=int(position), node=node or None)

    def of_subject(self, **changes):
        """The view of another subject, from its first position."""
        return replace(self, subject=replace(self.subject, **changes), edits=(), position=1, node=None)


def _subject_of_widgets(old, shown):
    """The subject as widgets show it; what was drawn or pasted last is ``kept``, for no widget holds it."""
    source = shown.get("source", old.source)
    same = source == old.source
    ink = shown.get("kept.ink", old.ink if same else "") if source == "drawn" else ""
    gold = shown.get("gold", old.gold if same else "") if source == "drawn" else ""
    text = shown.get(
        f"text.{source}" if source in TYPED else f"kept.{source}", old.text if same else DEFAULT_TEXT[source]
    )
    model = shown.get("model", old.model) if same else default_model(source)
    return Subject(source, text, shown.get("seed", old.seed), shown.get("noise", old.noise), model, ink, gold)
