"""The inputs of Decipher: a readable cipher with its pins."""

from pages.decipher.pins import pins_by_number
from pages.decipher.question import DecipherQuestion
from pages.decipher.texts import subject_of
from pages.shell.errors import MissingData
from rcmviz.data import registry


def load(question: DecipherQuestion) -> DecipherQuestion:
    """Return the question if its cipher can be read; ValueError says what is wrong."""
    if question.kind == "words" and question.sentences == "tatoeba" and registry.find("tatoeba") is None:
        raise MissingData("Tatoeba’s sentences are missing on this computer: run `rcmviz data get tatoeba`")
    pins_by_number(subject_of(question).layout, dict(question.pins))
    return question
