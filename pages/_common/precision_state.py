"""One session's trial: kept in the session, shown in the widgets, written to the link, as ``state`` does for a view."""

import streamlit as st

from .precision_settings import PLACE, TRIAL, Trial, read_trial, write_trial
from .state import key

PAGE = "precision"
WIDGETS = ("source", "words", "seed", "noise")


def open_trial():
    """(Trial, opening, notices) of this run: of the link where it was changed from outside, else of the widgets."""
    known, incoming = st.session_state.get(key(PAGE, "trial")), st.query_params.to_dict()
    entered = st.session_state.pop("page_entered", True)
    trial = known or Trial()
    if known and not entered:
        trial = _from_widgets(known)
    elsewhere = _of_trial(incoming) != st.session_state.get(key(PAGE, "query"))
    # On the way to Step, Streamlit writes that page's parameters behind this page's name first: "back" comes past them.
    foreign = known is not None and set(incoming) - {*TRIAL, *PLACE}
    opening, notices = None, []
    if incoming and not foreign and (known is None or entered or (elsewhere and trial == known)):
        trial, opening, notices = read_trial(incoming)
        entered = True
    _show(trial, anew=entered or known is None)
    _keep(trial, incoming)
    return trial, opening, notices


def _show(trial, anew):
    """Let the widgets show a trial; those that were not drawn in the last run have forgotten theirs in any case."""
    values = {name: getattr(trial, name) for name in WIDGETS} | {"arms": list(trial.arms)}
    for name, value in values.items():
        if anew or key(PAGE, name) not in st.session_state:
            st.session_state[key(PAGE, name)] = value


def _from_widgets(known):
    shown = {name: st.session_state.get(key(PAGE, name)) for name in WIDGETS}
    arms = tuple(st.session_state.get(key(PAGE, "arms"), known.arms))
    values = {name: getattr(known, name) if value is None else value for name, value in shown.items()}
    return Trial(**values, arms=arms)


def _keep(trial, incoming):
    """In the session, and in the link, where the browser's own part stays as it came."""
    query = write_trial(trial)
    st.session_state[key(PAGE, "trial")], st.session_state[key(PAGE, "query")] = trial, query
    if _of_trial(incoming) != query or set(incoming) - set(query) - set(PLACE):
        st.query_params.from_dict(query | {name: incoming[name] for name in PLACE if name in incoming})


def _of_trial(query):
    return {name: value for name, value in query.items() if name not in PLACE}
