"""Questions: the inputs of a page as a frozen dataclass.

@dataclass(frozen=True)
class DiceQuestion(Question):
    text: str = fields.text("text", "two dice", max_chars=40, label="Text")
    sides: int = fields.integer("sides", 6, 2, 20, label="Sides", help="Of each die.")
"""

from functools import cache
from typing import ClassVar, Self

from pages.shell import link
from pages.shell.fields import Control


class Question(link.Link):
    """Base class of the questions of pages; ``pages.shell.fields`` makes their fields.

    A page with tabs has a field ``tab``. A page whose link has the position of its view overrides ``place``, which
    returns a Link whose parameters the browser writes.
    """

    browser_params: ClassVar[tuple[str, ...]] = ("present",)  # the browser writes it while it shows only the view

    @property
    def tab(self) -> str:
        """The open tab."""
        return ""

    @classmethod
    @cache
    def controls(cls) -> tuple[tuple[str, Control], ...]:
        """Return (field, control) of every widget, in the order of the fields."""
        fields = cls.__dataclass_fields__.items()  # type: ignore[attr-defined]
        return tuple((name, control) for name, each in fields for control in each.metadata.get("controls", ()))

    def applies(self, name: str) -> bool:
        """Whether a field applies, given the values of the others."""
        return self.is_relevant(self.parameters()[name])

    def relevant(self) -> Self:
        """Return the question with defaults in fields that do not apply or tell a position: the key of caches."""
        fields = self.__dataclass_fields__  # type: ignore[attr-defined]
        others = [name for name in self.parameters() if name in self.place_fields or not self.applies(name)]
        return self.changed(**{name: fields[name].default for name in others})
