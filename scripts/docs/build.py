"""Build the documentation's site: ``make docs`` collects its sources and treats warnings as errors.

docs, results, cards of models, README and CHANGELOG keep their relative places, so their links hold; the
gallery, the lessons, the tutorials and the reference are made here, with views that play without a server. A warning of
Sphinx, a link to a file or a heading that is not there, and anything that a browser would fetch from elsewhere, fail.

python scripts/docs/build.py [build/docs] [--check]

With ``--check`` the views, lessons and tutorials are left out, as other tests check them, and so is the theme.
`make test` does this.
"""

import os
import re
import shutil
import sys
from argparse import ArgumentParser
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts"), str(ROOT / "scripts" / "docs")]

from course import lessons  # noqa: E402
from gallery import Live, frame, gallery  # noqa: E402
from reference import reference  # noqa: E402
from sections import sections  # noqa: E402
from sphinx.cmd.build import main as sphinx  # noqa: E402
from tutorials import tutorials  # noqa: E402

COPIED = ("docs/*.md", "docs/images/*", "results/*.md", "results/*.json", "results/*.png", "models/*.md", "*.md")
FENCE = re.compile(r"^```python\n(?=>>>)", re.MULTILINE)
NOTEBOOK = re.compile(r"\(notebooks/([\w-]+)\.ipynb\)")
ADDRESS = re.compile(r'\b(href|src)="([^"]*)"')
IDENTITY = re.compile(r'\bid="([^"]*)"')


def write(path, text):
    """A file of the sources, its folder with it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def collect_sources(source, live):
    """Write Sphinx's sources; views and lessons are written to ``live``."""
    for pattern in COPIED:
        for path in sorted(ROOT.glob(pattern)):
            to = source / path.relative_to(ROOT)
            to.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".md":
                text = FENCE.sub("```pycon\n", path.read_text(encoding="utf-8"))
                to.write_text(NOTEBOOK.sub(r"(../notebooks/\1.md)", text), encoding="utf-8")
            else:
                shutil.copy(path, to)
    for folder, title in (("results", "Results, as measured"), ("models", "Cards of the models")):
        write(source / folder / "index.md", f"# {title}\n\n```{{toctree}}\n:glob:\n\n*\n```\n")
    shutil.copy(ROOT / "docs/site/conf.py", source)
    write(source / "_static/site.css", (ROOT / "docs/site/site.css").read_text(encoding="utf-8"))
    write(source / "gallery.md", gallery(live))
    index = (ROOT / "docs/site/index.md").read_text(encoding="utf-8")
    index = index.replace("%first%", frame("live/sure-and-wrong.html", "beam search and RCMS on one word"))
    documents = {path.stem for path in (ROOT / "docs").glob("*.md")}
    write(source / "index.md", index.replace("%sections%", "\n\n".join(map(section, sections(documents).items()))))
    for folder, pages in (("reference", reference()), ("lessons", lessons(live)), ("notebooks", tutorials(live))):
        for name, text in pages.items():
            write(source / folder / f"{name}.md", text)


def section(entry):
    """Return a part of the table of contents."""
    caption, names = entry
    lines = "\n".join(name if "/" in name else f"docs/{name}" for name in names)
    return f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{lines}\n```"


def broken(site):
    """Return broken links of the built site, and addresses that a browser would fetch from other hosts."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.html"))}
    known = {path: set(IDENTITY.findall(text)) for path, text in texts.items()}
    found = []
    for path, text in texts.items():
        if (site / "live") in path.parents:
            continue  # these have a policy that lets nothing through
        for kind, address in ADDRESS.findall(text):
            name, _, anchor = address.partition("#")
            if name.startswith(("http:", "https:")):
                found += [f"{path.name} fetches {address}"] if kind == "src" else []
                continue
            if name.startswith(("data:", "mailto:")):
                continue
            to = (path.parent / name.partition("?")[0]).resolve() if name else path
            if not to.exists() or (anchor and to in known and anchor not in known[to]):
                found.append(f"{path.relative_to(site)}: {address}")
    return found


def main(folder, is_checked_only):
    """Build the site in ``folder/site``; the number of Sphinx's failure, or 1."""
    shutil.rmtree(folder, ignore_errors=True)
    os.environ.setdefault("COLUMNS", "100")
    collect_sources(folder / "source", Live(folder / "extra" / "live", is_checked_only))
    options = ["-W", "--keep-going", "-q", "-b", "html", *(["-D", "html_theme=basic"] if is_checked_only else [])]
    failed = sphinx([*options, str(folder / "source"), str(folder / "site")])
    found = broken(folder / "site")
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(list((folder / 'site').rglob('*.html')))} pages in {folder / 'site'}")
    return failed or int(bool(found))


if __name__ == "__main__":
    parser = ArgumentParser(description="Build the documentation as a site, strictly.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "docs")
    parser.add_argument("--check", action="store_true", help="leave out the views, lessons and tutorials")
    given = parser.parse_args()
    sys.exit(main(given.folder.resolve(), given.check))
