"""The scripts of the views as files of the server, which a browser keeps.

Streamlit sends a view's script with everything that it says of the view: 224 kB with each rest of the player, for 42 kB
of payload, and to every browser anew. Here the view has a line that imports its script instead. The address has the
script's digest, so a browser keeps it for good, and compiled.
"""

import hashlib
from functools import cache

from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from rcmviz.classroom.base_path import below
from rcmviz.views.shared import assets

FOLDER = "rcmviz-scripts"
_KEPT = {"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"}


@cache
def _written(view):
    return assets.script(view).encode()


@cache
def file_of(view):
    """The name of the file that a view's script is, one of ``FOLDER``."""
    return f"{view}-{hashlib.sha256(_written(view)).hexdigest()[:16]}.js"


@cache
def importing(view):
    """What Streamlit is given as the script of a view: a module that imports it from this server.

    Streamlit makes a module of it that has no address of its own: the server is where Streamlit's scripts are from,
    ``static/js`` of whatever path the application lies below.
    """
    here = 'document.querySelector("script[type=module][src]").src'
    return (
        f'const view = await import(new URL("../../{FOLDER}/{file_of(view)}", {here}).href);\n'
        "export default view.default;\n"
    )


def script_routes(base=""):
    """What Streamlit's ``App`` takes as routes; ``base`` is the path below which the application lies."""
    return [Route(f"{below(base)}/{FOLDER}/{{name}}.js", _script)]


async def _script(request):
    view = request.path_params["name"].rpartition("-")[0]
    if view not in assets.VIEWS or f"{request.path_params['name']}.js" != file_of(view):
        return PlainTextResponse("there is no such script", 404)
    return Response(_written(view), media_type="text/javascript", headers=_KEPT)
