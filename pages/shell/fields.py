"""Fields of a question: each declares its link parameter, default, limits, widget, and when it applies.

The first argument is the parameter in the link, the second the default. A field without a ``label`` has no widget.
These keyword arguments are read here; all others (``help``, ``step``, ``placeholder``, ``format_func``) go to the
Streamlit widget:

- ``when(question)``: if it is false, the field does not apply: its widget is hidden, and it is left out of the link, of
  keys of caches and of what facts of lessons depend on. It may read the fields declared before its own. With
  ``disable=True`` the widget stays and is disabled.
- ``slot``: the place of the widget: next to the title ("header"), above the form ("above"), in its row ("row", the
  default), below it ("below"), in the popover at the end of the row ("more"), or folded at the end of that popover
  ("rare"). ``width`` is its share of the row (2). Widgets of a popover whose ``line`` is the same are next to each
  other.
- ``widget``: the name of the Streamlit widget, if not the usual one of such values.
- ``shown(question)``: if it is false, there is no widget though the field applies.
- ``always=True`` writes the field to the link even if it has its default.
- ``fallback``: replaces a value that cannot be read, if the default does not.

Write ``fields.text(...)``: inside a dataclass, a field called ``text`` would hide an imported function ``text``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pages.shell import link

Slot = Literal["header", "above", "row", "below", "more", "rare"]
OF_THE_LINK = ("always", "when", "fallback", "digits", "limits")
OF_THE_FORM = ("slot", "width", "line", "shown", "disable")


@dataclass(frozen=True)
class Control:
    """The widget of a field.

    Parameters
    ----------
    widget : str or callable
        The name of a Streamlit widget; or a function ``(state, question, field)`` that draws a widget by hand, under
        the session key ``state.key(field)`` if it shows the field's value.
    arguments : mapping, optional
        Arguments of the Streamlit widget; ``options`` may be a function of the field's value; ``placeholder``,
        ``help``, ``disabled`` and ``max_value`` may be one of the question.
    slot : {"header", "above", "row", "below", "more", "rare"}
        The place of the widget.
    width : int
        Its share of the row, or of its line in a popover.
    line : str
        Neighbours in a popover with the same name here are next to each other; "" is a line of its own.
    shown : callable, optional
        Whether there is a widget, of the question; a field may have one for each of two tabs.
    disable : bool
        Whether it is disabled, not hidden, while the field does not apply.
    """

    widget: str | Callable[[Any, Any, str], None]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    slot: Slot = "row"
    width: int = 2
    line: str = ""
    shown: Callable[[Any], bool] | None = None
    disable: bool = False


def text(param: str, default: str | None, *, max_chars: int, **more: Any) -> Any:
    """A text."""
    return _field(link.text, (param, default, max_chars), "text_input", {"limits": {"max_chars": max_chars}} | more)


def integer(param: str, default: int | None, min_value: int, max_value: Any, **more: Any) -> Any:
    """A whole number; ``max_value`` may be a function of the fields before it."""
    return _field(link.whole, (param, default, min_value, max_value), "number_input", {"step": 1} | more)


def decimal(param: str, default: float | None, min_value: float, max_value: float, **more: Any) -> Any:
    """A number; ``digits`` are written to the link."""
    return _field(link.real, (param, default, min_value, max_value), "number_input", {"format": "%g"} | more)


def choice(param: str, default: Any, options: tuple, **more: Any) -> Any:
    """One of several values; ``format_func`` gives their names."""
    return _field(link.choice, (param, default, options), "selectbox", more)


def part(default: Any, widget: str, **more: Any) -> Any:
    """A part of the value that another field reads from the link and writes there, with a widget of its own."""
    return _field(link.part, (default,), widget, more)


def flag(param: str, default: bool, **more: Any) -> Any:
    """Yes or no."""
    return _field(link.flag, (param, default), "toggle", more)


def coded(
    param: str,
    default: Any,
    decode: Callable[[str], Any],
    encode: Callable[[Any], str | None] = str,
    controls: tuple[Control, ...] = (),
    **more: Any,
) -> Any:
    """A value with its own notation: ``decode(text)`` raises ValueError with the reason."""
    has_widget = any(isinstance(control.widget, str) for control in controls)
    return with_controls(link.coded(param, default, decode, encode, **{"widget": has_widget} | more), controls)


def with_controls(linked: Any, controls: tuple[Control, ...]) -> Any:
    """A field of ``pages.shell.link``, such as ``link.multi_param(...)``, with these widgets."""
    return field(default=linked.default, metadata={**linked.metadata, "controls": controls})


def _field(make: Callable, given: tuple, widget: str, more: dict[str, Any]) -> Any:
    of_the_link = {name: more.pop(name) for name in OF_THE_LINK if name in more}
    of_the_form = {name: more.pop(name) for name in OF_THE_FORM if name in more}
    widget = more.pop("widget", widget)
    if not more.get("label"):
        return make(*given, widget=False, **of_the_link)
    return with_controls(make(*given, **of_the_link), (Control(widget, more, **of_the_form),))
