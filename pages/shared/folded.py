"""Settings folded into one line that says what is chosen, until somebody wants to change them."""


def folded(page, place, summary):
    """Where settings go: below a button in a ``place`` that says their ``summary``; ``page`` gives it a key."""
    return place.popover(summary, icon=":material/tune:", key=page.key("folded"), help="Settings")
