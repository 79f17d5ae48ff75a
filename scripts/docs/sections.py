"""The table of contents: every document of docs/ in its section."""

SECTIONS = {
    "How to": ["app", "lessons", "classifier", "learning", "networks", "contributing"],
    "Reference": ["data", "language-models", "results", "benchmarks", "reliability", "reference/index"],
    "Explanation": [
        "picture",
        "diagnosis",
        "ars",
        "search",
        "ctc",
        "fields",
        "hidden-labels",
        "testing",
        "architecture",
    ],
}
ELSEWHERE = ("contents", "tutorial", "glossary")  # index.md has them


def sections(documents):
    """``{caption: names}`` of the documents that there are; those that no section names come last."""
    known = {name for names in SECTIONS.values() for name in names} | {*ELSEWHERE}
    found = {title: [name for name in names if "/" in name or name in documents] for title, names in SECTIONS.items()}
    found["Explanation"] += sorted(documents - known)
    return found
