"""The entry of a page in the navigation; importing it loads nothing of the page."""

from dataclasses import dataclass, replace
from typing import Literal, Self

Group = Literal["Begin", "Explore", "Applications", "Yours"]
GROUPS: tuple[Group, ...] = ("Begin", "Explore", "Applications", "Yours")


@dataclass(frozen=True)
class NavEntry:
    """How a page is listed; ``NAV`` in the ``__init__.py`` of its folder.

    Parameters
    ----------
    title, icon : str
        Its name in the navigation and a Material symbol.
    group : {"Begin", "Explore", "Applications", "Yours"}
        Its menu.
    order : int
        Its position in the menu, in steps of ten.
    card : str, optional
        Label of its button on Home; empty for none.
    path : str, optional
        Its path in the address, by default the name of its folder. Links and lessons call the page by it.
    view : str, optional
        The name of the view that it opens with, which browsers fetch early.
    kind : {"capability", "function"}
        Whether ``page.py`` holds a declaration ``PAGE``, or a function ``show`` of a page without a question.
    folder : str
        The name of its folder; the registry fills it in.
    """

    title: str
    icon: str
    group: Group
    order: int
    card: str = ""
    path: str = ""
    view: str = ""
    kind: Literal["capability", "function"] = "capability"
    folder: str = ""

    @property
    def name(self) -> str:
        """The name of the page in links, lessons and session keys."""
        return self.path or self.folder

    def in_folder(self, folder: str) -> Self:
        """Return the entry of the page in the folder of that name."""
        return replace(self, folder=folder)
