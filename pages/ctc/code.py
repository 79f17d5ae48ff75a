"""Python source that reads the frames of the CTC page in a notebook."""

from pages.ctc.question import NO_MODEL
from pages.ctc.sample import PEAK, SIGNS, as_labels

USUAL = {
    "passes": 1,
    "method": "rcms",
    "separator": None,
    "lm_weight": 1.0,
    "end": True,
    "label_bonus": 0.0,
    "word_bonus": 0.0,
    "unknown_score": -10.0,
}


def reproducing_code(question, inputs):
    """Return the source; uploaded files have to be next to it."""
    lm = "None" if question.lm == NO_MODEL else "lm"
    changed = {name: value for name, value in inputs.options.items() if name != "budget" and value != USUAL[name]}
    how = "".join(f", {name}={value!r}" for name, value in changed.items())
    lines, given, blank = _upload(inputs.upload) if inputs.upload else _sample(question)
    lines += [] if lm == "None" else [f"lm = {_model(question.lm)}"]
    if question.tab == "flow":
        return "\n".join([*lines, *_flow(question, given, lm, blank, changed)]) + "\n"
    lines += [
        f"read = rv.ctc({given}, {lm}, {question.budget}{blank}{how})",
        "print(read.text, read.confidence)",
        "for one in read.nbest(5):",
        "    print(one.text, one.confidence)",
    ]
    return "\n".join(lines) + "\n"


def _flow(question, given, lm, blank, changed):
    how = "".join(f", {name}={value!r}" for name, value in changed.items())
    return [
        'for method in ("beam", "rcms"):',
        f"    read = rv.ctc({given}, {lm}, {question.budget}{blank}, method=method{how})",
        "    print(method, read.text, read.confidence)",
    ]


def _model(name):
    return 'rv.read_arpa("your-model.arpa")' if name.startswith("upload:") else f"rv.load_lm({name!r})"


def _sample(question):
    lines = [
        "import numpy as np",
        "",
        "import rcmviz as rv",
        "",
        f"signs = {SIGNS!r}  # the last one is the blank",
        f"rng = np.random.default_rng({question.seed})",
        f'shown = "".join(sign * rng.integers(1, 3) + "-" for sign in {as_labels(question.text)!r})',
        f"peaks = {PEAK} * np.eye({len(SIGNS)})[[signs.index(sign) for sign in shown]]",
        f"scores = peaks + rng.normal(0, {question.noise:g}, peaks.shape)",
        "log_probs = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)",
    ]
    return lines, "log_probs, signs[:-1]", ""


def _upload(own):
    lines = [
        "from pathlib import Path",
        "",
        "import rcmviz as rv",
        "from rcmviz.ctc_decoding.file import parse_frames, parse_labels",
        "",
    ]
    more = ""
    if own.labels is not None:
        lines.append(f"labels = parse_labels(Path({own.labels!r}).read_bytes(), {own.labels!r})")
        more += ", labels"
    if own.blank is not None:
        more += f", blank={own.blank}"
    lines.append(f"frames = parse_frames(Path({own.name!r}).read_bytes(), {own.name!r}{more})")
    return lines, "frames.log_probs, frames.labels", ", blank=frames.blank"
