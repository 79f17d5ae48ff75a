"""Every argument of every public function, class and method: a value of a wrong kind is refused in our words."""

from fuzz.targets import calls
from fuzz.verdict import OK, REFUSED, verdict_of


def test_an_argument_of_a_wrong_kind_is_refused():
    names, (required, known), found = dict(calls.names()), calls.calls(), {}
    for called, arguments in known.items():
        for argument in arguments:
            text, error = calls.written(called, required[called] | {argument: "object()"}), None
            try:
                eval(text, dict(names))
            except Exception as raised:
                error = raised
            verdict = verdict_of(error, None)
            if verdict not in (OK, REFUSED):
                found[text] = verdict
    assert not found and len(known) > 150
