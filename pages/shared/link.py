"""Links: a view is a frozen dataclass, and each of its fields says once how it stands in the address of its page.

    @dataclass(frozen=True)
    class Spelling(link.Link):
        word: str = link.text("word", "bright", longest=40, always=True)
        budget: int = link.whole("budget", 20, 1, 500)

``Spelling.read(query)`` gives (view, opening, notices), ``view.write()`` the query. What is as by default is left out,
unless a reader of the link looks for it (``always``). What cannot be read is named in a notice and replaced by its
default, so nonsense in a link never costs more than a sentence.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import cache

EVERYWHERE = ("lesson", "part")  # in the links of all pages: no page reads it, none takes it away
LONGEST_ERROR = 300  # characters of what a notice says
SAME = object()  # nonsense is replaced by the default


class NotWanted(ValueError):
    """A text that is not what it says: "one of a, b"; the notice names what is shown instead."""


class Reader:
    """Reads a query, and collects a notice for each value that cannot be."""

    def __init__(self, query):
        self.query = dict(query)
        self.notices = []

    def take(self, name, decode, default):
        """The value of a parameter; the ``default`` where it is left out, or ``decode(text)`` raises ValueError."""
        if name not in self.query:
            return default
        try:
            return decode(self.query[name])
        except NotWanted as wanted:
            said = self.query[name].replace("`", "'")
            said = said if len(said) <= 40 else said[:40] + "…"
            self.notices.append(f"`{name}={said}` in the link is not {wanted}; showing {as_text(default)} instead.")
        except ValueError as error:
            said = str(error) if len(str(error)) <= LONGEST_ERROR else str(error)[:LONGEST_ERROR] + "…"
            self.notices.append(f"`{name}` in the link: {said}; showing the view without it.")
        return default

    def refuse_others(self, known):
        """A notice for parameters that are not among the ``known`` ones."""
        unknown = sorted(set(self.query) - set(known))
        if unknown:
            named = ", ".join(repr(name[:40]) for name in unknown[:5])
            self.notices.append(f"The link has {named}, which means nothing here.")


@dataclass(frozen=True)
class Parameter:
    """A field under one name: ``decode(text, view)`` raises ValueError, ``encode(value)`` is None for what no link can
    carry · ``of`` the groups it belongs to (``Link.groups``) · ``always`` written, even where it is as by default ·
    ``widget`` whether a widget of the field's name shows it, ``limits`` what that may show, as Streamlit calls it ·
    ``otherwise`` what nonsense is replaced by, where that is not the default.
    """

    name: str
    decode: Callable
    encode: Callable
    of: frozenset = frozenset()
    always: bool = False
    widget: bool = True
    limits: dict = field(default_factory=dict)
    otherwise: object = SAME

    @property
    def names(self):
        """All that it reads of a query."""
        return (self.name,)

    def read(self, reader, view, field):
        """The view with this field as the link has it."""
        if self.name not in reader.query:
            return view
        default = getattr(view, field) if self.otherwise is SAME else self.otherwise
        return replace(view, **{field: reader.take(self.name, lambda text: self.decode(text, view), default)})

    def write(self, view, field):
        """What the link says of it."""
        value = getattr(view, field)
        written = self.encode(value) if self.always or value != getattr(type(view), field) else None
        return {} if written is None else {self.name: written}


@dataclass(frozen=True)
class Several:
    """What takes several parameters, or several fields, to say: ``read_on(reader, view, field)`` is the view with all
    of it, ``write(view, field)`` its part of the query; the rest as in ``Parameter``.
    """

    names: tuple
    read: Callable
    write: Callable
    of: frozenset = frozenset()
    widget: bool = True
    limits: dict = field(default_factory=dict)


class Link:
    """A view that a link can carry; every field of it that a link says is made by a function of this module.

    ``beside`` are parameters that are not read here but left as they come.
    """

    beside = ()

    @classmethod
    def read(cls, query, usual=None):
        """(View, opening, notices) of a query; ``usual`` says what is meant by what the link leaves out.

        ``opening`` is where the view begins, by field of ``place``; None where the link does not say.
        """
        reader, usual = Reader(query), usual or cls()
        view = usual._read_on(reader)
        place = view.place()
        opening = None
        if place is not None and set(query) & set(place.names()):
            found = place._read_on(reader)
            opening = {name: getattr(found, name) for name in found.parameters() if getattr(found, name) is not None}
        reader.refuse_others((*cls.names(), *usual.place_names()))
        return view, opening, reader.notices

    def write(self):
        """The view as a query."""
        query = {}
        for name, parameter in self.parameters().items():
            if self._matters(parameter):
                query |= parameter.write(self, name)
        return query

    def groups(self):
        """The groups of fields that mean something now; others are left out of the link."""
        return ()

    def place(self):
        """Where the view stands, as a Link of its own with what it is by default; the browser writes it."""
        return None

    @classmethod
    @cache
    def parameters(cls):
        """What the fields say of themselves, by name of the field."""
        return {field.name: field.metadata["link"] for field in fields(cls) if "link" in field.metadata}

    @classmethod
    @cache
    def names(cls):
        """The names in the link of everything that it reads."""
        return tuple(dict.fromkeys(name for parameter in cls.parameters().values() for name in parameter.names))

    def place_names(self):
        """The names in the link of what others write."""
        return (*(self.place().names() if self.place() else ()), *self.beside)

    def fields_of(self, *wanted):
        """The values of these fields, or groups of fields, by name."""
        return {
            name: getattr(self, name)
            for name, parameter in self.parameters().items()
            if name in wanted or parameter.of.intersection(wanted)
        }

    def only(self, *wanted):
        """A view that says nothing but these fields, or groups of fields: what a cache may go by."""
        return type(self)(**self.fields_of(*wanted))

    def widgets(self):
        """What the widgets of its page show, by name."""
        shown = {name: getattr(self, name) for name, parameter in self.parameters().items() if parameter.widget}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in shown.items()}

    def first_widgets(self):
        """What further widgets show, whose values this view does not have, until somebody changes them."""
        return {}

    def with_widgets(self, shown):
        """The view as its widgets show it now; ``shown`` by name, what is not there is as before."""
        shown = {name: shown[name] for name in self.widgets() if name in shown}
        return replace(
            self, **{name: tuple(value) if isinstance(value, list) else value for name, value in shown.items()}
        )

    def changed_widgets(self, before):
        """Widgets to be set anew after ``before``: those of a tab that was left have forgotten what they showed."""
        return self.widgets() if getattr(self, "tab", None) != getattr(before, "tab", None) else ()

    def _read_on(self, reader):
        view, parameters = self, self.parameters()
        for name, parameter in parameters.items():
            same = [other for other in parameters if parameters[other].names == parameter.names]
            if name == next((other for other in same if view._matters(parameters[other])), same[0]):
                view = parameter.read(reader, view, name)
        return view

    def _matters(self, parameter):
        return not parameter.of or bool(parameter.of.intersection(self.groups()))


def coded(name, default, decode, encode=str, of="", **more):
    """A field in words of its own: ``decode(text)`` raises ValueError, which says what is wrong."""
    return _field(Parameter(name, lambda text, view: decode(text), encode, _groups(of), **more), default)


def text(name, default, longest, **more):
    """A text of so many characters at most."""
    return coded(name, default, at_most(longest), **more)


def at_most(longest):
    """How a text is decoded that has a limit."""

    def decode(text):
        if len(text) > longest:
            raise ValueError(f"{len(text):,} characters are too many, {longest:,} can be read")
        return text

    return decode


def choice(name, default, among, limits=None, **more):
    """One of several values."""
    return coded(name, default, one_of(among), as_text, limits={"options": among} if limits is None else limits, **more)


def one_of(among):
    """How a text is decoded that is one of several values."""
    known = {as_text(value): value for value in among}

    def decode(text):
        if text not in known:
            raise NotWanted(f"one of {', '.join(known)}")
        return known[text]

    return decode


def flag(name, default, **more):
    """Yes or no: 1 or 0."""
    return choice(name, default, (False, True), limits={}, **more)


def whole(name, default, low, high, **more):
    """A whole number from ``low`` to ``high``, which may be a function of the fields before it."""
    return _number(int, str, name, default, low, high, **more)


def real(name, default, low, high, digits=6, **more):
    """A number, written with so many ``digits``; None: with all that it has."""
    encode = (lambda value: str(value).removesuffix(".0")) if digits is None else (lambda value: f"{value:.{digits}g}")
    return _number(float, encode, name, default, low, high, **more)


def _number(kind, encode, name, default, low, high, of="", **more):
    def decode(text, view):
        return within(low, high(view) if callable(high) else high, kind)(text)

    limits = {"min_value": low, "max_value": high}
    return _field(Parameter(name, decode, encode, _groups(of), limits=limits, **more), default)


def within(low, high, kind=int):
    """How a text is decoded that is a number."""

    def decode(text):
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            raise NotWanted(f"{'a whole number' if kind is int else 'a number'} from {low:,} to {high:,}")
        return value

    return decode


def several(names, default, read, write, of="", **more):
    """A field that takes several parameters, or decides upon other fields too; see ``Several``."""
    return _field(Several(names, read, write, _groups(of), **more), default)


def part(default, **limits):
    """A field with a widget of its own that another field says in the link."""
    return several((), default, lambda reader, view, field: view, lambda view, field: {}, limits=limits)


def nested(default):
    """A part of the view that is a Link itself; its parameters stand among the others."""

    def read(reader, view, field):
        return replace(view, **{field: getattr(view, field)._read_on(reader)})

    return several(type(default).names(), default, read, lambda view, field: getattr(view, field).write())


def as_text(value):
    """A value as links and notices have it; yes is 1, no is 0."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def _field(parameter, default):
    return field(default=default, metadata={"link": parameter})


def _groups(of):
    return frozenset(of.split())
