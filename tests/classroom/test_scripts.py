"""The scripts of the views as files of the server: found by their digest, kept for good, and nothing else there."""

import re
from types import SimpleNamespace

import pytest

from rcmviz.classroom.scripts import FOLDER, file_of, importing, script_routes
from rcmviz.views.shared import assets


def asked(name):
    """What the server answers who asks for a script."""
    (route,) = script_routes()
    with pytest.raises(StopIteration) as ended:  # it waits for nobody
        route.endpoint(SimpleNamespace(path_params={"name": name.removesuffix(".js")})).send(None)
    return ended.value.value


@pytest.mark.parametrize("view", ["player", "clock"])
def test_a_view_imports_its_script_from_where_it_is_served(view):
    (address,) = re.findall(r'"\.\./\.\./([^"]+)"', importing(view))
    folder, _, name = address.partition("/")
    assert folder == FOLDER and name == file_of(view)
    answer = asked(name)
    assert answer.body.decode() == assets.script(view)
    assert "immutable" in answer.headers["cache-control"] and answer.media_type == "text/javascript"
    assert len(importing(view)) < 300 and importing(view).endswith("export default view.default;\n")


@pytest.mark.parametrize("name", ["player", "player-0000000000000000", "../app-1", "nobody-1", ""])
def test_what_is_no_script_or_an_older_one_is_not_found(name):
    assert asked(name).status_code == 404


def test_the_address_lies_below_that_of_the_application():
    assert script_routes("/lab/rcmviz/")[0].path == f"/lab/rcmviz/{FOLDER}/{{name}}.js"
    assert script_routes()[0].path == f"/{FOLDER}/{{name}}.js"
