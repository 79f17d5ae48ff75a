"""A press on a link to another page, or on Back, is not undone by what the page that is left still asks for.

Streamlit 1.67 keeps the later of two requests. A script that ends in ``st.rerun()``, or a fragment that looks again,
asks for the page that it is in: so it forgot who had pressed a link in the meantime. A fragment of a page that is left,
run after another page, left the browser with neither.
"""

try:  # inner parts of Streamlit 1.67: where a release has them elsewhere, all is as Streamlit does it
    from streamlit.runtime.scriptrunner import get_script_run_ctx, script_runner
    from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
except ImportError:
    script_runner = None


def keep_presses():
    """From now on whoever presses a link or Back gets there, in all sessions."""
    if not hasattr(script_runner, "ScriptRequests"):
        return

    class PressesKept(script_runner.ScriptRequests):
        """What a session asks for, but for what a page asks that is left."""

        def _request_rerun_locked(self, new_data):
            waits = self._state == ScriptRequestType.RERUN  # else what was asked for runs, or has run
            running = running_page() if waits else None
            if self._state != ScriptRequestType.STOP and is_left(self._rerun_data, new_data, running):
                return True
            return super()._request_rerun_locked(new_data)

    script_runner.ScriptRequests = PressesKept


def running_page():
    """The page, by Streamlit's hash, whose script runs in this thread; None in the thread that hears the browsers."""
    context = get_script_run_ctx(suppress_warning=True)
    return context and context.page_script_hash


def is_left(asked, new, running):
    """Whether the page that asks for ``new`` is left: what was ``asked`` for before makes another page, or has made it.

    ``running`` is the page of the script that asks, None for a browser.
    """
    if asked.page_script_hash == "":  # nobody, or who has come by an address
        return False
    if running is not None:
        return asked.page_script_hash != running
    return bool(new.fragment_id) and new.page_script_hash != asked.page_script_hash
