"""One session's trial: kept in the session, shown in the widgets, written to the link."""

from pages.precision.settings import PLACE, TRIAL, Trial, read_trial, write_trial
from pages.shared.linked import Linked

PAGE = "precision"
_TRIAL = Linked(PAGE, Trial(), ("source", "words", "seed", "noise", "arms"), read_trial, write_trial, TRIAL, PLACE)


def open_trial():
    """(Trial, opening, notices) of this run: of the link where it was changed from outside, else of the widgets."""
    return _TRIAL.open()
