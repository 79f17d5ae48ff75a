"""What the first view of a server needs once, made while a browser still fetches Streamlit's script."""

import inspect


def make_ready():
    """Import what Step and the head of every page need, and compute the view that Step opens with."""
    import PIL.Image  # noqa: F401  Streamlit reads the page's icon with it

    from pages.shell import class_line, dock, training_line, visitors  # noqa: F401
    from pages.shell.answers import answer_of
    from pages.step.page import PAGE

    inspect.stack()  # Streamlit asks for it at its first element: every module's file is looked for, once
    answer_of(PAGE, PAGE.default)
