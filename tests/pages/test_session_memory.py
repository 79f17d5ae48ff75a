"""The memory of a session is released soon after its browser leaves, without any new session."""

import subprocess
import sys
import textwrap

SCRIPT = """
    import asyncio, gc, threading, time
    from pathlib import Path

    import streamlit as st
    import uvicorn
    from streamlit.runtime.app_session import AppSession
    from websockets.sync.client import connect

    from pages.compat import drop_expired_sessions

    Path("page.py").write_text("import streamlit as st")
    app = st.App("page.py")
    server = uvicorn.Server(uvicorn.Config(app, port=0, ws="websockets-sansio", log_level="error"))
    loop = asyncio.new_event_loop()
    threading.Thread(target=lambda: loop.run_until_complete(server.serve()), daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]

    def sessions():
        gc.collect()
        return sum(type(one) is AppSession for one in gc.get_objects())

    lines = [connect(f"ws://127.0.0.1:{port}/_stcore/stream", subprotocols=["streamlit"]) for _ in range(5)]
    opened = sessions()
    for line in lines:
        line.close()
    time.sleep(2)
    kept = sessions()
    asyncio.run_coroutine_threadsafe(drop_expired_sessions(app, "/_stcore/stream"), loop).result(60)
    time.sleep(0.2)
    print(opened, kept, sessions())
"""


def test_sessions_that_are_over_are_dropped(tmp_path):
    script = tmp_path / "serve.py"
    script.write_text(textwrap.dedent(SCRIPT))
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text(
        "[server]\ndisconnectedSessionTTL = 1\nfileWatcherType = 'none'\n"
    )
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["5", "5", "1"], done.stderr[-2000:]  # the session that has just begun and ended
