"""Uses of undocumented parts of Streamlit, in this module only: the running session, and which sessions are connected.

Streamlit documents a session resource that is released when the connection drops (streamlit#8545). But a browser that
reconnects does not rerun its page, so a user who only reads would count as gone and lose uploads and trainings. That
resource is the fallback if another release of Streamlit lacks these parts.
"""

import secrets

import streamlit as st

try:  # Streamlit 1.67
    from streamlit.runtime import exists, get_instance
    from streamlit.runtime.scriptrunner import get_script_run_ctx
except ImportError:
    get_script_run_ctx = None

_CONNECTED = set()


def session_id():
    """Return the name of the session whose script runs in this thread; None outside of any session."""
    if get_script_run_ctx is None:
        return _registered_session()
    context = get_script_run_ctx(suppress_warning=True)
    return context and context.session_id


def is_connected(session):
    """Whether the session of this name is still connected; thread-safe."""
    if get_script_run_ctx is None:
        return session in _CONNECTED
    return exists() and get_instance().is_active_session(session)


async def drop_expired_sessions(app, path):
    """Let Streamlit drop the sessions that are over for ``disconnectedSessionTTL``, with all that they hold.

    It looks for them only when a session ends, so the last ones would stay until the next user comes. ``app`` is the
    application, by ASGI; a session begins and ends at ``path``, the address of its websocket.
    """
    received = [{"type": "websocket.disconnect", "code": 1000}, {"type": "websocket.connect"}]

    async def receive():
        return received.pop() if received else {"type": "websocket.disconnect", "code": 1000}

    async def send(message):
        pass

    scope = {
        "type": "websocket",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "ws",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1")],
        "client": None,
        "server": None,
        "subprotocols": [],
        "state": {},
        "extensions": {},
    }
    await app(scope, receive, send)


def _registered_session():
    try:
        return _registration()
    except st.errors.StreamlitAPIException:  # no session runs here
        return None


@st.cache_resource(scope="session", on_release=_CONNECTED.discard, show_spinner=False)
def _registration():
    session = secrets.token_hex(16)
    _CONNECTED.add(session)
    return session
