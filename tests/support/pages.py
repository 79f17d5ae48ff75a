"""Pages without a browser: sessions that begin with a link, and what they show."""

from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace

from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.local_script_runner import LocalScriptRunner
from streamlit.util import calc_hash

from pages.shell import answers

# A session asks every installed distribution whether it has components: a quarter of a second. Once is enough.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)

MAIN = Path(__file__).parents[2] / "pages" / "_main.py"


def opened(page, **query):
    """A session whose first request is this page with this link."""
    session = AppTest.from_file(MAIN, default_timeout=600).run()  # kernels may have to compile
    for name, value in query.items():
        session.query_params[name] = value
    return switch_page(session, page).run()


def switch_page(session, page):
    """Go to a page, which AppTest knows by its hash: it is a function, not a file."""
    session._page_hash = calc_hash(page.split("/")[0])
    return session


def answers_of(page):
    """The ways from a question of a page to its payload."""
    return SimpleNamespace(
        payload_of=partial(answers.payload_of, page),
        computed=partial(answers.computed, page),
        prepared=partial(answers.prepared, page.name),
    )


def open_tab(session, page, name):
    """Open one of the tabs under the player: what the others show is not there."""
    session.session_state[f"{page}.tabs"] = name
    return session.run()


def texts(elements):
    """What elements say, without the joiners that keep Streamlit from replacing signs (pages/shell/text.py)."""
    return " ".join(element.value for element in elements).replace("\u2060", "")


def link_of(session):
    return {name: "".join(value) for name, value in session.query_params.items()}


class FragmentRunner(LocalScriptRunner):
    """Runs the fragments of a session alone, as for a browser; AppTest's own one runs whole pages only."""

    def request_rerun(self, asked):
        """In place of the whole run that a new runner begins with."""
        self._requests = ScriptRequests()
        return super().request_rerun(replace(asked, fragment_id_queue=list(self._fragment_storage._fragments)))
