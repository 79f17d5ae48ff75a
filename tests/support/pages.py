"""Pages without a browser: sessions that begin with a link, and what they show."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

MAIN = Path(__file__).parents[2] / "pages" / "_main.py"


def opened(page, **query):
    """A session whose first request is this page with this link."""
    session = AppTest.from_file(MAIN, default_timeout=600).run()
    for name, value in query.items():
        session.query_params[name] = value
    return session.switch_page(page).run()


def texts(elements):
    return " ".join(element.value for element in elements)


def link_of(session):
    return {name: "".join(value) for name, value in session.query_params.items()}
