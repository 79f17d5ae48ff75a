"""Settings folded into one line with a summary."""

from contextlib import contextmanager
from html import escape

import streamlit as st

from pages.shell.text import escape_markdown

# The server does not know the width of the window, so a style sheet folds the settings: while the <details> is
# closed, a narrow window hides its next sibling. The summary is an element outside of the <details>, which would close
# if it changed.
LINE = "<details class=rv-fold><summary><span>Settings</span></summary></details>"
STYLE = """
[class*=-foldable]>[data-testid=stElementContainer]{display:none}
@media (max-width:640px){
[class*=-foldable]>[data-testid=stElementContainer]{display:block}
[data-testid=stMainBlockContainer] [class*=-foldable]{gap:0}
.rv-fold>summary{list-style:none;height:40px;cursor:pointer;border-radius:6px;
border:1px solid color-mix(in srgb,currentcolor 18%,transparent)}
.rv-fold>summary::-webkit-details-marker{display:none}
.rv-fold>summary>span{position:absolute;clip-path:inset(50%)}
.rv-fold>summary::after{content:"";float:right;margin:13px 16px;width:7px;height:7px;transform:rotate(45deg);
border:solid currentcolor;border-width:0 1.5px 1.5px 0}
.rv-fold[open]>summary::after{margin-top:17px;transform:rotate(225deg)}
[class*=-foldable]>[data-testid=stElementContainer]:has(.rv-fold-says){pointer-events:none}
.rv-fold-says{margin:-40px 40px 0 13px;line-height:40px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;
font-size:14px}
[class*=-foldable]:has(.rv-fold:not([open])) [class*=-unfolded]{display:none}
[class*=-unfolded]{padding-top:10px}
}
[class*=-foldable]{container-type:inline-size}
@media (min-width:641px) and (max-height:860px){
@container (min-width:1000px){
[class*=-beside] :is(.stTextInput,.stNumberInput,.stSelectbox,.stSlider){display:flex;align-items:center;gap:8px}
[class*=-beside] :is(.stTextInput,.stNumberInput,.stSelectbox,.stSlider)>label{flex:none;width:auto;margin:0;gap:4px}
[class*=-beside] :is(.stTextInput,.stNumberInput,.stSelectbox,.stSlider)>:not(label,template){flex:1 1 0;
width:0;min-width:0}
}
}
"""


def folded(page, place, summary):
    """Return a popover for settings in ``place``, labelled with their ``summary``; ``page`` gives it a key."""
    return place.popover(escape_markdown(summary), icon=":material/tune:", key=page.key("folded"), help="Settings")


@contextmanager
def folded_on_phones(page, summary, *, beside=False):
    """Show settings open on wide windows; on phones fold them into a line with their ``summary``, below the picture.

    On a low and wide window short labels are ``beside`` their fields.
    """
    with st.container(key=f"{page.name}-foldable"):
        st.html(LINE)
        st.html(f"<div class=rv-fold-says>{escape(summary)}</div>")
        with st.container(key=f"{page.name}-unfolded{'-beside' if beside else ''}"):
            yield
