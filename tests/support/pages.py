"""Pages without a browser: sessions that begin with a link, and what they show."""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.testing.v1.local_script_runner import LocalScriptRunner
from streamlit.util import calc_hash

from fuzz import page_views
from pages.shell import answers


def opened(page, **query):
    """A session whose first request is this page with this link."""
    return page_views.open_with_link(page.split("/")[0], query, timeout=600)  # kernels may have to compile


def switch_page(session, page):
    """Go to a page, which AppTest knows by its hash: it is a function, not a file."""
    session._page_hash = calc_hash(page.split("/")[0])
    return session


def answers_of(page):
    """The ways from a question of a page to its payload."""
    return SimpleNamespace(
        payload_of=partial(answers.payload_of, page),
        computed=partial(answers.compute_payload, page),
        prepared=partial(answers.prepared, page.name),
    )


def open_tab(session, page, name):
    """Open one of the tabs under the player; the others are not rendered."""
    session.session_state[f"{page}.tabs"] = name
    return session.run()


def texts(elements):
    """Return the elements' text without the joiners that keep Streamlit from replacing signs (pages/shell/text.py)."""
    return " ".join(element.value for element in elements).replace("\u2060", "")


def link_of(session):
    """The parameters of a session's link, without the switch for details, which tests open."""
    return {name: "".join(value) for name, value in session.query_params.items() if name != "details"}


class FragmentRunner(LocalScriptRunner):
    """Runs the fragments of a session alone, as for a browser; AppTest's own one runs whole pages only."""

    def request_rerun(self, asked):
        """In place of the whole run that a new runner begins with."""
        self._requests = ScriptRequests()
        return super().request_rerun(replace(asked, fragment_id_queue=list(self._fragment_storage._fragments)))
