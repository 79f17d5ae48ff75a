"""Whether the cipher of a question can be read, with what is pinned."""

from pages.decipher.pins import numbered
from pages.decipher.question import DecipherQuestion
from pages.decipher.texts import subject_of
from pages.shell.errors import MissingData
from rcmviz.data import registry


def load(asked: DecipherQuestion) -> DecipherQuestion:
    """The question, if there is a cipher to read."""
    if asked.kind == "words" and asked.sentences == "tatoeba" and registry.find("tatoeba") is None:
        raise MissingData("Tatoeba’s sentences are not on this machine: run `rcmviz data get tatoeba`")
    numbered(subject_of(asked).layout, dict(asked.pins))
    return asked
