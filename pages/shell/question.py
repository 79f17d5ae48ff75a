"""Questions: what a page is asked, as a frozen dataclass.

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

    A page with tabs has a field ``tab``. A page whose link says where its view stands overrides ``place``: it returns a
    Link of its own, whose parameters the browser writes.
    """

    beside: ClassVar[tuple[str, ...]] = ("present",)  # the browser says there that it shows nothing but the view

    @property
    def tab(self) -> str:
        """The tab that is open."""
        return ""

    @classmethod
    @cache
    def controls(cls) -> tuple[tuple[str, Control], ...]:
        """(Field, control) of every widget, in the order of the fields."""
        fields = cls.__dataclass_fields__.items()  # type: ignore[attr-defined]
        return tuple((name, control) for name, each in fields for control in each.metadata.get("controls", ()))

    def applies(self, name: str) -> bool:
        """Whether a field means anything, given the values of the others."""
        return self.matters(self.parameters()[name])

    def relevant(self) -> Self:
        """The question with defaults where a field does not apply, or says where the view stands: the key of caches."""
        fields = self.__dataclass_fields__  # type: ignore[attr-defined]
        others = [name for name in self.parameters() if name in self.place_fields or not self.applies(name)]
        return self.changed(**{name: fields[name].default for name in others})
