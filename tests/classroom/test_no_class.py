"""The address of a class where none is held."""

import pytest

from rcmviz.classroom.no_class import no_class_routes


@pytest.mark.parametrize(("base", "path"), [("", "/class"), ("/lab/rcmviz/", "/lab/rcmviz/class")])
def test_it_returns_404_and_names_the_command_that_opens_a_class(base, path):
    (route,) = no_class_routes(base)
    assert route.path == path
    with pytest.raises(StopIteration) as ended:  # it never awaits; a loop here would disturb the browser's
        route.endpoint(None).send(None)
    answer = ended.value.value
    assert answer.status_code == 404 and answer.media_type == "text/html"
    assert "rcmviz app --class" in answer.body.decode()
