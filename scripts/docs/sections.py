"""The table of contents: every document of docs/ in its section."""

SECTIONS = {
    "The application": [
        "app",
        "lessons",
        "diagnosis",
        "picture",
    ],
    "The library": [
        "data",
        "classifier",
        "learning",
        "language-models",
        "ars",
        "decipher",
        "alignment",
        "fields",
        "search",
        "ctc",
        "networks",
        "reference/index",
    ],
    "Behind it": ["results", "benchmarks", "testing", "architecture", "contributing"],
}
ELSEWHERE = ("contents", "tutorial", "glossary")  # index.md has them


def sections(documents):
    """``{caption: names}`` of the documents that there are; those that no section names come last."""
    known = {name for names in SECTIONS.values() for name in names} | {*ELSEWHERE}
    found = {title: [name for name in names if "/" in name or name in documents] for title, names in SECTIONS.items()}
    found["Behind it"] += sorted(documents - known)
    return found
