"""Links: a view is a frozen dataclass whose fields declare their parameters in the address of the page.

    @dataclass(frozen=True)
    class Spelling(link.Link):
        word: str = link.text("word", "bright", longest=40, always=True)
        budget: int = link.whole("budget", 20, 1, 500)

``Spelling.read(query)`` returns (view, opening, notices), ``view.write()`` the query. A value that equals its default
is left out unless the parameter is ``always`` written. A value that cannot be read is named in a notice and replaced by
its default, so an invalid link still opens. The limits of a parameter are also those of its
widget.

Pages declare their questions with ``pages.shell.fields``, which makes these fields and their widgets.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, ClassVar, Self

EVERYWHERE = ("lesson", "part", "details")  # parameters of every page: kept in each link, read by the shell only
LONGEST_ERROR = 300  # characters of an error that a notice quotes
SAME = object()  # the fallback is the default


class InvalidParam(ValueError):
    """A value out of range; the message ("one of a, b") continues a notice, which names the value shown instead."""


class Reader:
    """Reads a query and collects a notice for each value that cannot be read."""

    def __init__(self, query):
        self.query = dict(query)
        self.notices = []

    def take(self, name, decode, default):
        """Return the value of a parameter; ``default`` if it is missing or ``decode(text)`` raises ValueError."""
        if name not in self.query:
            return default
        try:
            return decode(self.query[name])
        except InvalidParam as expected:
            value = self.query[name].replace("`", "'")
            value = value if len(value) <= 40 else value[:40] + "…"
            self.notices.append(f"`{name}={value}` in the link is not {expected}; showing {as_text(default)} instead.")
        except ValueError as error:
            reason = str(error) if len(str(error)) <= LONGEST_ERROR else str(error)[:LONGEST_ERROR] + "…"
            self.notices.append(f"`{name}` in the link: {reason}; showing the view without it.")
        return default

    def refuse_others(self, known):
        """Add a notice if the query has parameters that are not ``known``."""
        unknown = sorted(set(self.query) - set(known))
        if unknown:
            named = ", ".join(repr(name[:40]) for name in unknown[:5])
            self.notices.append(f"The link has {named}, which this page does not know.")


@dataclass(frozen=True)
class Parameter:
    """One parameter of one field.

    ``decode(text, view)`` raises ValueError · ``encode(value)`` is None for a value that no link can carry · ``of``:
    groups of fields that it belongs to (``Link.groups``) · ``when(view)``: whether it applies, in place of groups ·
    ``always``: written even if it has its default · ``widget``: whether a widget has the field's name · ``limits``:
    arguments of that widget · ``fallback``: replaces an invalid value if the default does not.
    """

    name: str
    decode: Callable
    encode: Callable
    of: frozenset = frozenset()
    always: bool = False
    widget: bool = True
    limits: dict = field(default_factory=dict)
    fallback: object = SAME
    when: Callable | None = None

    @property
    def names(self):
        """The parameters of the query that it reads."""
        return (self.name,)

    def read(self, reader, view, field):
        """Return the view with this field from the link."""
        if self.name not in reader.query:
            return view
        default = getattr(view, field) if self.fallback is SAME else self.fallback
        return replace(view, **{field: reader.take(self.name, lambda text: self.decode(text, view), default)})

    def write(self, view, field):
        """Return its part of the query."""
        value = getattr(view, field)
        written = self.encode(value) if self.always or value != getattr(type(view), field) else None
        return {} if written is None else {self.name: written}


@dataclass(frozen=True)
class MultiParameter:
    """Several parameters, or several fields, that are read together.

    ``read(reader, view, field)`` returns the view with all of them, ``write(view, field)`` their part of the query; the
    rest is as in ``Parameter``.
    """

    names: tuple
    read: Callable
    write: Callable
    of: frozenset = frozenset()
    widget: bool = True
    limits: dict = field(default_factory=dict)
    when: Callable | None = None


class Link:
    """A view that a link can represent; the functions of this module make its fields.

    ``browser_params`` are parameters that only the browser reads and writes. ``place_fields`` are fields of the
    question that tell the position of the view: answers and facts do not depend on them.
    """

    browser_params: ClassVar[tuple[str, ...]] = ()
    place_fields: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def read(cls, query, usual=None):
        """Return (view, opening, notices) of a query; ``usual`` is the view of a link without parameters.

        ``opening`` is the position where the view begins, by field of ``place``; None if the link has none.
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
        """Return the view as a query."""
        query = {}
        for name, parameter in self.parameters().items():
            if self.is_relevant(parameter):
                query |= parameter.write(self, name)
        return query

    def groups(self):
        """Return the groups of fields that apply now; the link leaves the others out."""
        return ()

    def place(self):
        """Return the position of the view as a Link of its own, which the browser writes; None without one."""
        return None

    def placed(self) -> dict[str, Any]:
        """Return the position of the view as far as the page knows it: the values of ``place_fields`` by name."""
        return {name: getattr(self, name) for name in self.place_fields}

    def changed(self, **fields: Any) -> Self:
        """Return the view with other values of these fields."""
        return replace(self, **fields)  # type: ignore[type-var]

    @classmethod
    @cache
    def parameters(cls):
        """Return the parameters by name of their fields."""
        return {field.name: field.metadata["link"] for field in fields(cls) if "link" in field.metadata}

    @classmethod
    @cache
    def names(cls):
        """Return all parameters of a query that are read."""
        return tuple(dict.fromkeys(name for parameter in cls.parameters().values() for name in parameter.names))

    def limits(self, name):
        """Return the limits of a field, or of a field of a nested Link: arguments of its widget."""
        if name in self.parameters():
            return self.parameters()[name].limits
        inner = [value for field in self.parameters() if isinstance(value := getattr(self, field), Link)]
        return next(each for each in inner if name in each.parameters()).limits(name)

    def place_names(self):
        """Return the parameters of a query that the browser writes."""
        return (*(self.place().names() if self.place() else ()), *self.browser_params)

    def fields_of(self, *wanted):
        """Return the values of these fields, or groups of fields, by name."""
        return {
            name: getattr(self, name)
            for name, parameter in self.parameters().items()
            if name in wanted or parameter.of.intersection(wanted)
        }

    def only(self, *wanted):
        """Return the view with these fields, or groups of fields, and defaults elsewhere: a key for caches."""
        return type(self)(**self.fields_of(*wanted))

    def widgets(self) -> dict[str, Any]:
        """Return the values of the page's widgets by name."""
        shown = {name: getattr(self, name) for name, parameter in self.parameters().items() if parameter.widget}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in shown.items()}

    def first_widgets(self):
        """Return the first values of widgets whose values are not part of the view."""
        return {}

    def with_widgets(self, shown):
        """Return the view with values ``shown`` by its widgets, by name; missing values stay unchanged."""
        shown = {name: shown[name] for name in self.widgets() if name in shown}
        return replace(
            self, **{name: tuple(value) if isinstance(value, list) else value for name, value in shown.items()}
        )

    def changed_widgets(self, before):
        """Return the widgets to set after the view ``before``: all, if the tab has changed."""
        return self.widgets() if getattr(self, "tab", None) != getattr(before, "tab", None) else ()

    def is_relevant(self, parameter):
        """Whether a parameter applies to this view."""
        if parameter.when is not None:
            return bool(parameter.when(self))
        return not parameter.of or bool(parameter.of.intersection(self.groups()))

    def _read_on(self, reader):
        view, parameters = self, self.parameters()
        for name, parameter in parameters.items():
            same = [other for other in parameters if parameters[other].names == parameter.names]
            if name == next((other for other in same if view.is_relevant(parameters[other])), same[0]):
                view = parameter.read(reader, view, name)
        return view


def coded(name, default, decode, encode=str, of="", **more):
    """Declare a value with its own notation: ``decode(text)`` raises ValueError with the reason."""
    return _field(Parameter(name, lambda text, view: decode(text), encode, _groups(of), **more), default)


def text(name, default, longest, **more):
    """Declare a text of at most ``longest`` characters."""
    return coded(name, default, at_most(longest), **more)


def at_most(longest):
    """Return a decoder of texts of at most ``longest`` characters."""

    def decode(text):
        if len(text) > longest:
            raise ValueError(f"{len(text):,} characters; at most {longest:,} are allowed")
        return text

    return decode


def choice(name, default, among, limits=None, **more):
    """Declare one of the values ``among``."""
    return coded(name, default, one_of(among), as_text, limits={"options": among} if limits is None else limits, **more)


def one_of(among):
    """Return a decoder of one of these values."""
    known = {as_text(value): value for value in among}

    def decode(text):
        if text not in known:
            raise InvalidParam(f"one of {', '.join(known)}")
        return known[text]

    return decode


def flag(name, default, **more):
    """Declare a boolean, 1 or 0 in the link."""
    return choice(name, default, (False, True), limits={}, **more)


def whole(name, default, low, high, **more):
    """Declare a whole number from ``low`` to ``high``, which may be a function of the fields before it."""
    return _number(int, str, name, default, low, high, **more)


def real(name, default, low, high, digits=6, **more):
    """Declare a number, written with ``digits`` significant digits; None writes all."""
    encode = (lambda value: str(value).removesuffix(".0")) if digits is None else (lambda value: f"{value:.{digits}g}")
    return _number(float, encode, name, default, low, high, **more)


def _number(kind, encode, name, default, low, high, of="", **more):
    def decode(text, view):
        return within(low, high(view) if callable(high) else high, kind)(text)

    limits = {"min_value": low, "max_value": high}
    return _field(Parameter(name, decode, encode, _groups(of), limits=limits, **more), default)


def within(low, high, kind=int):
    """Return a decoder of numbers from ``low`` to ``high``."""

    def decode(text):
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            raise InvalidParam(f"{'a whole number' if kind is int else 'a number'} from {low:,} to {high:,}")
        return value

    return decode


def multi_param(names, default, read, write, of="", **more):
    """Declare a field that reads several parameters, or sets other fields as well; see ``MultiParameter``."""
    return _field(MultiParameter(names, read, write, _groups(of), **more), default)


def part(default, when=None, widget=True, **limits):
    """Declare a field with a widget that another field reads from the link and writes there."""
    given = {"when": when, "widget": widget, "limits": limits}
    return multi_param((), default, lambda reader, view, field: view, lambda view, field: {}, **given)


def nested(default):
    """Declare a field that is a Link itself; its parameters are among the others."""

    def read(reader, view, field):
        return replace(view, **{field: getattr(view, field)._read_on(reader)})

    return multi_param(type(default).names(), default, read, lambda view, field: getattr(view, field).write())


def as_text(value):
    """Return a value as links and notices write it; booleans are 1 and 0."""
    return str(int(value)) if isinstance(value, bool) else str(value)


def _field(parameter, default):
    return field(default=default, metadata={"link": parameter})


def _groups(of):
    return frozenset(of.split())
