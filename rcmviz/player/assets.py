"""The scripts and styles of the player, joined from the files beside this one."""

from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
_PLAYER = (
    "core", "rows", "strip", "tree", "candidates", "heatmap", "side", "detail", "transport", "save", "player",
)  # fmt: skip
_ARS = (
    "ars_keypad", "ars_rounds", "ars_told", "ars_strip", "ars_graph", "ars_charts", "ars_found", "ars_tools", "ars",
)  # fmt: skip
_DECIPHER = ("decipher_message", "decipher_matrix", "decipher_pins", "decipher_tools", "decipher")
_ALIGN = ("align_told", "align_picture", "align_grid", "align_contexts", "align_tools", "align")


def _joined(names):
    return "\n".join((_HERE / f"{name}.js").read_text(encoding="utf-8") for name in names)


@cache
def player_script():
    """One ES module whose default export draws the player."""
    return _joined(_PLAYER)


@cache
def player_style():
    """The style sheet of the player."""
    return (_HERE / "player.css").read_text(encoding="utf-8")


@cache
def precision_script():
    """One ES module whose default export draws the precision view."""
    return _joined(("core", "scales", "save", "precision_chart", "precision_words", "precision"))


@cache
def precision_style():
    """The style sheet of the precision view, on top of the player's."""
    return player_style() + (_HERE / "precision.css").read_text(encoding="utf-8")


@cache
def learning_script():
    """One ES module whose default export draws the learning view."""
    return _joined(("core", "scales", "save", "learning_charts", "learning_insides", "learning"))


@cache
def learning_style():
    """The style sheet of the learning view, on top of the player's."""
    return player_style() + (_HERE / "learning.css").read_text(encoding="utf-8")


@cache
def ars_script():
    """One ES module whose default export plays the rounds of ARS."""
    return _joined(("core", "scales", "save", "transport", *_ARS))


@cache
def ars_style():
    """The style sheet of the ARS view, of the keypad and of the race, on top of the player's."""
    return player_style() + (_HERE / "ars.css").read_text(encoding="utf-8")


@cache
def race_script():
    """One ES module whose default export compares methods on one input."""
    return _joined(("core", "scales", "save", "ars_race"))


def race_style():
    """The style sheet of the comparison: that of the ARS view."""
    return ars_style()


@cache
def decipher_script():
    """One ES module whose default export shows a cipher being read."""
    return _joined(("core", "scales", "save", "transport", "learning_charts", *_DECIPHER))


@cache
def decipher_style():
    """The style sheet of the decipher view, on top of that of the learning view."""
    return learning_style() + (_HERE / "decipher.css").read_text(encoding="utf-8")


@cache
def align_script():
    """One ES module whose default export draws phones, letters and the cells between them."""
    return _joined(("core", "scales", "save", "transport", *_ALIGN))


@cache
def align_learning_script():
    """One ES module whose default export draws how the strategies of alignment learn."""
    return _joined(("core", "scales", "save", "learning_charts", "align_machine", "learning"))


@cache
def align_learning_style():
    """The style sheet of how alignments are learned: that of the Align view."""
    return align_style()


@cache
def align_style():
    """The style sheet of the Align views, on top of those of the player and of learning."""
    return learning_style() + (_HERE / "align.css").read_text(encoding="utf-8")


@cache
def page_template():
    """The HTML page around an exported view, with %title%, %style%, %data%, %script% and its %draw% to fill in."""
    return (_HERE / "page.html").read_text(encoding="utf-8")


@cache
def pad_script():
    """One ES module whose default export draws the pad."""
    return _joined(("core", "pad"))


@cache
def pad_style():
    """The style sheet of the pad."""
    return (_HERE / "pad.css").read_text(encoding="utf-8")
