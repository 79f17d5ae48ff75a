"""Python source that answers a question of the ARS page in a notebook."""

from pages.ars.question import TAGGER, ArsQuestion

TEMPERATURE = {"temperature": "temperature"}


def reproducing_code(question):
    """Return the source; an uploaded model has to be added."""
    lines = ["import rcmviz as rv", *(_tagging if question.tags else _keypad)(question)]
    options = _options(question, {"look_ahead": "look_ahead", "strategy": "strategy"})
    if question.asks == "decode":
        lines += [
            f"best, trace = rv.ars_decode(hmm{options})",
            "print(best.words, best.log_score, best.gap, best.iterations, best.states)",
        ]
    else:
        options = f", n={question.draws}, seed={question.seed}{options}" + _options(question, {"batch": "batch"})
        lines += [
            "from collections import Counter",
            f"draws, trace = rv.ars_sample(hmm{options})",
            "print(Counter(draws.words).most_common(5), draws.acceptance, draws.log_z_bounds)",
        ]
    return "\n".join(lines) + "\n"


def _keypad(question):
    typed = any(sign.isalpha() for sign in question.message)
    read, options = (
        ("read_text" if typed else "read_digits"),
        _options(question, {"slope": "slope", "most": "most"}),
    )
    if typed and question.slip:
        options += f", seed={question.slip}"
    uploaded = question.model.startswith("upload:")
    lm = 'rv.read_arpa("your-model.arpa")' if uploaded else f"rv.load_lm({question.model!r})"
    return [
        f"from rcmviz.tasks.sms.messages import {read}",
        "",
        f"lm = {lm}",
        f"message = {read}(lm, {question.message!r}{options})",
        f"hmm = message.hmm(lm, end=lm.end >= 0{_options(question, TEMPERATURE)})",
    ]


def _tagging(question):
    return [
        "from rcmviz.tasks.english import treebank_words",
        "from rcmviz.tasks.tagging.shipped import load_tagger",
        "",
        f"words = treebank_words({question.sentence!r})",
        f"tagger = load_tagger({TAGGER!r})",
        f"hmm = tagger.hmm(words, order={question.order}{_options(question, TEMPERATURE)})",
    ]


def _options(question, names):
    """Return ``, name=value`` for the options that differ from the defaults."""
    usual = ArsQuestion()
    given = {
        shown: getattr(question, field)
        for field, shown in names.items()
        if getattr(question, field) != getattr(usual, field)
    }
    return "".join(f", {name}={value!r}" for name, value in given.items())
