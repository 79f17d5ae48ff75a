"""The table of contents: every document of docs/ in its section."""

SECTIONS = {
    "The application": [
        "app", "learn-page", "precision", "ars-page", "decipher-page", "align-page", "field-page", "search-page",
        "blame", "problem-file", "player", "embedding",
    ],
    "The library": [
        "methods", "data-model", "classifier", "learning", "language-models", "arpa", "ars", "sms-and-tagging",
        "decipher", "alignment", "fields", "search", "proposals", "sequence-file", "reference/index",
    ],
    "Behind it": ["results", "speed", "testing", "architecture", "contributing"],
}  # fmt: skip
