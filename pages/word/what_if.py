"""What-if edits of a page whose view has ``edits``: taken from a player, said in a line, taken back."""

import streamlit as st

from pages.shell.state import PageState
from pages.shell.text import escape_markdown
from pages.word.edits import Edit, add_edit


class EditedPage(PageState):
    """A page in this session whose view has ``edits``."""

    def add_edit(self, edit):
        """A what-if edit, from the player or the form."""
        self.put(edits=add_edit(self.view.edits, edit))

    def number_of(self, shown):
        """The number of a method, by that which the player has for it; None, for all, stays None."""
        return shown

    def drop_edits(self, how_many=1):
        """Undo the last edits."""
        self.put(edits=self.view.edits[: max(0, len(self.view.edits) - how_many)])


def take_what_if(page, asked):
    """A player's callback: its buttons have ``asked`` for an edit, or for another budget."""
    of = page.number_of(asked.get("of"))
    if asked["op"] == "undo":
        page.drop_edits()
    elif asked["op"] == "run":
        page.set_budget(of, int(asked["what"]))
    else:
        what = asked["what"]
        what = tuple(what) if isinstance(what, list) else what
        page.add_edit(Edit(asked["op"], int(asked["position"]), what, of))


def show_edits(page, keeps_room=True):
    """The edits in force, with undo. A line that ``keeps_room`` is there without any edits too, or the first one would
    push down what is below it.
    """
    edits = page.view.edits
    with st.container(key=page.key("edits-bar"), horizontal=True, vertical_alignment="center", gap="small"):
        if not edits and not keeps_room:
            return
        st.markdown(
            "**What if:** " + (", ".join(escape_markdown(str(edit)) for edit in edits) or "nothing is changed yet")
        )
        if edits:
            st.button("Undo", on_click=page.drop_edits, key=page.key("undo"))
            st.button("Clear", on_click=page.drop_edits, args=(len(edits),), key=page.key("clear"))
