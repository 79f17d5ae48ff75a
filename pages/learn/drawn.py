"""What the pen draws for a training. No Streamlit here: a process beside the server draws it."""

from rcmviz.tasks.handwriting.pen import pen_words


def draw(sets, noise):
    """The words of each of the ``sets``, (number, seed)."""
    return [pen_words(number, seed, noise=noise) for number, seed in sets]
