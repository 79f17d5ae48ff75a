"""The declaration of a page: its question, its answer and its view; everything else is derived."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, Generic, Literal, TypeVar

from pages.shell.formula import Formula
from pages.shell.question import Question
from pages.shell.state import PageState
from pages.shell.training import Training
from rcmviz.views.shared import assets
from rcmviz.views.shared.packed import Packed
from rcmviz.views.shared.view import View

Q = TypeVar("Q", bound=Question)
I = TypeVar("I")  # noqa: E741
Payload = dict[str, Any]


@dataclass(frozen=True)
class Example(Generic[Q]):
    """A question to begin with: the ``label`` of its button and a ``description``."""

    label: str
    question: Q
    description: str


@dataclass(frozen=True)
class Deferred(Generic[Q]):
    """Parts of a payload that the page does not wait for.

    ``parts(question)`` returns the fields of the payload that are known; ``watch(question, parts)`` reruns the page
    when there are more. ``all_parts(question)`` waits for all of them, for lessons and saved files. Without it a saved
    file has the fields that are known.
    """

    parts: Callable[[Q], Payload]
    watch: Callable[[Q, Payload], None]
    all_parts: Callable[[Q], Payload] | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Tab(Generic[Q, I]):
    """The parts of a page that one of its tabs overrides; the fields are those of ``Capability``, None inherits.

    The field ``tab`` of the question chooses the tab.
    """

    answer: Callable[[I], Payload | Packed] | None = None
    view: View | None = None
    load: Callable[[Q], I] | None = None
    seconds: Callable[[I], float] | None = None
    code: Callable[[Q, I], str] | None = None
    notes: Callable[[I], Iterable[str]] | None = None
    warnings: Callable[[I], Iterable[str]] | None = None
    intro: str | Callable[[Q], None] | None = None
    summary: Callable[[Q], str] | None = None
    layout: Literal["row", "popover"] | None = None
    form: Callable[[PageState[Q], Q], None] | None = None
    spinner: str | None = None
    formula: Formula | Callable[[Q], Formula] | None = None
    caption: Callable[[Q, Any], str] | None = None
    heading: Callable[[Payload], str] | None = None
    view_state: Callable[[Payload], Payload] | None = None
    above: Callable[[PageState[Q], Q], None] | None = None
    on_event: Callable[[Q, Any], None] | None = None
    on_change: Callable[[PageState[Q], Mapping[str, Any]], None] | None = None
    deferred: Deferred[Q] | None = None
    below: Callable[[Q, Any], None] | None = None
    draw: Callable[[Q, Payload], None] | None = None
    training: Training[Q] | None = None
    offline: Callable[[Q], Payload | None] | None = None


def no_answer(inputs: Any) -> Payload:
    """Stand in for the ``answer`` of a page whose tabs answer, or draw themselves."""
    raise ValueError("this tab has no answer: it draws itself")


@dataclass(frozen=True, eq=False, kw_only=True)
class Capability(Generic[Q, I]):
    """A page, ``PAGE`` in its ``page.py``.

    The types of ``question``, ``load``, ``answer``, ``seconds``, ``notes`` and ``code`` belong together: annotate the
    declaration (``PAGE: Capability[DiceQuestion, DiceInputs] = …``), and mypy reports a wrong pair at its line.

    Parameters
    ----------
    name, title : str
        The page's name in links (that of its folder, or the ``path`` of its ``NavEntry``), and its heading.
    question : subclass of Question
        The question of the page: link, widgets, defaults, limits.
    load : callable, optional
        The inputs of a question: uploads, models, options. It runs in the session at each run of the page, so it is
        cheap. It raises NeedsInput, MissingData or ValueError, and refuses uploads of other visitors. By default the
        question itself.
    answer : callable
        The payload of inputs: plain JSON with an ``id`` and a ``title``. It runs once per question, in a background
        process if it takes long, so it is a function of a module and knows neither Streamlit nor the session. A large
        one that is sent again and again may be ``Packed``.
    seconds : callable, optional
        Estimated seconds of an answer to inputs; a worker process computes it from 0.5 on.
    view : View
        The view that draws the payload.
    code : callable, optional
        Python source that reproduces the view outside of the application; it becomes ``code`` in the payload.
    notes, warnings : callable, optional
        Sentences about inputs, above the view.

    intro : str or callable, optional
        Markdown below the title, or a function of the question that draws it.
    head : callable, optional
        ``head(state, question)`` draws the title and the controls next to it by hand.
    form : callable, optional
        ``form(state, question)`` draws the form by hand, all but the head.
    summary : callable, optional
        The form in a line, for the popover and for phones; by default the values of its row.
    layout : {"row", "popover"}
        Whether the form stands above the view or in a popover next to the title.
    labels : {"beside", "above"}
        Where the labels of the row are in a low and wide window; "above" if they are long.
    more_label : str
        Label of the popover at the end of the row.
    title_widths, examples_widths : (int, int)
        Shares of title and header choice, and of examples and their description.
    examples, examples_hint : tuple of Example, str
        Questions to begin with, and the text next to them if none is chosen. A tab shows its own.
    usual : Question, optional
        The question of a link without parameters, if it differs from ``question()``.
    opens_with : Question, optional
        The question that the page opens with, if it differs from the usual one. ``example.json`` in its folder, which
        ``scripts/record_openings.py`` writes, is the prepared answer; of a page with tabs it has some of them, by tab.
    state_class : subclass of PageState, optional
        The state of the page in a session, if it keeps more than its question.

    spinner : str
        The text shown while the answer is computed.
    formula : Formula or callable, optional
        Below the view; or a function of the question that returns it.
    caption : callable, optional
        A line below the view, of question and payload.
    heading : callable, optional
        The title of the saved file, of the payload.
    view_state : callable, optional
        Fields of the payload for the view state of a link (``Question.place``); by default the state itself.
    above : callable, optional
        ``above(state, question)`` draws between form and view, even if there is no answer.
    on_change : callable, optional
        ``on_change(state, values)`` is called before the page runs, once for each event or state that the view has
        sent; it may change the question (``state.change``). ``values`` are all states and that event, by name.
    reruns : {"page", "view"}
        Which part runs when the view has sent something: the page, or only ``above``, the view and everything below it.
        ``state.ask_for_page()`` in ``on_change`` then runs all of it.
    on_event : callable, optional
        ``on_event(question, events)`` is called once the view is drawn, when it has sent an event: to open another
        page. Each of ``view.events`` is an attribute of ``events``, None if it was not sent.
    deferred : Deferred, optional
        Parts of the payload that the page does not wait for.
    below : callable, optional
        ``below(question, payload)`` draws under the view; ``payload`` is as ``answer`` returned it.
    draw : callable, optional
        ``draw(question, view_state)`` draws everything under the form unless ``load`` refuses; the page then has no
        answer.
    training : Training, optional
        Trainings that the visitor starts; they replace the answer, unless ``load`` refuses.
    offline : callable, optional
        The payload that an exported lesson draws, None if the view needs the application; by default
        the answer with the view state.

    facts : module, optional
        Facts for lessons, see ``pages.shell.facts``.
    tabs : mapping of str to Tab
        The overrides of each tab.
    """

    name: str
    title: str
    question: type[Q]
    view: View
    answer: Callable[[I], Payload | Packed] = no_answer
    load: Callable[[Q], I] = lambda question: question  # type: ignore[assignment, return-value]
    seconds: Callable[[I], float] = lambda inputs: 0.0
    code: Callable[[Q, I], str] | None = None
    notes: Callable[[I], Iterable[str]] = lambda inputs: ()
    warnings: Callable[[I], Iterable[str]] = lambda inputs: ()

    intro: str | Callable[[Q], None] = ""
    head: Callable[[PageState[Q], Q], None] | None = None
    form: Callable[[PageState[Q], Q], None] | None = None
    summary: Callable[[Q], str] | None = None
    layout: Literal["row", "popover"] = "row"
    labels: Literal["beside", "above"] = "beside"
    more_label: str = "More"
    title_widths: tuple[int, int] = (5, 6)
    examples: tuple[Example[Q], ...] = ()
    examples_hint: str = "Examples to begin with."
    examples_widths: tuple[int, int] = (8, 5)
    usual: Q | None = None
    opens_with: Q | None = None
    state_class: type[PageState[Q]] = PageState

    spinner: str = "Computing"
    formula: Formula | Callable[[Q], Formula] | None = None
    caption: Callable[[Q, Any], str] | None = None
    heading: Callable[[Payload], str] = lambda payload: payload["title"]
    view_state: Callable[[Payload], Payload] = dict
    above: Callable[[PageState[Q], Q], None] | None = None
    on_event: Callable[[Q, Any], None] | None = None
    on_change: Callable[[PageState[Q], Mapping[str, Any]], None] | None = None
    reruns: Literal["page", "view"] = "page"
    deferred: Deferred[Q] | None = None
    below: Callable[[Q, Any], None] | None = None
    draw: Callable[[Q, Payload], None] | None = None
    training: Training[Q] | None = None
    offline: Callable[[Q], Payload | None] | None = None

    facts: ModuleType | None = None
    tabs: Mapping[str, Tab[Q, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for view in (self.view, *(tab.view for tab in self.tabs.values())):
            if view is not None:
                assets.register(view)

    def at(self, question: Q) -> "Capability[Q, Any]":
        """Return the page with the overrides of the question's tab."""
        if not self.tabs:
            return self
        own = {name: value for name, value in vars(self.tabs[question.tab]).items() if value is not None}
        return replace(self, tabs={}, **own)

    def opening(self, question: Q) -> Q:
        """Return the question that the page, or the tab of a question, opens with."""
        first = self.opens_with or self.default
        return first.changed(tab=question.tab) if self.tabs else first

    @property
    def can_answer(self) -> bool:
        """Whether the page answers, rather than trains or draws by hand."""
        return self.answer is not no_answer

    def openings(self) -> dict[str, Q]:
        """Return the question that each tab opens with, by tab; under "" if the page has no tabs."""
        first = self.opens_with or self.default
        return {tab: first.changed(tab=tab) for tab in self.tabs} or {"": first}

    @property
    def default(self) -> Q:
        """The question of a link without parameters."""
        return self.usual or self.question()

    @property
    def state(self) -> PageState[Q]:
        """The state of the page in the current session."""
        return self.state_class(self.name, self.default)
