"""Reading lessons from text; errors name file and line."""

import pytest

from rcmviz.lessons import TEMPLATE, LessonError, course, lesson_named, parse_lesson, read_lesson
from rcmviz.lessons.markup import Markup

HEAD = "---\ntitle: A\nquestion: Why?\nminutes: 5\n---\nAbout.\n\n"
STEP = HEAD + "## One\nview: step?word=on&pos=2\n\nText.\n"  # 11 lines; what follows begins in line 13
TASK = "\n```task until\nask: A\nuntil: pos == 1\n```\n"


def blocks(text):
    def fail(line, message):
        raise LessonError("text.md", line, message)

    return Markup(fail).read(list(enumerate(text.split("\n"), 1))).blocks


def test_text_becomes_blocks_and_spans_that_hold_no_markup():
    assert blocks("One *word* and\n**bold {83 %: rcms.confidence}** of `a*b{c}`, 2 * 3, *ol.") == [
        [
            "p",
            [
                "One ",
                ["i", ["word"]],
                " and ",
                ["b", ["bold ", ["value", "83 %"]]],
                " of ",
                ["code", "a*b{c}"],
                ", 2 * 3, *ol.",
            ],
        ]
    ]
    assert blocks("{`a*b`: beam.output} or {a: beam.output}") == [["p", [["code", "a*b"], " or ", ["value", "a"]]]]
    assert blocks("First\n- a\n  b\n- c\n\n1. d\n2. e\n> said\n> so") == [
        ["p", ["First"]],
        ["list", [["a b"], ["c"]]],
        ["steps", [["d"], ["e"]]],
        ["quote", ["said so"]],
    ]
    assert blocks("```\nx = {1}\n\n## y\n```\nafter\n\n$$p_i = e^{s(i)} / Z$$") == [
        ["code", "x = {1}\n\n## y"],
        ["p", ["after"]],
        ["math", ["p", ["sub", "i"], " = e", ["sup", "s(i)"], " / Z"]],
    ]
    link = ["view", "this word", {"page": "compare", "query": {"word": "on"}}]
    assert blocks("See [this word](compare?word=on), [the root](point: readout root) \\{so\\}.") == [
        ["p", ["See ", link, ", ", ["point", "the root", "readout root"], " {so}."]]
    ]
    assert blocks("<script>".replace("<", "&lt;")) == [["p", ["&lt;script>"]]]


@pytest.mark.parametrize(
    "text, line, said",
    [
        ("title: A", 1, "begins with a line ---"),
        ("---\ntitle: A\n", 1, "no end"),
        ("---\ntitle: A\nminutes: 5\n---\n", 2, "'question' is missing"),
        ("---\ntitle: A\nquestion: Q\nminutes: many\n---\n## B\nview: step\n\nx", 1, "from 1 to 60"),
        ("---\ntitle: A\nauthor: B\n---\n", 3, "'author' means nothing here: write title, question, minutes"),
        (HEAD, 7, "0 steps"),
        (HEAD + "## One\n\nText.", 8, "the first step needs a view"),
        (HEAD + "## One\nview: &pos=2\n\nText.", 9, "no view before it"),
        (HEAD + "## One\nview: ../etc/passwd?x=1\n\nText.", 9, "is no link of the application"),
        (HEAD + "## One\nview: step?pos\n\nText.", 9, "write parameters"),
        (HEAD + "## One\nview: step?pos=1&pos=2\n\nText.", 9, "has 'pos' twice"),
        (HEAD + "## One\nview: step\npoint: nowhere\n\nText.", 10, "cannot be pointed at: begin with one of context"),
        (HEAD + "## One\nview: step\npoint: candidate\n\nText.", 10, "say which candidate"),
        (HEAD + "## One\nview: step\nText.", 10, "is no field"),
        (HEAD + "## One\nview: step\n\n", 8, "has no text"),
        (STEP + "\n### Two", 13, "'###' begins what lessons do not have"),
        (STEP + "\na\nb <b>\n<b>c</b>", 15, "'<b' begins"),
        (STEP + "\na\n{4: pos ==}", 14, "no expression"),
        (STEP + "\na {4: rcms.log_z[budget=20, pos=3]}", 13, "write & between two changes"),
        (STEP + "\na {4}", 13, "enclose a number"),
        (STEP + "\n[x](point: here)", 13, "cannot be pointed at"),
        (STEP + "\n```\ncode", 13, "no end"),
        (STEP + "\n```task until\nask: A", 13, "no end"),
        (STEP + "\n```task guess\nask: A\n```", 13, "name its kind, one of until, choose, sign, predict"),
        (STEP + "\n```task until\nask: A\n```", 14, "'until' is missing"),
        (STEP + "\n```task until\nask: A\nuntil: pos = 3\n```", 15, "is not understood"),
        (STEP + "\n```task choose\nask: A\noptions: a | \nanswer: rcms.output\n```", 15, "2 to 9"),
        (STEP + "\n```task choose\nask: A\noptions: a | b\nanswer: word\n```", 16, "parameter of the live link"),
        (STEP + "\n```task sign\nask: A\nof: 3\nchange: budget=3\n```", 15, "needs one fact"),
        (STEP + "\n```task predict\nask: A\nof: all\n```", 15, "one of kept, mass, both"),
        (STEP + "\n```task predict\nask: A\nof: kept\nneed: 101\n```", 16, "from 0 to 100"),
        (STEP + "\n```task until\nask: A\nuntil: pos == 3\noffline: pos\n```", 16, "write parameters"),
        (STEP + TASK + TASK, 18, "one task"),
    ],
)
def test_errors_name_file_and_line(text, line, said):
    with pytest.raises(LessonError) as refused:
        parse_lesson(text, "my/lesson.md")
    assert str(refused.value).startswith(f"my/lesson.md:{line}: ") and said in str(refused.value)


def test_a_step_keeps_the_view_before_it_or_changes_a_part_of_it():
    text = (
        STEP + "\n## Two\n\nStill there.\n\n## Three\nview: &pos=3\n\nOn.\n\n## Four\nview: ars?round=2\n\nElsewhere."
    )
    one, two, three, four = parse_lesson(text).steps
    assert (one.opens, two.opens, three.opens) == (True, False, True)
    assert one.view == two.view and three.view.query == {"word": "on", "pos": "3"}
    assert four.view.payload() == {"page": "ars", "query": {"round": "2"}}
    assert parse_lesson(text).payload()["steps"][1]["view"] is None


def test_lessons_are_found_by_name_and_the_template_is_one():
    lesson = read_lesson(TEMPLATE)
    assert lesson.name == "template" and lesson.number is None and len(lesson.steps) == 4
    assert [step.task and step.task.kind for step in lesson.steps] == [None, "until", "choose", "until"]
    for known in course():
        assert lesson_named(known.name) is known
    with pytest.raises(ValueError, match="'none'"):
        lesson_named("none")


def test_files_that_are_no_text_or_too_large_are_refused(tmp_path):
    path = tmp_path / "07-mine.md"
    path.write_bytes(b"---\ntitle: \xff")
    with pytest.raises(LessonError, match="UTF-8"):
        read_lesson(path)
    path.write_text("x" * 500_001)
    with pytest.raises(LessonError, match="500,000 bytes"):
        read_lesson(path)
    for end in ("\r\n", "\r"):
        path.write_text(STEP.replace("\n", end), encoding="utf-8-sig")
        assert (read_lesson(path).name, read_lesson(path).number) == ("mine", 7)
