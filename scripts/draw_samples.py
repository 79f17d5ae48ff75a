"""Draw names or sentences at random, to judge whether a newcomer understands them.

python scripts/draw_samples.py names|screens|docs [--seed N] [--count N] [--all]

Names are functions, methods and classes of Python and JavaScript, each with its module. Sentences of screens are string
literals of pages, views and lessons that read as sentences or labels; those of documents are docs/*.md and README.md.
"""

import argparse
import ast
import random
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODE = ("rcmviz", "pages", "benchmarks", "scripts", "fuzz")
SCREENS = ("rcmviz/views", "rcmviz/lessons", "pages")
DEFINED = re.compile(
    r"^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\*?|class)\s+(\w+)"
    r"|^\s*(?:export\s+)?(?:const|let)\s+(\w+)\s*=\s*(?:async\s*)?(?:\([^()]*\)|\w+)\s*=>",
    re.MULTILINE,
)
LITERAL = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"|`((?:[^`\\]|\\.)*)`")
CODE_LIKE = re.compile(r"rv-|^(import|from|for|print|def) |[({;]\s*$|=>| = |\w\(|</|^\W*$|_\w+ \w+_")
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z0-9])")
MIN_WORDS = 4


def committed_files(folders, ending):
    """Return the committed files of the folders with this ending, vendored ones left out."""
    listed = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.split() if name.endswith(ending) and "/vendor" not in name]


def names():
    """Return every definition as `module: name`, methods with their class."""
    found = []
    for path in committed_files(CODE, ".py"):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        found += [f"{module}: {name}" for name in python_names(ast.parse(path.read_text(encoding="utf-8")), "")]
    for path in committed_files(CODE, ".js"):
        for groups in DEFINED.findall(path.read_text(encoding="utf-8")):
            found.append(f"{path.relative_to(ROOT)}: {''.join(groups)}")
    return found


def python_names(node, prefix):
    """Yield the functions and classes below a node, without special methods."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if not child.name.startswith("__"):
                yield prefix + child.name
            yield from python_names(child, f"{prefix}{child.name}.")
        else:
            yield from python_names(child, prefix)


def screens():
    """Return the sentences and labels of pages, views and lessons."""
    found = []
    for path in committed_files(SCREENS, ".py"):
        if path.name in ("code.py", "sample.py"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            text = None
            if isinstance(node, ast.JoinedStr):
                text = "".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                text = node.value
            found += sentences(path, text or "")
    for path in committed_files(SCREENS, ".js"):
        code = re.sub(r"^\s*(//|\*|/\*).*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for groups in LITERAL.findall(code):
            found += sentences(path, re.sub(r"\$\{[^}]*\}", "…", "".join(groups)))
    for path in committed_files(SCREENS, ".md"):
        found += sentences(path, prose(path))
    return [line for line in dict.fromkeys(found) if not CODE_LIKE.search(line.partition(": ")[2])]


def docs():
    """Return the sentences of README.md and docs/*.md."""
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [line for path in paths for line in sentences(path, prose(path))]


def prose(path):
    """Return a Markdown file's text without code blocks, tables and headings."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^[|#<].*$", "", text, flags=re.MULTILINE)


def sentences(path, text):
    """Return `file: sentence` for each sentence of at least four words."""
    parts = [part for block in re.split(r"\n\s*\n|\n[-*] ", text) for part in SENTENCE.split(" ".join(block.split()))]
    return [
        f"{path.relative_to(ROOT)}: {part}" for part in parts if len(re.findall(r"[A-Za-z]{2,}", part)) >= MIN_WORDS
    ]


def main():
    """Print the sample, or everything."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("kind", choices=("names", "screens", "docs"))
    parser.add_argument("--seed", type=int, default=43)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--all", action="store_true", help="print everything that is drawn from")
    options = parser.parse_args()
    found = {"names": names, "screens": screens, "docs": docs}[options.kind]()
    if not options.all:
        found = random.Random(options.seed).sample(found, options.count)
    print(*found, sep="\n")


if __name__ == "__main__":
    main()
