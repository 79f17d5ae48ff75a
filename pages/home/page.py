"""Home: what this is, a miniature that plays, and prepared examples as links."""

import streamlit as st

from pages.ars.link import ArsQuestion
from pages.decipher.link import Puzzle
from pages.home.examples import EXAMPLES, MINIATURE, real_example
from pages.shared.catalogue import ENTRIES
from pages.shared.text import ink, sentence
from pages.word import runs
from pages.word.link import Options
from rcmviz.core.methods import MethodChoice
from rcmviz.views.shared.component import player

PAGES = st.session_state["pages"]

# One below the other on a phone, in the order in which they are read; beside each other where there is room.
st.html(
    "<style>@media (min-width:641px){.st-key-home-top{display:grid;"
    "grid-template:'words picture' 2fr 'pages picture' 3fr/minmax(0,5fr) minmax(0,6fr);gap:0 4rem}"
    ".st-key-home-top>:nth-child(1){grid-area:words;align-self:end}"
    ".st-key-home-top>:nth-child(2){grid-area:picture;align-self:center}"
    ".st-key-home-top>:nth-child(3){grid-area:pages;margin-top:1rem}}</style>"
)
with st.container(key="home-top"):
    words, miniature, pages = st.container(), st.container(), st.container()
with words:
    st.title("See a model choose what to remember")
    st.markdown(
        "A model that reads handwriting cannot keep every possible beginning of a word. **Beam search** keeps the "
        "heaviest beginnings and drops the rest; **reified context models** keep the heaviest *contexts* and merge the "
        "rest into shorter ones, so nothing is ever lost. Here you watch that happen, letter by letter, and change it."
    )
with miniature:
    try:
        player(
            runs.payload_of(MINIATURE, (MethodChoice(),), Options(), (), "mini") | {"position": 1, "node": None},
            key="home.player",
        )
    except ValueError as error:
        st.error(sentence(error))
with pages:
    for first in range(1, len(ENTRIES), 2):  # row by row: on a phone columns stand below each other
        for column, entry in zip(st.columns(2), ENTRIES[first : first + 2], strict=False):
            if column.button(entry.invitation, icon=f":material/{entry.icon}:", width="stretch"):
                st.switch_page(PAGES[entry.name])

st.subheader("Three words to begin with")
for column, example in zip(st.columns(3), EXAMPLES, strict=True):
    with column.container(border=True, height="stretch"):
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
