"""The navigation: one page per folder next to this file. Streamlit runs this script before every page."""

import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent
if str(HERE.parent) not in sys.path:  # so that pages can be imported by their full names
    sys.path.insert(0, str(HERE.parent))

from pages.shell import (  # noqa: E402
    class_line,
    details,  # noqa: E402
    dock,
    training_line,
    uploads,
    visitors,
)
from pages.shell.computing import Wait  # noqa: E402
from pages.shell.folded import STYLE as FOLDED  # noqa: E402
from pages.shell.fragment import run_slot  # noqa: E402
from pages.shell.nav import GROUPS  # noqa: E402
from pages.shell.registry import nav_entries  # noqa: E402
from pages.shell.render import run_page  # noqa: E402
from pages.shell.run_queue import RUN_QUEUE  # noqa: E402

# Streamlit leaves 68 pixels to a title and 75 above it; the view should be visible without scrolling.
STYLE = (
    "<style>[data-testid=stMainBlockContainer]{padding-top:62px;padding-bottom:48px}"
    "[data-testid=stHeading] h1{padding:0 0 8px}"
    # The list of edits has a fixed height, so that the player below it does not move.
    "[class*=edits-bar]{min-height:26px;max-height:26px;margin:-6px 0;flex-wrap:nowrap}"
    "[class*=edits-bar]>:first-child{min-width:0;overflow-x:auto}"
    "[class*=edits-bar] p{white-space:nowrap;font-size:14px}"
    "[class*=edits-bar] button{min-height:26px;padding:0 12px}"
    "@media(max-width:640px){[class*=edits-bar]{max-height:none}[class*=edits-bar]>:first-child{overflow:visible}"
    "[class*=edits-bar] p{white-space:normal}}"
    # The player has its full height before its script is loaded, so that elements below it do not move.
    ":is([class*=-player],[class*=-view])>[data-testid=stSkeleton]{height:700px}"
    # A clock is invisible.
    "[class*=st-key-clock]{position:absolute}"
    # The label of a switch wraps if it is too long; Streamlit would cut it.
    "[data-testid=stCheckbox] [data-testid=stMarkdownContainer],[data-testid=stCheckbox] p"
    "{white-space:normal;overflow:visible;line-height:1.25}"
    # Show the keyboard focus on links of the navigation, and skip those of a folded menu.
    ":is([data-testid=stTopNavSection],[data-testid=stTopNavDropdownLink],[data-testid=stSidebarNavLink]):focus-visible"
    "{outline:2px solid currentColor;outline-offset:-2px}"
    "[data-testid=stSidebar][data-collapsed=true]{visibility:hidden}"
    # Keep a wrapped legend close to its formula.
    ".st-key-formula{row-gap:6px}"
    # Hide the icon of a button that has no room for label and icon.
    "[class*=-another]{container-type:inline-size}[class*=-another] button{padding-inline:8px}"
    "@container (max-width:104px){[class*=-another] span:has(>[data-testid=stIconMaterial]){display:none}}"
    # On a phone: a title of one line and small margins, so that the picture is visible first.
    "@media (max-width:640px){[data-testid=stHeading] h1{font-size:1.3rem;padding:0 0 12px}"
    "[data-testid=stMainBlockContainer]{padding-top:56px}"
    "[data-testid=stMainBlockContainer] :is(.stVerticalBlock,.stHorizontalBlock){gap:10px}"
    ".st-key-page-head{justify-content:flex-start}:has(>.st-key-page-head-place){order:1}"
    "[data-testid=stMain] button kbd{display:none}.st-key-formula{flex-wrap:wrap}"
    "[data-testid=stButtonGroup]>div{flex-wrap:wrap;row-gap:4px}}"
    # On a small laptop: a slider and the picture that it changes are visible together.
    "@media (min-width:641px) and (max-height:860px){[data-testid=stHeading] h1{font-size:1.5rem}"
    ".stHorizontalBlock [data-testid=stHeading] h1{padding:0}"
    "[data-testid=stMainBlockContainer]{padding-top:60px}"
    "[data-testid=stMainBlockContainer] .stVerticalBlock{gap:10px}}"
    f"{FOLDED}</style>"
)


def page_of(entry, is_first):
    """Return a page for Streamlit's navigation; the first one has no path."""
    return st.Page(
        partial(run_page, entry.name),
        title=entry.title,
        icon=f":material/{entry.icon}:",
        default=is_first,
        url_path=entry.name,
    )


def show():
    """Run the current page, in the order in which runs come."""
    # The icon is a file: Streamlit would fetch a ":material/…:" one from Google.
    st.set_page_config(page_title="rcmviz", page_icon=HERE / "icon.svg", layout="wide")
    st.html(STYLE)
    entries = nav_entries()
    pages = {entry.name: page_of(entry, is_first=entry is entries[0]) for entry in entries}
    menus = {group: [pages[entry.name] for entry in entries if entry.group == group] for group in GROUPS}
    # An embedded page (`embed=true` in the link) has no navigation; links within it still lead from page to page.
    page = st.navigation(menus, position="hidden" if st.context.is_embedded else "top")
    st.session_state["pages"] = pages
    st.session_state["page_entered"] = st.session_state.get("page") != page.url_path
    st.session_state["page"] = page.url_path
    visitors.register_session()
    if st.session_state["page_entered"]:
        uploads.start_page()
    class_line.show()
    class_line.teach(dock.show(page.url_path))
    training_line.show(page.url_path)
    details.update_from_link()
    entered = st.session_state["page_entered"] and not class_line.leads()
    with RUN_QUEUE.entering(Wait()) if entered else nullcontext():
        page.run()


with run_slot():
    show()
