"""The navigation: one page per folder next to this file. Streamlit runs it before every page."""

import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent
if str(HERE.parent) not in sys.path:  # pages are imported by their full name, wherever the application was started
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
from pages.shell.entrance import ENTRANCE  # noqa: E402
from pages.shell.folded import STYLE as FOLDED  # noqa: E402
from pages.shell.fragment import seat  # noqa: E402
from pages.shell.nav import GROUPS  # noqa: E402
from pages.shell.registry import nav_entries  # noqa: E402
from pages.shell.render import run_page  # noqa: E402

# Streamlit leaves 68 pixels to a title and 75 above it; the trees should be seen without scrolling.
STYLE = (
    "<style>[data-testid=stMainBlockContainer]{padding-top:62px;padding-bottom:48px}"
    "[data-testid=stHeading] h1{padding:0 0 8px}"
    # What is changed takes one line of one height, however much it is, or the player below it would jump.
    "[class*=edits-bar]{min-height:26px;max-height:26px;margin:-6px 0;flex-wrap:nowrap}"
    "[class*=edits-bar]>:first-child{min-width:0;overflow-x:auto}"
    "[class*=edits-bar] p{white-space:nowrap;font-size:14px}"
    "[class*=edits-bar] button{min-height:26px;padding:0 12px}"
    "@media(max-width:640px){[class*=edits-bar]{max-height:none}[class*=edits-bar]>:first-child{overflow:visible}"
    "[class*=edits-bar] p{white-space:normal}}"
    # While its script is on the way, the player has the room that it will take, or what stands below it would jump.
    ":is([class*=-player],[class*=-view])>[data-testid=stSkeleton]{height:700px}"
    # A clock is not seen, and takes no room.
    "[class*=st-key-clock]{position:absolute}"
    # The name of a switch goes on below itself where there is little room; Streamlit would cut it.
    "[data-testid=stCheckbox] [data-testid=stMarkdownContainer],[data-testid=stCheckbox] p"
    "{white-space:normal;overflow:visible;line-height:1.25}"
    # Streamlit shows on no link to a page that the keyboard is there, and lets it go through those of a folded menu.
    ":is([data-testid=stTopNavSection],[data-testid=stTopNavDropdownLink],[data-testid=stSidebarNavLink]):focus-visible"
    "{outline:2px solid currentColor;outline-offset:-2px}"
    "[data-testid=stSidebar][data-collapsed=true]{visibility:hidden}"
    # The letters of a formula belong to it, where they have no room beside it.
    ".st-key-formula{row-gap:6px}"
    # A button keeps its word where there is no room for both its word and its picture.
    "[class*=-another]{container-type:inline-size}[class*=-another] button{padding-inline:8px}"
    "@container (max-width:104px){[class*=-another] span:has(>[data-testid=stIconMaterial]){display:none}}"
    # On a phone the picture comes first: a title takes a line, and what stands above the picture stands close.
    "@media (max-width:640px){[data-testid=stHeading] h1{font-size:1.3rem;padding:0 0 12px}"
    "[data-testid=stMainBlockContainer]{padding-top:56px}"
    "[data-testid=stMainBlockContainer] :is(.stVerticalBlock,.stHorizontalBlock){gap:10px}"
    ".st-key-page-head{justify-content:flex-start}:has(>.st-key-page-head-place){order:1}"
    "[data-testid=stMain] button kbd{display:none}.st-key-formula{flex-wrap:wrap}"
    "[data-testid=stButtonGroup]>div{flex-wrap:wrap;row-gap:4px}}"
    # On the screen of a small laptop what a slider moves shall be in sight with it.
    "@media (min-width:641px) and (max-height:860px){[data-testid=stHeading] h1{font-size:1.5rem}"
    ".stHorizontalBlock [data-testid=stHeading] h1{padding:0}"
    "[data-testid=stMainBlockContainer]{padding-top:60px}"
    "[data-testid=stMainBlockContainer] .stVerticalBlock{gap:10px}}"
    f"{FOLDED}</style>"
)


def page_of(entry, is_first):
    """A page as Streamlit knows it; the first one has no path."""
    return st.Page(
        partial(run_page, entry.name),
        title=entry.title,
        icon=f":material/{entry.icon}:",
        default=is_first,
        url_path=entry.name,
    )


def show():
    """Show the page that is asked for, in the order in which runs come."""
    # The icon is a file of ours: Streamlit would fetch a ":material/…:" one from Google.
    st.set_page_config(page_title="rcmviz", page_icon=HERE / "icon.svg", layout="wide")
    st.html(STYLE)
    entries = nav_entries()
    pages = {entry.name: page_of(entry, is_first=entry is entries[0]) for entry in entries}
    menus = {group: [pages[entry.name] for entry in entries if entry.group == group] for group in GROUPS}
    # In an iframe (`embed=true` in the link) a view stands alone; links within it still lead from page to page.
    page = st.navigation(menus, position="hidden" if st.context.is_embedded else "top")
    st.session_state["pages"] = pages
    st.session_state["page_entered"] = st.session_state.get("page") != page.url_path
    st.session_state["page"] = page.url_path
    visitors.greet()
    if st.session_state["page_entered"]:
        uploads.start_page()
    class_line.show()
    class_line.teach(dock.show(page.url_path))
    training_line.show(page.url_path)
    details.update_from_link()
    entered = st.session_state["page_entered"] and not class_line.leads()
    with ENTRANCE.turn(Wait()) if entered else nullcontext():
        page.run()


with seat():
    show()
