"""The CTC page without a browser: its first view, stories, code, uploaded frames and models."""

import contextlib
import io

import numpy as np
import pytest

import rcmviz as rv
from pages.ctc import upload as uploads
from pages.ctc.examples import EXAMPLES
from pages.ctc.inputs import load
from pages.ctc.page import PAGE
from pages.ctc.question import NO_MODEL, CtcQuestion
from pages.ctc.sample import as_csv, frames_of
from pages.shell import language_models as models
from pages.shell.errors import NeedsInput
from rcmviz.ctc_decoding.file import parse_frames
from support.pages import answers_of, link_of, opened, texts

runs = answers_of(PAGE)

SMALL = {"text": "a cat", "noise": 1.0, "budget": 3}


@pytest.fixture(autouse=True)
def kept(monkeypatch):
    """Uploads of this test alone."""
    monkeypatch.setattr(uploads, "UPLOADS", type(uploads.UPLOADS)())
    monkeypatch.setattr(models, "UPLOADS", type(models.UPLOADS)())


def file_of(labels, rows):
    return "\n".join([",".join(labels), *(",".join(map(str, row)) for row in rows)]).encode()


def uploaded(name, content, *labels, **more):
    return CtcQuestion(tab="upload", upload=uploads.keep_frames(name, content, *labels), lm=NO_MODEL, **more)


def arpa_of(lines, tmp_path, **options):
    rv.train_lm(lines, order=2, **options).write_arpa(tmp_path / "own.arpa")
    return models.keep_model("own.arpa", (tmp_path / "own.arpa").read_bytes())


def test_examples_show_what_they_say():
    shown = {one.label: (runs.payload_of(one.question), one.description) for one in EXAMPLES}
    for name in ("RCMS, 5 contexts", "20 contexts", "A model of words"):
        payload, said = shown[name]
        assert payload["gold"]["right"] and f"{payload['best']['confidence']:.0%}".replace("%", " %") in said
    beam, said = shown["A beam of 5"]
    assert f"“{''.join(beam['best']['labels']).replace('_', ' ')}”" in said and beam["gold"]["lost"]
    assert f"{beam['best']['confidence']:.0%}".replace("%", " %") in said
    wide = runs.computed(CtcQuestion(method="beam", budget=20))
    assert wide["gold"]["right"] and f"{wide['best']['confidence']:.0%}".replace("%", " %") in shown["20 contexts"][1]
    alone, _ = shown["The frames alone"]
    assert not alone["gold"]["right"] and alone["method"] == "exact"


@pytest.mark.parametrize("more", [{}, {"method": "beam", "bonus": 0.5}, {"lm": NO_MODEL}, {"passes": 2, "weight": 0.5}])
def test_the_code_reads_the_same(more):
    question = CtcQuestion(**SMALL | more)
    payload, space = runs.computed(question), {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(payload["code"], space)
    assert list(space["read"].labels) == payload["best"]["labels"]
    assert space["read"].confidence == pytest.approx(payload["best"]["confidence"], rel=1e-5)


def test_the_code_reads_a_file_with_its_labels_beside_it(tmp_path, monkeypatch):
    content, names = io.BytesIO(), b"<blank>\na\nb\n"
    np.save(content, np.log([[0.2, 0.7, 0.1], [0.5, 0.2, 0.3], [0.1, 0.1, 0.8]]))
    (tmp_path / "x.npy").write_bytes(content.getvalue())
    (tmp_path / "x.txt").write_bytes(names)
    question = uploaded("x.npy", content.getvalue(), ("x.txt", names))
    monkeypatch.chdir(tmp_path)
    space = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(runs.computed(question)["code"], space)
    assert space["read"].text == "ab" and runs.computed(question)["title"] == "x.npy"


def test_frames_of_the_sample_are_read_from_its_file():
    frames = frames_of("on it", 1.6, 3)
    again = parse_frames(as_csv(frames).encode(), "frames.csv")
    assert again.labels == frames.labels and not again.were_probabilities
    assert np.abs(again.log_probs - frames.log_probs).max() < 1e-4


REFUSED = {
    "no numbers": (file_of("ab", [[1, "x"]]), "x.csv: line 2, column 2: 'x'"),
    "ragged": (file_of("ab", [[1, 2], [1]]), "x.csv: line 3: 1 cells"),
    "no blank": (file_of("ab", [[1, 2]]), "call one <blank>, or say its number"),
    "nothing": (b"", "x.csv: it is empty"),
    "too long": (file_of(["a", "<blank>"], [[-1, -1]] * 2_001), "2,001 frames; at most 2,000"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_files_that_are_no_frames_are_refused_with_the_place(name):
    content, said = REFUSED[name]
    with pytest.raises(ValueError, match=said):
        uploads.keep_frames("x.csv", content)
    assert not uploads.UPLOADS


def test_frames_that_are_gone_and_those_not_given_yet():
    with pytest.raises(ValueError, match="four"):
        runs.payload_of(CtcQuestion(tab="upload", upload="0" * 16))
    with pytest.raises(NeedsInput):
        runs.payload_of(CtcQuestion(tab="upload"))


@pytest.mark.filterwarnings("ignore:the language model lacks")
def test_labels_are_called_as_the_language_model_calls_them(tmp_path):
    model = arpa_of(["a _ b", "b _ a"], tmp_path)
    rows = [[0.7, 0.1, 0.1, 0.1], [0.1, 0.1, 0.7, 0.1], [0.1, 0.7, 0.1, 0.1]]
    digest = uploads.keep_frames("x.csv", file_of(["a", "z", " ", "<blank>"], rows))
    question = CtcQuestion(tab="upload", upload=digest, lm=model, gold="a z", budget=9)
    inputs = load(question)
    assert inputs.frames.labels == ("a", "z", "_") and inputs.gold == ("a", "_", "z")
    assert [any(word in note for note in inputs.notes) for word in ("sum to 1", "renamed '_'", "unknown: 'z'")] == [
        True
    ] * 3
    assert runs.payload_of(question)["gold"]["logProb"] < 0


def test_a_model_of_words_is_seen_to_be_one_and_asks_what_stands_between(tmp_path):
    model = arpa_of(["ab ba", "ba ab"], tmp_path, end=False)
    digest = uploads.keep_frames("x.csv", file_of(["a", "b", "|", "<blank>"], [[-1, -2, -3, -2]] * 4))
    question = CtcQuestion(tab="upload", upload=digest, lm=model)
    assert {"separator": "|", "end": False, "unknown_score": -10.0}.items() <= load(question).options.items()
    labels = load(CtcQuestion(tab="upload", upload=digest, lm=model, spells="labels"))
    assert labels.options["separator"] is None
    other = uploads.keep_frames("y.csv", file_of(["a", "b", "<blank>"], [[-1, -2, -3]]))
    with pytest.raises(ValueError, match="More"):
        load(CtcQuestion(tab="upload", upload=other, lm=model))


def test_exact_where_it_is_too_much_is_refused_before_the_work():
    with pytest.raises(ValueError, match="choose RCMS"):
        runs.computed(CtcQuestion(method="exact"))


def test_what_does_not_matter_asks_for_no_new_reading():
    first = runs.payload_of(CtcQuestion(**SMALL, method="beam"))
    assert runs.payload_of(CtcQuestion(**SMALL, method="beam", passes=3, gold="x", upload="0" * 16)) is first
    assert runs.payload_of(CtcQuestion(passes=1, gold="x")) is runs.prepared()["text"]


def test_widgets_move_the_link_and_bad_texts_are_said():
    session = opened("ctc/page.py", text="a cat", noise="1", pos="3")
    session.selectbox(key="ctc.method").set_value("beam").run()
    session.selectbox(key="ctc.lm").set_value(NO_MODEL).run()
    assert {"method": "beam", "lm": "none", "text": "a cat", "noise": "1"}.items() <= link_of(session).items()
    session.text_input(key="ctc.text").set_value("naïve").run()
    assert not session.exception and not session.error
    with pytest.raises(ValueError, match="'ï' .*a to z"):
        runs.payload_of(session.session_state["ctc.value"])
    session.segmented_control(key="ctc.tab").set_value("upload").run()
    assert not session.exception and link_of(session)["frames"] == "upload"


def test_a_file_is_taken_and_a_bad_one_said():
    session = opened("ctc/page.py", frames="upload")
    session.file_uploader(key="ctc.file").set_value(("x.csv", as_csv(frames_of("on", 0.5, 0)).encode(), "text/csv"))
    session.run()
    assert not session.exception and not session.error
    assert link_of(session)["own"] in uploads.UPLOADS
    session.file_uploader(key="ctc.file").set_value(("x.csv", b"a,b\n1", "text/csv")).run()
    assert "1 cells, 2 in the first line; give as many" in texts(session.error)


def test_what_an_upload_unpacks_to_is_weighed_before_it_is_unpacked(monkeypatch):
    packed = io.BytesIO()
    np.savez_compressed(packed, logits=np.zeros((400, 30_000), np.float64))
    assert len(packed.getvalue()) < 200_000
    monkeypatch.setattr(uploads, "compute", lambda *given: pytest.fail("it is read"))
    with pytest.raises(ValueError, match="80,000,000 bytes"):
        uploads.keep_frames("bomb.npz", packed.getvalue())


def test_a_packed_upload_counts_by_what_it_unpacks_to_among_those_of_all(monkeypatch):
    packed = io.BytesIO()
    np.savez_compressed(packed, logits=np.zeros((100, 1_000)))
    monkeypatch.setattr("pages.shell.uploads.most_upload_bytes", lambda: 700_000)
    monkeypatch.setattr(uploads, "compute", lambda *given: pytest.fail("it is read"))
    with pytest.raises(ValueError, match="all visitors exceed 0 MB"):
        uploads.keep_frames("large.npz", packed.getvalue())


def test_the_tab_of_masses_shows_what_a_beam_loses():
    question = CtcQuestion(tab="flow")
    payload = runs.payload_of(question)
    beam, rcms = payload["runs"]
    assert (beam["name"], rcms["name"]) == ("Beam 5", "RCMS 5")
    assert beam["result"]["lost"] > 0.8 and not beam["result"]["right"] and beam["result"]["goldLostAt"] == 40
    assert rcms["result"]["lost"] == 0 and rcms["result"]["right"]
    assert runs.payload_of(CtcQuestion(tab="flow", method="exact", passes=3)) is payload
    session = opened("ctc/page.py", frames="flow")
    assert not session.exception and not session.error
    assert "method" not in link_of(session)
