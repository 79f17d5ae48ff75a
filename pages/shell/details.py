"""The switch between the simple pages (form, main figure, player) and all details (bounds, tables, code, exports).

The choice holds for all pages of a session; if it differs from the default, it is in the link of every page. A view
gets it as ``details`` in its payload, hides the elements of the class ``rv-details``, and stores a visitor's choice in
a cookie, with which the next session begins (``views/shared/details.js``).
"""

import streamlit as st

PARAMETER = "details"
SHOWN_AT_FIRST = False
COOKIE = "rcmviz-details"  # 1 or 0
_KEY = "details.shown"


def are_shown() -> bool:
    """Whether this session shows details."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = st.context.cookies.get(COOKIE, str(int(SHOWN_AT_FIRST))) == "1"
    return st.session_state[_KEY]


def update_from_link() -> None:
    """Read the choice from the link, or write it there: links of the navigation have no parameters."""
    asked = st.query_params.get(PARAMETER)
    if asked in ("0", "1"):
        st.session_state[_KEY] = asked == "1"
    _write_link()


def draw_switch(key: str) -> None:
    """Draw the switch of one page; ``key`` is that of its widget."""
    st.session_state[key] = are_shown()
    st.toggle("Details", key=key, on_change=_choose, args=(key,), help="Bounds, tables, formula, code and exports.")


def details_field() -> dict[str, bool]:
    """Return the field of a payload that shows or hides details in the view."""
    return {"details": are_shown()}


def _choose(key: str) -> None:
    st.session_state[_KEY] = st.session_state[key]
    _write_link()


def _write_link() -> None:
    """Write the choice to the link if it differs: any write sends the link that Python knows, and not the browser's."""
    wanted = None if are_shown() == SHOWN_AT_FIRST else str(int(are_shown()))
    if wanted == st.query_params.get(PARAMETER):
        return
    if wanted is None:
        del st.query_params[PARAMETER]
    else:
        st.query_params[PARAMETER] = wanted
