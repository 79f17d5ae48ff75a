"""All targets; importing this enters them in ``fuzz.target.TARGETS``."""

from fuzz.targets import calls, documents, lessons, links, models, texts

__all__ = ["calls", "documents", "lessons", "links", "models", "texts"]
