"""A finished reproduction, and the files that it is written to."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import plotly.graph_objects as go

from rcmviz.core.shared.whole_file import whole_file, write_text
from rcmviz.experiments import picture
from rcmviz.experiments.provenance import provenance_line

PIXELS = {"width": 900, "height": 560, "scale": 2}


@dataclass(frozen=True)
class Plan:
    """The extent of a run: its ``data`` (``"kassel"`` or ``"pen:600"``), with how many ``seeds``, ``quick`` or in
    full, with the rows that need ``exact`` training or without (None: in full runs only), with the ``large`` ones or
    without.
    """

    data: str = "kassel"
    seeds: int = 5
    quick: bool = False
    exact: bool | None = None
    large: bool = False

    @property
    def trains_exactly(self) -> bool:
        """Whether to run the rows that need exact training: as requested, else in full runs only."""
        return not self.quick if self.exact is None else self.exact

    @property
    def described(self) -> str:
        """The data in words."""
        if self.data == "kassel":
            return "Kassel's words"
        number = int(self.data.removeprefix("pen:"))
        return f"{number:,} words by the pen (not the paper's data: its numbers are for Kassel's words)"


@dataclass(frozen=True)
class Report:
    """A result: the ``name`` of its files, ``text`` in Markdown, a JSON ``document``, a ``figure`` or None."""

    name: str
    text: str
    document: dict = field(repr=False)
    figure: go.Figure | None = None


def add_provenance(report: Report, origin: dict) -> Report:
    """The report with its provenance, below the title of the text and as ``origin`` in the document."""
    title, _, rest = report.text.partition("\n\n")
    text = f"{title}\n\n{provenance_line(origin)}\n\n{rest}"
    return replace(report, text=text, document=report.document | {"origin": origin})


def write(report: Report, folder: Path) -> tuple[list[Path], str]:
    """Write ``.md``, ``.json``, ``.html`` and ``.png``; returns the files and, the reason for a missing PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    text, document = folder / f"{report.name}.md", folder / f"{report.name}.json"
    page, png = folder / f"{report.name}.html", folder / f"{report.name}.png"
    write_text(document, _lines(report.document))
    write_text(text, report.text)
    if report.figure is None:
        return [text, document], ""
    write_text(page, report.figure.to_html(include_plotlyjs=True))
    missing = _write_picture(report.figure, png)
    return [text, document, page] + ([] if missing else [png]), missing


def _lines(document):
    """JSON with a line for each entry, and for each member of a list of rows: short, and fit for a diff."""
    entries = []
    for name, value in document.items():
        rows = isinstance(value, list) and value and isinstance(value[0], dict)
        text = "[\n  " + ",\n  ".join(map(_json_text, value)) + "\n ]" if rows else _json_text(value)
        entries.append(f" {_json_text(name)}: {text}")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def _json_text(value):
    return json.dumps(value, ensure_ascii=False)


def _write_picture(figure, path):
    """Write the PNG; returns what stood in the way. Hours of training must not end in a traceback over a picture."""
    try:
        drawn = picture.png_of(figure, **PIXELS | {"height": figure.layout.height or PIXELS["height"]})
        with whole_file(path) as file:
            file.write(drawn)
    except picture.NoAnswer as late:
        return _not_drawn(path, late, "run the command again where the machine is less busy")
    except Exception as error:  # kaleido passes on whatever its browser dies of
        advice = "kaleido draws PNGs with Chrome or Chromium; install one, or name it in BROWSER_PATH"
        return _not_drawn(path, error, advice)
    return ""


def _not_drawn(path, error, advice):
    reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
    return f"{path} could not be drawn ({reason}): {advice}. The page {path.with_suffix('.html')} has the same figure."
