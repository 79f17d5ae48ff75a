"""Checks of a page's link, for pages that read it to (value, opening, notices)."""


def check_survival(value, read, write, kept):
    """Check that a value survives its link: the fields ``kept`` are equal, and there is no position and no notice."""
    found, opening, notices = read(write(value))
    assert (opening, notices) == (None, [])
    assert write(found) == write(value)
    for name in kept:
        assert getattr(found, name) == getattr(value, name)


def check_notice(name, nonsense, read, usual):
    """Check that an unreadable parameter produces one notice that names it, and the ``usual`` value."""
    found, _, notices = read({name: nonsense})
    assert found == usual
    assert len(notices) == 1
    assert name in notices[0]
