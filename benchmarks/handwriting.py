"""Kassel's handwritten words, or words of the pen if the data is missing."""

from functools import cache

QUICK = 40


@cache
def words():
    """(source, words to learn from, words of the test fold)."""
    from rcmviz.data import registry
    from rcmviz.tasks import TEST_FOLD
    from rcmviz.tasks.handwriting import letter_data, pen

    source = "kassel" if registry.find("ocr") else "pen"
    everything = letter_data.load_words() if source == "kassel" else pen.pen_words(7_000, seed=1)
    return source, *letter_data.split(everything, TEST_FOLD)


def shipped_model():
    """The shipped model of order 3 for these words."""
    import rcmviz as rv

    return rv.load_model(f"handwriting-{words()[0]}")


def test_features(quick):
    """The features of each test word, an array (T, F)."""
    from rcmviz.tasks.handwriting import letter_data

    return [letter_data.features(word.images) for word in words()[2][: QUICK if quick else None]]


def training_data(quick):
    """The words to learn from as ``rv.Sequences``."""
    from rcmviz.tasks.handwriting import letter_data

    return letter_data.word_sequences(words()[1][: QUICK if quick else None])
