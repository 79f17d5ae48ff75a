"""The answer at the address of a class if none is held; Streamlit would show Home and report a missing page."""

from starlette.responses import HTMLResponse
from starlette.routing import Route

from rcmviz.classroom.base_path import path_prefix

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>No class here</title>
<style>main { font: 1.125rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem; }</style>
<main>
<h1>No class here</h1>
<p>No class is running on this server now. Its teacher starts one with <code>rcmviz app --class</code>; then load this
page again.</p>
<p><a href="./">Look around in rcmviz</a></p>
</main>
</html>
"""


def no_class_routes(base=""):
    """Routes for Streamlit's ``App``; ``base`` is the path below which the application lies."""
    return [Route(f"{path_prefix(base)}/class", _answer)]


async def _answer(_request):
    return HTMLResponse(PAGE, 404)
