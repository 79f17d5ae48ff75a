"""What the link of a page owes to whoever opens it, for pages that read it to (value, opening, notices)."""


def check_survival(value, read, write, kept):
    """A value comes back from its link: the fields ``kept`` as they were, no place and no notice beside them."""
    found, opening, notices = read(write(value))
    assert (opening, notices) == (None, [])
    assert write(found) == write(value)
    for name in kept:
        assert getattr(found, name) == getattr(value, name)


def check_notice(name, nonsense, read, usual):
    """One parameter that says nothing costs a sentence that names it, and leaves the ``usual`` value."""
    found, _, notices = read({name: nonsense})
    assert found == usual
    assert len(notices) == 1
    assert name in notices[0]
