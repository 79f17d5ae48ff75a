"""One session's view of a page: kept in the session, shown in the widgets, written to the link.

The link wins where it was changed from outside (opened, edited, back button), else the widgets win. A rerun can arrive
with a link that is older than the last click; then some widget has changed, and that tells the two cases apart.
"""

from dataclasses import dataclass, field, replace

import streamlit as st

from pages.shared.linked_page import key
from pages.shared.trained_models import known_models
from pages.word.edits import added
from pages.word.settings import (
    DEFAULT_TEXT,
    MOST_RUNS,
    NONE,
    PARAMETERS,
    Options,
    Settings,
    Subject,
    at,
    default_model,
    read_settings,
    write_query,
)
from rcmviz.core.methods import MethodChoice


@dataclass(frozen=True)
class View:
    """What a page keeps between runs: its settings, the place that the player opens at, the link that was written."""

    settings: Settings
    opening: tuple[int, str | None] = (1, None)
    query: dict = field(default_factory=dict)


def view_of(page):
    """The View of a page in this session."""
    return st.session_state.get(f"view.{page}")


def keep(page, settings, **changes):
    """Keep new settings of a page, and write them to the link."""
    view = view_of(page) or View(settings)
    query = write_query(settings)
    view = replace(view, settings=settings, query=query, **changes)
    st.session_state[f"view.{page}"] = view
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)
    return view


def open_page(page, default):
    """(Settings, notices) of this run of a page; ``default`` where neither link nor session knows better."""
    view, incoming = view_of(page), st.query_params.to_dict()
    entered = st.session_state.pop("page_entered", True)
    foreign = view is not None and set(incoming) - PARAMETERS  # "back" from Learn or Precision (page.py)
    if view is None and not incoming:
        settings, notices = _with_shared_subject(page, default), []
    elif view is None or (incoming and entered and not foreign):
        settings, notices = read_settings(incoming, known_models(incoming), default)
    elif entered:
        settings, notices = view.settings, []
    else:
        settings, notices = _from_widgets(page, view.settings), []
        if incoming != view.query and settings == view.settings and not foreign:
            settings, notices = read_settings(incoming, known_models(incoming), default)
            entered = True
    if entered or view is None:
        fill_widgets(page, settings)
    moved = entered or view is None or settings.subject != view.settings.subject
    keep(page, settings, **({"opening": (settings.position, settings.node)} if moved else {}))
    if settings.subject.source != "problem":
        st.session_state["subject"] = settings.subject
    return settings, notices


def _with_shared_subject(page, default):
    """Compare opens on the word that was last looked at on Step, and the other way round."""
    subject = st.session_state.get("subject")
    return replace(default, subject=subject) if subject and default.subject.source != "problem" else default


def _widget_values(settings):
    """What the widgets of a page show, by name."""
    subject, options = settings.subject, settings.options
    values = {
        "source": subject.source, "seed": subject.seed, "noise": subject.noise, "model": subject.model,
        "passes": options.passes, "deduplicate": options.deduplicate, "root_weight": options.root_weight,
        "linked": settings.linked,
    }  # fmt: skip
    if subject.source in ("pen", "kassel"):
        values[f"text.{subject.source}"] = subject.text
    for number, method in enumerate(_slots(settings)):
        values[f"kind.{number}"] = method.kind if method else NONE
        if method and method.has_budget:
            values[f"budget.{number}"] = method.budget
    return values


def fill_widgets(page, settings):
    """Show settings in the widgets; before they are drawn."""
    for name, value in _widget_values(settings).items():
        st.session_state[key(page, name)] = value


def restore_widgets(page, settings):
    """Give widgets that were not drawn in the last run their value again, and those never drawn a first one."""
    first = {f"text.{source}": text for source, text in DEFAULT_TEXT.items()}
    first |= {f"budget.{number}": 10 for number in range(MOST_RUNS)}
    for name, value in (first | _widget_values(settings)).items():
        st.session_state.setdefault(key(page, name), value)


def _from_widgets(page, settings):
    """Settings as the widgets show them now; what has no widget stays as it was."""

    def shown(name, otherwise):
        value = st.session_state.get(key(page, name), otherwise)
        return otherwise if value is None else value

    old = settings.subject
    source = shown("source", old.source)
    kept_text = old.text if source == old.source else DEFAULT_TEXT[source]
    text = shown(f"text.{source}", kept_text) if source in ("pen", "kassel") else _text_of(page, source, kept_text)
    model = shown("model", old.model) if source == old.source else default_model(source)
    if source != old.source:
        st.session_state[key(page, "model")] = model
    subject = Subject(source, text, shown("seed", old.seed), shown("noise", old.noise), model)
    options = Options(*(shown(name, getattr(settings.options, name)) for name in Options.__dataclass_fields__))
    linked = shown("linked", settings.linked)
    edits = settings.edits if subject == old else ()
    return replace(settings, subject=subject, methods=_methods(shown, settings, linked), options=options,
                   linked=linked, edits=edits)  # fmt: skip


def _text_of(page, source, otherwise):
    """What was drawn or pasted last on this page, which no widget holds."""
    return st.session_state.get(key(page, f"kept.{source}"), otherwise)


def _slots(settings):
    """One method per place where one can be chosen, None where none is."""
    return [*settings.methods, *[None] * MOST_RUNS][: MOST_RUNS if settings.compares else 1]


def _methods(shown, settings, linked):
    methods = []
    for number, method in enumerate(_slots(settings)):
        kind = shown(f"kind.{number}", method.kind if method else NONE)
        if kind == NONE:
            continue
        budget = shown(f"budget.{0 if linked else number}", method.budget if method else 10)
        methods.append(MethodChoice(kind, int(budget)))
    return tuple(dict.fromkeys(methods))


def change_subject(page, **changes):
    """A callback: another text, seed or drawing, shown in the widgets too; edits belong to the old one and go."""
    settings = view_of(page).settings
    settings = replace(settings, subject=replace(settings.subject, **changes), edits=(), position=1, node=None)
    st.session_state[key(page, f"kept.{settings.subject.source}")] = settings.subject.text
    fill_widgets(page, settings)
    keep(page, settings, opening=(1, None))


def change_model(page, name):
    """A callback: the same word at the same place, read by another model."""
    settings = view_of(page).settings
    settings = replace(settings, subject=replace(settings.subject, model=name))
    fill_widgets(page, settings)
    keep(page, settings, opening=(settings.position, settings.node))


def commit_place(page, position, node):
    """The player has come to rest somewhere: keep it and write it to the link."""
    settings = view_of(page).settings
    place = at(settings, position or settings.position, node)
    if place != settings:
        keep(page, place)


def add_edit(page, edit):
    """A what-if edit, from the player or the form."""
    settings = view_of(page).settings
    keep(page, replace(settings, edits=added(settings.edits, edit)))


def drop_edits(page, how_many=1):
    """Undo the last edits."""
    settings = view_of(page).settings
    keep(page, replace(settings, edits=settings.edits[: max(0, len(settings.edits) - how_many)]))
