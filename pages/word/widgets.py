"""The settings above a view: the word, the methods, the options; all widgets live under the page's session keys."""

import random

import streamlit as st

import rcmviz as rv
from pages.learn.checkpoint import checkpoint_title, read_checkpoint, write_checkpoint
from pages.shell.head import page_head
from pages.shell.methods import MAX_BUDGET, MOST_RUNS, NONE, heading
from pages.shell.trained_models import is_checkpoint, steps_in_memory
from pages.word.find_word import show_finder
from pages.word.question import EQUAL, MAX_LETTERS, TYPED
from pages.word.strokes import LONGEST_INK, read_strokes, word_drawn, write_strokes
from pages.word.words import kassel_words
from rcmviz.core.methods import BUILDERS
from rcmviz.core.rules import RULES
from rcmviz.data import registry
from rcmviz.tasks import TEST_FOLD
from rcmviz.tasks.handwriting.lexicon import LEXICON
from rcmviz.tasks.handwriting.pen import decode_images, encode_images
from rcmviz.views.shared.component import pad
from rcmviz.views.shared.words import sentence_of

BOXES = 6  # to begin with
SOURCE_NAMES = {"pen": "Written by the pen", "kassel": "Real handwriting", "drawn": "Draw it"}
BUDGETS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1_000, 2_000, MAX_BUDGET)
BUDGET_HELP = sentence_of("budget")
EVERY_PASS_HELP = "Next to each other: of more than three passes the first, the second and the last."
BUDGET_WAYS = {EQUAL: "Equal at all positions", "entropy": "Adaptive, by entropy", "regret": "Adaptive, by regret"}
WAYS_HELP = (
    "Adaptive: after a pass with equal budgets, uncertain positions have more contexts and others fewer, with the same "
    "total. RCMS only."
)
RULE_HELP = (
    "What candidates are ranked by in the first pass. The expert is a reference: it needs exact inference. A method "
    "without further passes ranks by forward mass instead of their posterior."
)


def summary(settings):
    """The word and the methods that read it, in a line."""
    subject, methods = settings.subject, " and ".join(method.name for method in settings.methods)
    if subject.source not in TYPED:
        return methods
    return f"{subject.text} · {f'pen {subject.seed} · ' if subject.source == 'pen' else ''}{methods}"


def head(title):
    """What draws the title, and next to it where the word comes from."""

    def draw_head(page, settings):
        page_head(title, "Handwriting", SOURCE_NAMES, key=page.key("source"))

    return draw_head


def choose_word(page, settings):
    """The word; the drawing pad comes below the row, where there is room."""
    source = settings.subject.source
    if source == "pen":
        word, seed, another, find = st.columns([3.4, 4.2, 2.8, 2.2], vertical_alignment="bottom")
        word.text_input("Word", key=page.key("text.pen"), help="Letters a to z; Enter writes it.")
        seed.number_input("Pen", step=1, help="A seed: every pen writes its own way.", **page.widget("seed"))
        another.button(
            "Another",
            on_click=_another_pen_word,
            args=(page,),
            width="stretch",
            icon=":material/casino:",
            key=page.key("another"),
        )
        with find:
            show_finder(page)
    elif source == "kassel" and registry.find("ocr"):
        word, another = st.columns([8, 2], vertical_alignment="bottom")
        word.text_input(
            "Word",
            key=page.key("text.kassel"),
            help="An index (0 to 6,876), letters, or letters and which of the words so spelled: `ommanding 3`.",
        )
        another.button(
            "Another", on_click=_another_kassel_word, args=(page,), width="stretch", icon=":material/casino:"
        )


def _another_pen_word(page):
    page.change_subject(text=random.choice(LEXICON), seed=random.randrange(1000))


def _another_kassel_word(page):
    word = random.choice([word for word in kassel_words() if word.fold == TEST_FOLD])
    page.change_subject(text=str(word.index))


def draw_word(page, settings):
    """The pad, for a word that is drawn; every stroke is read at once, and what the reader sees stands below it."""
    subject = settings.subject
    if subject.source != "drawn":
        return
    letters = _strokes_of(subject)
    drawing, saying = st.columns([7, 4])
    with drawing:
        pad(
            letters + [[]] * (BOXES - len(letters)),
            key=page.key("pad"),
            images=decode_images(subject.text) if letters else None,
            on_strokes=lambda: _take_strokes(page),
        )
    saying.text_input(
        "What it says",
        key=page.key("gold"),
        max_chars=MAX_LETTERS,
        placeholder="the gold, if you like",
        help=sentence_of("gold") + " What the methods make of the word is compared with it.",
    )
    if subject.gold and not subject.drawn_gold:
        wanted = f"{len(subject.gold)} letters for {subject.drawn_letters} that are drawn"
        saying.caption(f"Not used as the gold: {wanted}, or others than a to z.")


def _strokes_of(subject):
    """What is on the pad; a link may have pixels alone, or pixels of other strokes."""
    try:
        is_short = subject.text and len(subject.ink) <= LONGEST_INK  # no link of ours has more
        same = is_short and encode_images(word_drawn(subject.ink).images) == subject.text
    except ValueError:
        same = False
    return read_strokes(subject.ink) if same else []


def _take_strokes(page):
    ink = write_strokes(st.session_state[page.key("pad")].get("strokes") or [])
    text = encode_images(word_drawn(ink).images) if ink else ""
    page.change_subject(text=text, ink=ink if len(ink) <= LONGEST_INK else "")


def choose_method(page, settings):
    """One method and its budget."""
    kind, budget = st.columns([5, 4], vertical_alignment="bottom")
    kind.selectbox("Method", list(BUILDERS), format_func=heading, key=page.key("kind.0"))
    if settings.methods[0].has_budget:
        _budget(budget, page, 0, "Budget")


def choose_methods(page):
    """Up to three methods, their budgets linked or free."""
    linked = st.session_state[page.key("linked")]
    *columns, one, two = st.columns([4] * MOST_RUNS + [3, 3], vertical_alignment="bottom" if linked else "top")
    for number, column in enumerate(columns):
        among = list(BUILDERS) if number == 0 else [*BUILDERS, NONE]
        chosen = column.selectbox(f"Method {number + 1}", among, format_func=heading, key=page.key(f"kind.{number}"))
        if chosen != NONE and BUILDERS[chosen].has_budget and not linked:
            _budget_slider(column, page, number, f"Budget {number + 1}")
    if linked:
        _budget_slider(one, page, 0, "Budget")
    two.toggle("One budget for all", key=page.key("linked"))


def _budget(column, page, number, label):
    column.number_input(label, 1, MAX_BUDGET, step=1, key=page.key(f"budget.{number}"), help=BUDGET_HELP)


def _budget_slider(column, page, number, label):
    """Budgets in steps that tell; one that a link brought is a step of its own."""
    key = page.key(f"budget.{number}")
    steps = sorted({*BUDGETS, int(st.session_state[key])})
    column.select_slider(label, steps, key=key, help=BUDGET_HELP)


def choose_options(page, settings):
    """What is changed rarely, in a popover."""
    with st.popover("Options", icon=":material/tune:", width="stretch"):
        if settings.subject.source != "problem":
            models = rv.shipped_models()
            if is_checkpoint(settings.subject.model):
                models = [settings.subject.model, *models]
            st.selectbox("Model", models, format_func=_model_name, key=page.key("model"))
        if settings.subject.source == "pen":
            st.slider("Noise: share of wrong pixels", step=0.005, format="%.3f", **page.widget("noise"))
        st.toggle(
            "De-duplicate contexts",
            key=page.key("deduplicate"),
            help="Join contexts that are equal in their last n labels: the model cannot tell them apart.",
        )
        if any("select" in chosen.entry.options for chosen in settings.methods):
            st.selectbox("Selection rule", format_func=_rule_title, help=RULE_HELP, **page.widget("select"))
        if any("adaptive" in chosen.entry.options for chosen in settings.methods):
            st.selectbox("Budgets", format_func=BUDGET_WAYS.get, help=WAYS_HELP, **page.widget("adaptive"))
        st.number_input("Passes", step=1, help=sentence_of("pass"), **page.widget("passes"))
        if settings.options.has_passes and not settings.compares:
            st.toggle("Show every pass", key=page.key("every_pass"), help=EVERY_PASS_HELP)
        if any("root_weight" in chosen.entry.options for chosen in settings.methods):
            st.number_input(
                "Log weight of the root",
                step=0.5,
                **page.widget("root_weight"),
                help="Log weight that the repaired beam adds where it forgets everything.",
            )
        if any(chosen.entry.draws for chosen in settings.methods):
            st.number_input("Draw", step=1, help="Another number draws anew.", **page.widget("draw"))


def _rule_title(name):
    return RULES[name].title


def _model_name(name):
    return checkpoint_title(name) if is_checkpoint(name) else name


def choose_checkpoint(page, settings):
    """Where the model is a checkpoint: a slider over the steps of its training."""
    name = settings.subject.model
    if not is_checkpoint(name):
        return
    source, training, step = read_checkpoint(name)
    steps, slider = sorted({*steps_in_memory(name), step}), page.key("checkpoint")
    text_column, link = st.columns([9, 2], vertical_alignment="bottom")
    link.page_link(st.session_state["pages"]["learn"], label="Back to Learn", icon=":material/model_training:")
    if len(steps) == 1:
        text_column.caption(f"{checkpoint_title(name)}: the training is over and was done again up to this step.")
        return
    st.session_state[slider] = step
    text_column.select_slider(
        "Training step: examples seen by the model",
        steps,
        key=slider,
        format_func="{:,}".format,
        on_change=lambda: page.change_model(write_checkpoint(source, training, st.session_state[slider])),
    )
