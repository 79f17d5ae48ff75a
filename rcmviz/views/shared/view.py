"""The declaration of a view: its script, its style sheets, the events that it sends to Python."""

from dataclasses import dataclass
from pathlib import Path

PLAYER = ("word/player.css", "shared/methods.css", "shared/words.css", "shared/presenting.css")
CHARTS = (*PLAYER, "shared/chart.css")
LEARNING = (*CHARTS, "learn/view.css")
CONTEXT_ROWS = (*LEARNING, "shared/context_rows.css")


@dataclass(frozen=True)
class View:
    """A view, which draws a payload in a browser.

    Parameters
    ----------
    name : str
        Its name in exports, notebooks and Streamlit.
    entry : str or Path
        The module whose default export draws payloads. A relative path starts at ``rcmviz/views`` and needs an entry in
        ``[tool.streamlit.component]`` of pyproject.toml; a view of a page alone gives an absolute path.
    sheets : tuple of str or Path, optional
        Its style sheets, the general ones first.
    events : tuple of str, optional
        Events that it sends to Python: each has a value for the one run of the page after it was sent.
    states : tuple of str, optional
        Values that it reports to Python when they change; at first those of the payload.
    in_class : bool
        Whether it is shown to a class.
    shows_errors : bool
        Whether it draws payloads with an ``error`` in place of a result.
    """

    name: str
    entry: str | Path
    sheets: tuple[str | Path, ...] = PLAYER
    events: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    in_class: bool = True
    shows_errors: bool = True

    @property
    def draw(self) -> str:
        """The name of the entry's default export in a bundle."""
        return "rcmviz" + self.name.title().replace("_", "")

    @property
    def is_of_page(self) -> bool:
        """Whether its files are in the folder of a page, outside of the library."""
        return Path(self.entry).is_absolute()
