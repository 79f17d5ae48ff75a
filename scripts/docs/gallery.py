"""The gallery: views with their links and embedding code, live if they can be."""

from functools import partial
from pathlib import Path
from urllib.parse import parse_qsl

from pages.lessons.drawing import draw_link
from pages.lessons.opening import open_link
from rcmviz.views.shared.export import page
from views import ELSEWHERE, VIEWS

ADDRESS = "http://127.0.0.1:8501"


class Live:
    """The folder of the views' files; ``is_checked_only`` leaves them empty, which is much faster."""

    def __init__(self, folder, is_checked_only=False):
        self.folder, self.is_checked_only = Path(folder), is_checked_only

    def write(self, name, make):
        """A page, from the function that makes its text."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text("" if self.is_checked_only else make(), encoding="utf-8")


def split(link):
    """A link as its page and its query."""
    name, _, query = link.partition("?")
    return name, dict(parse_qsl(query, keep_blank_values=True))


def live_page(link, title):
    """The HTML text of a link's view; ValueError where its page has none that plays alone, or refuses a part of it."""
    opened = open_link(*split(link))
    found = draw_link(opened)
    if found is None or opened.notices:
        raise ValueError(f"{link}: {opened.notices or 'nothing that plays without the application'}")
    return page(found.payload | found.place, title, found.view)


def frame(source, title, height=900):
    """An iframe of a file of the site."""
    return f'<iframe class="rv-live" src="{source}" title="{title}" height="{height}" loading="lazy"></iframe>'


def gallery(live):
    """The page's Markdown; the views are written to ``live``."""
    parts = [
        "# Gallery\n\nEvery view is a link: it holds all settings and the position. The links open on the machine that "
        f"runs the application ({ADDRESS}); what you see here are files that play alone. [Show it elsewhere]"
        "(docs/app.md#embed) says how to put them in a page of yours.\n"
    ]
    for name, title, said, link in VIEWS:
        live.write(f"{name}.html", partial(live_page, link, title))
        parts.append(f"## {title}\n\n{said}\n\n{frame(f'live/{name}.html', title)}\n\n{_link_lines(link, title, name)}")
    parts.append("## In the application only\n\nThese compute while one watches.\n")
    parts += [f"- **{title}.** {said} [`{link}`]({ADDRESS}/{link})" for title, said, link in ELSEWHERE]
    return "\n".join(parts) + "\n"


def _link_lines(link, title, name):
    embedded = f"{ADDRESS}/{link}{'&' if '?' in link else '?'}embed=true".replace("&", "&amp;")
    return (
        f'[Open it in the application]({ADDRESS}/{link}) · <a href="live/{name}.html">this file alone</a>\n\n'
        f'```html\n<iframe src="{embedded}" title="{title}"\n'
        '  width="100%" height="1200" loading="lazy"></iframe>\n```\n'
    )
