"""The hands of a student on the pages of the application: what a lesson asks for is typed, chosen, clicked or dragged.

Used by ``take_course.py``. Each function takes a playwright page.
"""

import re

STILL = '[data-testid="stApp"][data-test-script-state="notRunning"]'
REST = 700  # ms: a page's run has begun by then, if a widget has asked for one
PATIENCE = 1_200_000  # ms for a small training, on a machine that may be busy
MOST_KEYS = 1_000  # on a slider
TRAINED = """() => {
    const said = [...document.querySelectorAll('.rv-legend-item')].map(item => item.textContent);
    return said.length && said.every(text => text.includes('done ·'));
}"""

# Fields of the pages by what they are called: (page, parameter of the link) → label.
TEXTS = {
    ("step", "word"): "Word", ("compare", "word"): "Word", ("search", "word"): "Word",
    ("field", "sentence"): "Sentence with one _", ("ars", "message"): "message, as digits or as text",
    ("step", "seed"): "Pen", ("compare", "seed"): "Pen", ("search", "seed"): "Writer", ("step", "budget"): "Budget",
}  # fmt: skip
KEYS = {("field", "fold"): "f", ("search", "rule"): "r"}  # what a view changes by a key
PLACES = {"pos", "round", "step", "cell"}  # what the arrow keys change
OF_DECIPHER = {"at"}  # there also this


def rest(page):
    """Wait until the page has answered what was done."""
    page.wait_for_timeout(REST)
    page.wait_for_selector(STILL, state="attached")


def is_walked(view, changed):
    """Whether arrow keys lead from a view to one in which only these parameters are others."""
    return set(changed) <= PLACES | (OF_DECIPHER if view.page == "decipher" else set())


def change(page, view, changed):
    """Change these parameters of a view by hand; False where nobody has said how."""
    ways = [_way(view, name, text) for name, text in changed.items()]
    if None in ways:
        return False
    for act in ways:
        act(page)
        rest(page)
    return True


def _way(view, name, text):
    place = (view.page, name)
    if place in TEXTS:
        return lambda page: write(page, TEXTS[place], text)
    if place in KEYS:
        return lambda page: page.keyboard.press(KEYS[place])
    return _OTHERS.get(place, lambda _: None)(text)


def write(page, label, text):
    """Type into a field and press Enter."""
    field = page.get_by_label(label, exact=True).locator("visible=true").first
    field.fill(text)
    field.press("Enter")


def choose(page, label, text):
    """Choose from a list of the page."""
    field = page.get_by_role("combobox", name=label).locator("visible=true").first
    field.click()
    field.fill(text)  # a long list shows only what is in sight of it
    page.get_by_role("option", name=text, exact=True).click()


def _learned_by(name):
    from pages.align.link import STRATEGY_NAMES

    def act(page):
        page.get_by_role("button", name="Model", exact=False).locator("visible=true").first.click()
        choose(page, "Trained by", STRATEGY_NAMES[name])
        page.keyboard.press("Escape")

    return act


def _to_the_end(_):
    """A model of Align as it is after its training."""

    def act(page):
        page.get_by_role("button", name="Model", exact=False).locator("visible=true").first.click()
        end = page.get_by_role("button", name="To the end of its training")
        if end.count():
            end.click()
        page.keyboard.press("Escape")

    return act


def _other_text(name):
    from pages.decipher.widgets import TEXT_NAMES

    def act(page):
        _unfolded(page)
        choose(page, "Text", TEXT_NAMES[name])
        page.keyboard.press("Escape")

    return act


def _pins(text):
    """``Z-e``: click the sign in the text, then the letter that it stands for."""

    def act(page):
        for symbol, letter in (pin.split("-") for pin in text.split(",")):
            sign = page.locator(".rv-sign", has=page.locator(f"small:text-is('{symbol}')")).first
            key = page.get_by_role("button", name=f"stands for {letter}", exact=True)
            sign.click()
            if key.is_disabled():  # the sign was chosen already, and a second click lets it go
                sign.click()
            key.click()
            rest(page)

    return act


def _rule(name):
    """What the slider of Precision sets."""
    said = {"precision": "precision at least", "confidence": "confidence at least", "share": "the surest"}[name]
    return lambda page: page.get_by_role("button", name=said, exact=True).click()


def _drag(text):
    """The slider of Precision, key by key, to a value."""

    def act(page):
        slider = page.locator(".rv-precision .rv-scrubber")
        slider.focus()
        for _ in range(MOST_KEYS):
            now = float(page.locator(".rv-precision").get_attribute("data-at"))
            if abs(now - float(text)) < 5e-4:
                return
            page.keyboard.press("ArrowRight" if now < float(text) else "ArrowLeft")
            page.wait_for_timeout(20)

    return act


def _train(at):
    """Train to the end, then go to it on the slider of the time machine."""

    def act(page):
        start = page.get_by_role("button", name=re.compile(r"^Start(?! anew)"))
        if start.count():
            start.click()
            page.wait_for_function(TRAINED, timeout=PATIENCE)
        page.locator(".rv-learning .rv-scrubber").focus()
        page.keyboard.press("End")

    return act


def _budgets(runs):
    """The second method of Learn gets the budget of a link, ``rcms:3,beam:30``."""
    _, budget = runs.rsplit(":", 1)

    def act(page):
        _unfolded(page)
        page.get_by_label("Budget", exact=True).locator("visible=true").nth(1).fill(budget)
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")

    return act


def _unfolded(page):
    """The settings that a page has folded into a line."""
    page.get_by_test_id("stPopover").locator("button:has-text(' · ')").first.click()


_OTHERS = {
    ("align", "word"): lambda text: lambda page: choose(page, "Word", text),
    ("align", "by"): _learned_by,
    ("align", "at"): _to_the_end,
    ("decipher", "text"): _other_text,
    ("decipher", "pins"): _pins,
    ("precision", "by"): _rule,
    ("precision", "at"): _drag,
    ("learn", "at"): _train,
    ("learn", "runs"): _budgets,
}
