"""The client-side player: finished runs as JSON (payload), a Streamlit component, a self-contained HTML file."""

from rcmviz.player.payload import Run, build_payload

__all__ = ["Run", "build_payload"]
