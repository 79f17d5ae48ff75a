"""The animated picture of where each method's mass goes, position by position."""

from dataclasses import replace

from rcmviz.views.shared.view import PLAYER, View
from rcmviz.views.word import VIEW as _PLAYER

VIEW = View("mass_flow", "mass_flow/entry.js", (*PLAYER, "mass_flow/view.css"), states=("position",))
# The picture on Home: `closer` says which moment to open on Compare.
HERO = View(
    "mass_flow_hero",
    "mass_flow/hero.js",
    (*VIEW.sheets, "mass_flow/hero.css"),
    events=("closer",),
    in_class=False,
)
# The picture with the player as its details: what the player tells Python, it tells from there too.
WITH_DETAILS = replace(
    _PLAYER, name="word", entry="mass_flow/with_details.js", sheets=(*_PLAYER.sheets, "mass_flow/view.css")
)
