"""Arguments of the wrong type are refused with an error of rcmviz, for every public function, class and method."""

import numpy as np
import pytest

import rcmviz as rv
from fuzz.targets import calls
from fuzz.verdict import OK, REFUSED, verdict_of
from rcmviz.sequences.file import parse_sequences


def test_an_argument_of_the_wrong_type_is_refused():
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


def test_arguments_read_from_frames_and_files_are_checked_too():
    read = rv.ctc(np.log(np.full((4, 3), 1 / 3)), "ab")
    file = parse_sequences(b"the DET\ncat NOUN\n", "tiny.conll")
    calls_of = {
        "labels": (read.log_prob, read.frames_of, read.confidences_of, file.with_labels),
        "separator": (read.words,),
        "name": (lambda name: file.column(name, 0),),
        "number": (lambda number: file.column("1", number),),
    }
    for name, functions in calls_of.items():
        for function in functions:
            for value in (None, 0.5, object(), [[1, 2], [3]]):
                with pytest.raises(ValueError, match=rf"^{name}"):
                    function(value)
