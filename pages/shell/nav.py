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
        The menu that it stands in.
    order : int
        Its place in the menu; steps of ten leave room.
    card : str, optional
        Label of its button on Home; without one there is no button.
    path : str, optional
        Its path in the address, by default the name of its folder. Links and lessons call the page by it.
    view : str, optional
        The name of the view that it opens with, so that browsers fetch it early.
    kind : {"capability", "function"}
        What its ``page.py`` holds: a declaration ``PAGE``, or a function ``show`` of a page without a question.
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
        """What links, lessons and session keys call the page."""
        return self.path or self.folder

    def in_folder(self, folder: str) -> Self:
        """The entry of the page in the folder of that name."""
        return replace(self, folder=folder)
