"""Home: one column of a search twice, dropping and merging; three doors; prepared examples as links."""

import streamlit as st

from pages.ars.link import ArsQuestion
from pages.decipher.link import Puzzle
from pages.home.examples import EXAMPLES, FIRST_MINUTE, real_example
from pages.shared.text import ink, sentence
from pages.shell.registry import nav_entries
from pages.word import runs
from pages.word.link import Options
from rcmviz.views.shared.component import player

PAGES = st.session_state["pages"]

FIRST = FIRST_MINUTE.settings

# One below the other on a phone, in the order in which they are read; beside each other where there is room.
st.html(
    "<style>@media (min-width:641px){.st-key-home-top{display:grid;"
    "grid-template:'words picture' auto 'doors picture' 1fr/minmax(0,2fr) minmax(0,3fr);gap:0 2.5rem}"
    ".st-key-home-top>:nth-child(1){grid-area:words}"
    ".st-key-home-top>:nth-child(2){grid-area:picture}"
    ".st-key-home-top>:nth-child(3){grid-area:doors;margin-top:1rem}}</style>"
)
st.title("See a model choose what to remember")
with st.container(key="home-top"):
    words, picture, doors = st.container(), st.container(), st.container(gap="small")
with words:
    st.markdown(FIRST_MINUTE.story)
    st.page_link(
        PAGES[FIRST_MINUTE.page],
        label="Look closer at this word",
        icon=":material/zoom_in:",
        query_params=FIRST_MINUTE.query,
    )
with picture:
    try:
        payload = runs.packed_payload(FIRST.subject, FIRST.methods, Options(), (), "mini")
        player(payload | {"position": FIRST.position, "node": FIRST.node}, key="home.player")
    except ValueError as error:
        st.error(sentence(error))


def show_door(page, icon, title, said):
    """A way in, and what one finds behind it."""
    with st.container(border=True, gap=None):
        st.page_link(PAGES[page], label=f"**{title}**", icon=f":material/{icon}:", width="stretch")
        st.caption(said)


with doors:
    if "lessons" in PAGES:
        show_door("lessons", "school", "Take the course", "Short lessons that ask before they tell.")
    show_door("your_example", "bug_report", "Debug my example", "See which decision went wrong, and try another one.")
    show_door("step", "explore", "Try everything", "Begin with a word, step by step; all pages stand below.")

st.subheader("All pages", anchor="all-pages")
offered = [entry for entry in nav_entries() if entry.card]
for first in range(0, len(offered), 5):  # row by row: on a phone columns stand below each other
    for column, entry in zip(st.columns(5), offered[first : first + 5], strict=False):
        if column.button(entry.card, icon=f":material/{entry.icon}:", width="stretch"):
            st.switch_page(PAGES[entry.name])

st.subheader("Three words to begin with")
for column, example in zip(st.columns(3), EXAMPLES, strict=True):
    with column.container(border=True, height="stretch", vertical_alignment="distribute"):  # "Open" on one line
        with st.container():
            st.html(ink(runs.word_of(example.settings.subject).images, example.settings.subject.text))
            st.markdown(f"**{example.title}**")
            st.markdown(example.description)
        st.page_link(PAGES[example.page], label="Open", icon=":material/arrow_forward:", query_params=example.query)

with st.container(border=True):
    text, link = st.columns([6, 1], vertical_alignment="center")
    text.markdown(
        "**The T9 urn.** The keys `3637 843 66639 39478 *` could mean 10¹³ messages. Adaptive rejection sampling "
        "proves the best one, or draws from all of them exactly, and remembers no more than its rejections ask for."
    )
    link.page_link(PAGES["ars"], label="Open", icon=":material/arrow_forward:", query_params=ArsQuestion().write())

with st.container(border=True):
    text, link = st.columns([6, 1], vertical_alignment="center")
    text.markdown(
        "**Crack a cipher live.** `FGZ ETDZN VQYGFH GQH UOZA`: the key is not known. EM with reified context models "
        "finds it in a dozen passes; with beam search, which cannot go back, it does not. Pin a letter and go on."
    )
    link.page_link(PAGES["decipher"], label="Open", icon=":material/arrow_forward:", query_params=Puzzle().write())

real = real_example()
if real:
    with st.container(border=True):
        text, link = st.columns([6, 1], vertical_alignment="center")
        text.markdown(f"**{real.title}.** {real.description}")
        link.page_link(PAGES[real.page], label="Open", icon=":material/arrow_forward:", query_params=real.query)
else:
    st.caption("For real handwriting run “rcmviz data get ocr”; everything here works without it.")
st.caption(
    "Reified context models: J. Steinhardt and P. Liang, ICML 2015. Adaptive rejection: S. Carter, M. Dymetman and "
    "G. Bouchard, EMNLP 2012. Problems of your own: the page *Your own example*, or “rcmviz step problem.json” in a "
    "shell."
)
