"""Text of links, files and messages is never Markdown or HTML, on any page and in any tab."""

import ast
import html
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from test_links import VIEWS

import rcmviz as rv
from pages.shell.registry import pages
from pages.shell.text import as_sentence, escape_markdown, sentence
from pages.word import runs
from pages.word import tabs as under
from rcmviz.views.word import VIEW as PLAYER
from support.pages import open_tab, opened

PAGES = Path(__file__).parents[2] / "pages"
JOINER = "\u2060"
HOSTILE = (
    "![x](http://evil.example/a.png)",
    "x` ![x](http://evil.example/b.png)",
    "``a` ![x](http://evil.example/c.png) `b",
    "`a\n\n![x](http://evil.example/d.png)`",
    "<img src=http://evil.example/e.png onerror=alert(1)>",
    "http://evil.example/f www.evil.example me@evil.example",
    "[x]: http://evil.example/g\n\n[x]",
    "&lt;img src=http://evil.example/h.png&gt; &#33;[x](http://evil.example/i.png)",
    "\\![x](http://evil.example/j.png) \\\\`z` \\`![x](http://evil.example/k.png)",
    "a | b\n--|--\n![x](http://evil.example/l.png) | c",
    "# x\n- y\n1. z\n    code ![x](http://evil.example/m.png)\n> q\n---",
    "$x$ :red[![x](http://evil.example/n.png)] :material/link: :smile: -> ~~s~~",
    '"><script src=//evil.example/o.js></script>',
)
# What Streamlit reads is CommonMark with GitHub's tables and strikethrough.
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
# Signs of all constructs, so that a random text has many of them.
SIGNS = [*"\\`*_{}[]()#$<>~:|&;!-+=.1a \n\t\"'/", "![x](y)", "<b>", "&lt;", "1. ", "\n\n"]
PIECES = st.lists(st.sampled_from(SIGNS), max_size=14)


def shown(markdown):
    """(Text, kinds of tokens other than text) that a reader sees of one paragraph; of more, the kinds tell."""
    tokens = MARKDOWN.parse(markdown)
    inner = [child for token in tokens for child in token.children or ()]
    kinds = {token.type for token in tokens} - {"paragraph_open", "paragraph_close", "inline"}
    kinds |= {child.type for child in inner} - {"text"}
    return "".join(child.content for child in inner).replace(JOINER, ""), kinds


@given(st.one_of(st.sampled_from(HOSTILE), PIECES.map("".join)))
@settings(max_examples=100)
def test_plain_text_has_no_marks_and_is_shown_as_it_is(text):
    assert shown(escape_markdown(text)) == (" ".join(text.split()), set())
    found, kinds = shown(f"**Title** {escape_markdown(text)} and more")
    assert kinds == {"strong_open", "strong_close"} and " ".join(text.split()) in found


@given(st.one_of(st.sampled_from(HOSTILE), PIECES.map("".join)))
@settings(max_examples=100)
def test_a_message_has_code_and_no_other_marks(text):
    found, kinds = shown(sentence(text))
    assert kinds <= {"code_inline"}
    bare = "".join(found.split()).replace("`", "")
    assert bare == "".join(as_sentence(text).split()).replace("`", "")


def test_addresses_signs_and_dashes_are_not_replaced_afterwards():
    text = escape_markdown(
        "http://evil.example www.evil.example me@evil.example :smile: :material/link: -> <- -- >= ~="
    )
    assert text.replace(JOINER, "").replace("\\", "").startswith("http://evil.example www.evil.example")
    for left in ("://", "www.", "@e", ":s", ":m", "->", "<-", "--", ">=", "~="):
        assert left not in text.replace("\\", "")


def bodies(session):
    """(Kind, text) of all that a session shows as Markdown or HTML, labels and help too."""
    for element in session.main:
        for name in ("body", "label", "help"):
            text = getattr(getattr(element, "proto", None), name, None)
            if isinstance(text, str):
                yield element.type, text


class Tags(HTMLParser):
    """Return the tags of a piece of HTML that contains the foreign text."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found += [tag] * any("evil" in f"{name}{value}" for name, value in attributes)


def offers(text, kind="markdown"):
    """Return foreign addresses that a body would link to or load: in Markdown, in HTML, or bare outside of code."""
    if kind == "html":
        return Tags(text).found
    tokens = MARKDOWN.parse(text)
    inner = [*tokens, *(child for token in tokens for child in token.children or ())]
    led = [value for one in inner for value in one.attrs.values() if "evil" in str(value)]
    held = [one.content for one in inner if one.type in ("html_block", "html_inline") and "evil" in one.content]
    bare = [one.content for one in inner if one.type == "text" and re.search(r"(https?://|www\.|@)evil", one.content)]
    return [*led, *held, *bare]


CHEAP = {"precision": {"words": "50", "runs": "rcms:1"}}


def tabs_of(question):
    """The links of the tabs that a page does not open with."""
    tab = question.parameters().get("tab")
    return [{tab.name: name} for name in tab.limits["options"] if name != question.tab] if tab else []


UNDER = [name for name, page in pages().items() if page.view is PLAYER]  # pages with tabs under the player
TABS = {name: tabs_of(page.default) for name, page in pages().items()} | {"decipher": [{"kind": "words"}]}
LINKS = [(page, {}) for page in VIEWS] + [(page, tab) for page, tabs in TABS.items() for tab in tabs]


def foreign_content(session):
    """Return the foreign text that a session shows other than as text."""
    assert not session.exception
    return [(kind, text) for kind, text in bodies(session) if offers(text, kind)]


@pytest.mark.parametrize(("page", "tab"), LINKS, ids=[" ".join([page, *tab.values()]) for page, tab in LINKS])
def test_a_link_shows_what_it_says_as_text(page, tab):
    names = [*VIEWS[page].names(), *VIEWS[page].place_names(), "![x](http://evil.example/name.png)", "lesson", "part"]
    link = {name: HOSTILE[number % len(HOSTILE)] for number, name in enumerate(names)}
    session = opened(f"{page}/page.py", **link | CHEAP.get(page, {}) | tab)
    assert any("evil" in text for _, text in bodies(session)), "what cannot be read is named"
    assert foreign_content(session) == []
    for name in under.TABS if page in UNDER else ():
        assert foreign_content(open_tab(session, page, name)) == []


def test_a_problem_of_a_stranger_is_shown_as_text():
    labels = HOSTILE[:2]
    model = rv.NgramModel.from_windows(labels, 1, {})
    problem = rv.Problem(model, np.zeros((3, 2)), title=HOSTILE[0], name=HOSTILE[4], tokens=HOSTILE[3:6])
    link = {"problem": runs.pack_problem(problem.to_json()), "edits": "f2:=" + labels[0]}
    session = opened("your_example/page.py", runs="beam:2,rcms:2", **link)
    assert any("evil" in text for _, text in bodies(session))
    for name in under.TABS:
        assert foreign_content(open_tab(session, "your_example", name)) == []
    session.text_area(key="your_example.pasted").set_value(
        '{"labels": ["' + HOSTILE[0] + '"], "x' + HOSTILE[1] + '": 1}'
    )
    assert foreign_content(session.button[0].run()) == []


def test_a_lesson_of_a_stranger_is_refused_in_text():
    session = opened("lessons/page.py")
    for text in HOSTILE:
        session.text_area(key="lessons.text").set_value(text)
        session.button(key="lessons.open").click().run()
        assert session.error and foreign_content(session) == []


def test_the_check_would_notice():
    assert all(offers(HOSTILE[number]) for number in (0, 1, 3, 4, 5, 6, 8, 10, 11))
    assert offers("x [y](http://evil.example)") and not offers("`http://evil.example`")
    assert offers(HOSTILE[4], "html") == ["img"] and not offers(html.escape(HOSTILE[4]), "html")


# Where Streamlit reads Markdown or HTML: the first argument (of press_button the second), `label` and `help`.
SINKS = {
    "badge",
    "button",
    "caption",
    "checkbox",
    "download_button",
    "error",
    "expander",
    "file_uploader",
    "form_submit_button",
    "header",
    "html",
    "info",
    "link_button",
    "markdown",
    "metric",
    "multiselect",
    "number_input",
    "page_link",
    "pills",
    "popover",
    "press_button",
    "radio",
    "segmented_control",
    "select_slider",
    "selectbox",
    "slider",
    "spinner",
    "status",
    "subheader",
    "success",
    "tabs",
    "text_area",
    "text_input",
    "title",
    "toast",
    "toggle",
    "warning",
}
ESCAPES = {
    "escape_markdown",
    "sentence",
    "escape",
    "ink",
    "sentence_of",
    "len",
    "duration",
    "map(escape_markdown",
    "map(sentence",
}
# Expressions that need no escape, because they are fixed text or numbers. Add to it only after checking every value;
# in doubt use `escape_markdown(…)` or `sentence(…)`.
OURS = {
    "align": {"data.described", "help_text", "shown"},
    "ars": {"_findings(rows, lines)"},
    "decipher": {"_help_label(puzzle)", "_status_text(puzzle, session, changed)", "label"},
    "home": {
        "_page(card.page)",
        "_page(page)",
        "entry.card",
        "example.description",
        "example.title",
        "label",
        "description",
        "text",
        "title",
    },
    "learn": {"Path(name).suffix.removeprefix('.')", "label", "number", "recorded.story()"},
    "shell": {
        "help_text",
        "idle",
        "label",
        "name",
        "message",
        "page.title",
        "there",
        "title",
        "run_notice(run)",
        "_status_text(run, changed)",
        "*start",
        "*one",
        "*button",
        "*CANCEL",
        "declared.at(question).spinner",
        "example.label",
        "formula.latex",
        "formula.letters",
        "help",
        "next(chosen, page.examples_hint)",
        "page.intro",
        "page.more_label",
        "page.spinner",
        "question",
    },
    "word": {
        "among",
        "checkpoint_title(name)",
        "label",
        "number",
        "position",
        "run.name",
        "st.session_state['pages']['learn']",
        "wanted",
    },
    "your_example": {"budget", "counts", "text_store.DAYS", "prepared.name"},
}


def pieces(node):
    """Return the parts of an expression that are neither constants, numbers with commas, nor escaped."""
    match node:
        case ast.Constant() | ast.FormattedValue(format_spec=ast.JoinedStr(values=[ast.Constant(value=",")])):
            return []
        case ast.JoinedStr(values=parts) | ast.BoolOp(values=parts) | ast.List(elts=parts):
            return [piece for part in parts for piece in pieces(part)]
        case ast.FormattedValue(value=part) | ast.GeneratorExp(elt=part):
            return pieces(part)
        case ast.BinOp(left=one, right=other) | ast.IfExp(body=one, orelse=other):
            return pieces(one) + pieces(other)
        case ast.Call(func=ast.Attribute(attr="join", value=ast.Constant()), args=[part]):
            return pieces(part)
    text = ast.unparse(node)
    constant = re.match(r"[A-Z_]+\b", text)  # a table of ours
    return [] if constant or text.split("(")[0] in ESCAPES or text.startswith(tuple(ESCAPES)) else [text]


def written(tree):
    """The expressions of a page that become Markdown or HTML."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in SINKS:
            yield from node.args[name == "press_button" :][:1]
            yield from (keyword.value for keyword in node.keywords if keyword.arg in ("label", "help"))


def test_pages_hand_foreign_text_on_in_one_way():
    """Names in sentences are escaped, or listed in OURS after a check."""
    found = {
        (file.parent.name, piece)
        for file in PAGES.glob("*/*.py")
        for node in written(ast.parse(file.read_text(encoding="utf-8")))
        for piece in pieces(node)
    }
    known = {(page, piece) for page, ours in OURS.items() for piece in ours}
    assert found - known == set(), "say it by escape_markdown(...) or sentence(...)"


def test_the_census_would_notice():
    tree = ast.parse(
        "st.caption(f'{escape_markdown(name)} has {count:,} of {word}'); st.button(x, help=HELP[tab] + said)"
    )
    assert [piece for node in written(tree) for piece in pieces(node)] == ["word", "x", "said"]
