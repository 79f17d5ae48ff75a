"""The gallery: views that show something, each with its link, the lines that embed it, and live where it can be."""

from urllib.parse import parse_qsl

from pages.lessons.drawing import drawn
from pages.lessons.opening import open_link
from rcmviz.views.shared.export import page

ADDRESS = "http://127.0.0.1:8501"
# (name of the file, title, what is seen, link)
VIEWS = (
    ("sure-and-wrong", "Sure, and wrong",
     "Beam search drops the right beginning at position 5 and ends up sure of another word. RCMS merges it and finds back.",
     "compare?word=consider&seed=15&runs=beam:4,rcms:4&pos=5&node=consi"),
    ("long-memories", "Long memories on a small budget",
     "Where few beginnings are likely, ten contexts hold almost the whole word so far.",
     "step?word=presentation&seed=3&pos=8"),
    ("one-word-one-sum", "A word, a model, a sum",
     "Four pictures that mislead and a word that is right: every number is a sum that can be opened.",
     "step?src=pen&word=king&seed=35&method=exact&pos=3&node=kin"),
    ("two-proofs", "The T9 urn",
     "Digits as on an old phone could mean millions of messages. Every rejection lowers the bound, until one is proved best.",
     "ars?tab=keypad&message=3637+843+66639+39478+*"),
    ("garden-path", "A garden path",
     "Parts of speech of a sentence that leads readers astray.",
     "ars?tab=tagging&sentence=The+old+man+the+boats+.&order=5"),
    ("sounds-and-letters", "Sounds and letters",
     "Which letters belong to which sound? Cell by cell, every alignment at once.",
     "align?word=night"),
    ("when-to-believe", "When to believe an answer",
     "Move the slider: the less is answered, the more of it is right, up to a ceiling that beam search cannot pass.",
     "precision?words=200&runs=rcms:10,beam:10"),
    ("a-field-as-a-star", "A field folded into a star",
     "A model of a whole text whose cost does not know the text's length.",
     "field?view=lifting"),
    ("fill-the-blank", "Fill the blank, from both sides",
     "A word is missing; what stands before and behind it votes.",
     "field?view=blank"),
    ("equal-work", "Search at equal work",
     "A star search, beam search and RCMS may extend equally many beginnings. Who finds the best word first?",
     "search?view=search&of=word"),
)  # fmt: skip
ELSEWHERE = (
    ("Train them live", "Three methods learn handwriting beside each other; any moment can be stepped through.", "learn"),
    ("Crack a cipher", "EM reads a message pass by pass; pin what you know and go on.", "decipher"),
)


def split(link):
    """A link as its page and its query."""
    name, _, query = link.partition("?")
    return name, dict(parse_qsl(query, keep_blank_values=True))


def live_page(link, title):
    """The HTML text of a link's view; ValueError where its page has none that plays alone, or refuses a part of it."""
    opened = open_link(*split(link))
    found = drawn(opened)
    if found is None or opened.notices:
        raise ValueError(f"{link}: {opened.notices or 'nothing that plays without the application'}")
    return page(found.payload | found.place, title, found.view)


def frame(source, title, height=900):
    """An iframe of a file of the site."""
    return f'<iframe class="rv-live" src="{source}" title="{title}" height="{height}" loading="lazy"></iframe>'


def gallery(live):
    """The page's Markdown; the views are written to the folder ``live``."""
    parts = [
        "# Gallery\n\nEvery view is a link: it holds all settings and the position. The links open on the machine that "
        f"runs the application ({ADDRESS}); what you see here are files that play alone. [Show it elsewhere]"
        "(docs/embedding.md) says how to put them in a page of yours.\n"
    ]
    for name, title, said, link in VIEWS:
        (live / f"{name}.html").write_text(live_page(link, title), encoding="utf-8")
        parts.append(f"## {title}\n\n{said}\n\n{frame(f'live/{name}.html', title)}\n\n{_ways(link, title, name)}")
    parts.append("## In the application only\n\nThese compute while one watches.\n")
    parts += [f"- **{title}.** {said} [`{link}`]({ADDRESS}/{link})" for title, said, link in ELSEWHERE]
    return "\n".join(parts) + "\n"


def _ways(link, title, name):
    embedded = f"{ADDRESS}/{link}{'&' if '?' in link else '?'}embed=true".replace("&", "&amp;")
    return (
        f"[Open it in the application]({ADDRESS}/{link}) · [this file alone](live/{name}.html){{.external}}\n\n"
        f'```html\n<iframe src="{embedded}" title="{title}" width="100%" height="1200" loading="lazy"></iframe>\n```\n'
    )
