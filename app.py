"""The launcher: warm the kernels, then serve pages/_main.py. Run with ``streamlit run app.py`` or ``rcmviz app``."""

from contextlib import asynccontextmanager

import streamlit as st


@asynccontextmanager
async def warm(_app):
    """Compile or load every kernel before the server reports healthy, so that nobody's first click waits for it."""
    from rcmviz import batch, build

    build.warm_up()
    batch.warm_up()
    yield


app = st.App("pages/_main.py", lifespan=warm)
