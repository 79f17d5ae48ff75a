"""The client-side player: finished runs as JSON (payload), a Streamlit component, a self-contained HTML file."""

from rcmviz.views.word.payload import Run, build_payload

__all__ = ["Run", "build_payload"]
