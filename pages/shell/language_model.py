"""The field of a question that names a language model: a shipped one, or one that the visitor uploads."""

from functools import partial
from typing import Any

from pages.shell import language_models
from pages.shell.fields import Control, coded


def language_model(param: str, default: str, *, none: str | None = None, help: str | None = None, **more: Any) -> Any:
    """Make a field with a choice in the row and an upload in the popover; ``none`` is the value for no model."""
    arguments = {"label": "Language model", "options": partial(_options, none), "format_func": title_of, "help": help}
    controls = Control("selectbox", arguments, width=4), Control(_upload, slot="more")
    return coded(param, default, partial(_decode, none), controls=controls, **more)


def title_of(name: str) -> str:
    """Return the title of a model."""
    return "none" if name == "none" else language_models.title_of(name)


def _decode(none: str | None, name: str) -> str:
    return name if name == none else language_models.known_name(name)


def _options(none: str | None, chosen: str) -> list[str]:
    offered = language_models.offered_models(None if chosen == none else chosen)
    return offered if none is None else [none, *offered]


def _upload(state: Any, question: Any, field: str) -> None:
    language_models.upload_model(state, field, "model_file")
