"""docs/results.md from its template: every measured number is read from a file under results/.

``docs/site/results.md`` has ``{{ expressions }}`` in the place of numbers and tables; ``python
scripts/docs/results_page.py`` writes ``docs/results.md``. A test renders it again and compares, so a results file that
changes fails until the page follows.

An expression is Python and can call:

- ``table(name, k, *rows)``: the k-th table of results/NAME.md, or its rows that begin with ``rows``
- ``cell(name, k, row, column)``: a cell, by the beginning of its row and the head of its column
- ``mean(…)``: the same without its spread; ``number(…)``: the same as a float
- ``points(share)``: a share in percentage points
- ``claims(name, *begins)``: the table of claims, or those with one of these beginnings
- ``found(name, pattern)``: the group of a pattern in the text of results/NAME.md
- ``given(text)``: a number that is no result: a setting, or a paper's number
"""

import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEMPLATE, PAGE = ROOT / "docs" / "site" / "results.md", ROOT / "docs" / "results.md"
EXPRESSION = re.compile(r"\{\{(.+?)\}\}", re.DOTALL)
WIDTH = 120


def render_page(template: str, results: Path) -> str:
    """The page, with what the files in ``results`` say; ValueError names an expression that finds nothing there."""
    names = names_of(results)

    def said(match):
        try:
            return str(eval(match[1].strip(), {"__builtins__": {}}, names))
        except (LookupError, ValueError, OSError) as error:
            raise ValueError(f"{{{{{match[1]}}}}}: {error}") from None

    return "\n\n".join(_wrap_block(block, EXPRESSION.sub(said, block)) for block in template.split("\n\n"))


def _wrap_block(block, text):
    """A paragraph or list that has numbers in it, wrapped; tables and everything else as they are."""
    if block == text or text.startswith("|"):
        return text
    items = re.split(r"\n(?=- )", text.rstrip("\n"))
    ends = "\n" * (len(text) - len(text.rstrip("\n")))
    return "\n".join(_wrap_text(" ".join(item.split()), "  " * item.startswith("- ")) for item in items) + ends


def _wrap_text(text, indent):
    how = {"subsequent_indent": indent, "break_long_words": False, "break_on_hyphens": False}
    return textwrap.fill(text, WIDTH, **how)


def names_of(results: Path) -> dict:
    """Return the names that an expression can use."""

    def text(name):
        return (results / f"{name}.md").read_text(encoding="utf-8")

    def lines(name, k):
        found = tables_of(text(name))
        if k >= len(found):
            raise LookupError(f"results/{name}.md has {len(found)} tables, none with number {k}")
        return found[k]

    def table(name, k, *rows):
        head, rule, *body = lines(name, k)
        return "\n".join([head, rule, *([_row(name, body, row) for row in rows] if rows else body)])

    def cell(name, k, row, column, nth=0):
        head, _, *body = lines(name, k)
        places = [place for place, title in enumerate(_cells(head)) if title == column]
        if nth >= len(places):
            raise LookupError(f"no column {column!r} in {head}")
        return with_zero(_cells(_row(name, body, row))[places[nth]])

    def mean(*where):
        return re.split(" ± | \\(", cell(*where))[0]

    def number(*where):
        return float(mean(*where).replace(",", "").removesuffix(" %"))

    def found(name, pattern):
        match = re.search(pattern, text(name))
        if match is None:
            raise LookupError(f"nothing in results/{name}.md is like {pattern!r}")
        return with_zero(match[1])

    def claims(name, *begins):
        (last,) = [one for one in tables_of(text(name)) if one[0] == "| claim | measured | holds |"]
        head, rule, *body = last
        for beginning in begins:
            if not any(row.startswith(f"| {beginning}") for row in body):
                raise LookupError(f"no claim of results/{name}.md begins with {beginning!r}")
        starts = tuple(f"| {beginning}" for beginning in begins) or ("|",)
        return "\n".join([head, rule, *(row for row in body if row.startswith(starts))])

    own = {"table": table, "cell": cell, "mean": mean, "number": number, "found": found, "claims": claims}
    return own | {"given": str, "points": lambda share: f"{100 * share:.1f}"}


def tables_of(text: str) -> list[list[str]]:
    """The tables of a Markdown file, each as its lines.

    >>> tables_of("| a |\\n|:--|\\n| b |\\n\\nwords")
    [['| a |', '|:--|', '| b |']]
    """
    runs: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.startswith("|"):
            runs[-1].append(line)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _row(name, body, begins):
    rows = [line for line in body if line.startswith(f"| {begins} |")]
    if len(rows) != 1:
        raise LookupError(f"{len(rows)} rows of this table of results/{name}.md begin with {begins!r}")
    return rows[0]


def _cells(line):
    return [cell.strip() for cell in line.strip("|").split(" |")]


def with_zero(text: str) -> str:
    """Numbers with a zero before the point.

    >>> with_zero(".919 ± .003")
    '0.919 ± 0.003'
    """
    return re.sub(r"(?<![\d.])\.(\d)", r"0.\1", text)


def main():
    """Write the page."""
    PAGE.write_text(render_page(TEMPLATE.read_text(encoding="utf-8"), ROOT / "results"), encoding="utf-8")


if __name__ == "__main__":
    main()
