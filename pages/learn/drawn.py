"""Words drawn by the pen for a training, in a worker process: no import of Streamlit here."""

from rcmviz.tasks.handwriting.pen import pen_words


def draw(sets, noise):
    """Return the words of each of the ``sets``, (number, seed)."""
    return [pen_words(number, seed, noise=noise) for number, seed in sets]
