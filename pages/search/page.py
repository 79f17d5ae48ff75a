"""Search: best-first and A*, a perceptron with inexact search, and SEARN, which learns to search."""

import streamlit as st

from pages.search import facts
from pages.search.code import perceptron_code, search_code, searn_code
from pages.search.question import SearchQuestion, summary
from pages.search.rolling import searn_payload
from pages.search.searches import searching_payload
from pages.search.updates import perceptron_payload
from pages.shell.capability import Capability, Payload, Tab
from pages.shell.formula import Formula
from rcmviz.views.search import VIEW

SEARN_INTRO = {
    "word": "A word is labelled letter by letter, and each decision depends on those before it. SEARN tries each "
    "letter at each position, lets the current *policies*, the decision rules, finish the word, and learns from "
    "the errors.",
    "sentence": "A sentence is tagged word by word (noun, verb …), and each tag depends on those before it. SEARN "
    "tries each tag at each word, lets the current *policies*, the decision rules, finish the sentence, "
    "and learns from the errors.",
}


def searn_caption(asked: SearchQuestion, _: Payload) -> str:
    """Return a line about the unit and the number of held-out examples."""
    labels, wholes = ("Tags", "sentences") if asked.material == "sentence" else ("Letters", "words")
    return (
        f"{labels} chosen by policies from left to right; the oracle knows the right {labels.lower()}. Measured on "
        f"200 {wholes}."
    )


def search_seconds(asked: SearchQuestion) -> float:
    """Return the estimated seconds of a search."""
    return len(asked.word) * (0.04 + 8e-4 * asked.queue)


PAGE: Capability[SearchQuestion, SearchQuestion] = Capability(
    name="search",
    title="Search, and learning to search",
    title_widths=(6, 6),
    labels="above",
    question=SearchQuestion,
    summary=summary,
    view=VIEW,
    tabs={
        "search": Tab(
            answer=searching_payload,
            seconds=search_seconds,
            code=lambda asked, _: search_code(asked),
            spinner="Searching",
            intro="Which reading is the best of all? A search adds one label, such as a letter, after the other. "
            "Searches differ in the prefix that they extend next, and in the guarantees for their answer.",
            formula=Formula(
                r"f(h) = g(h) + r(h) \qquad r(h) \ge \text{the best rest}",
                "*h*: a prefix. *g*: its score. *r*: an upper bound on the rest. A\\* extends the prefix with the "
                "highest *f*; the first complete word that it takes is the best of all.",
            ),
            caption=lambda asked, payload: (
                "All searches use the same model; an expansion extends one hypothesis or context."
            ),
        ),
        "perceptron": Tab(
            answer=perceptron_payload,
            seconds=lambda asked: 3.0,
            code=lambda asked, _: perceptron_code(asked),
            spinner="Training with each rule",
            intro="A perceptron learns from mistakes: it raises the weights of the right output and lowers those of "
            "the output found. But what if the search has lost the right path? Three rules decide how far to compare.",
            formula=Formula(
                r"\theta \leftarrow \theta + \varphi(\text{right}) - \varphi(\text{found})",
                "*θ*: the weights. *φ*: the number of each window in an output, up to the position chosen by the rule.",
            ),
            caption=lambda asked, payload: (
                "Weights of the standard rule, not averaged; curves: averaged weights on 100 held-out words."
            ),
        ),
        "searn": Tab(
            answer=searn_payload,
            seconds=lambda asked: 3.0,
            code=lambda asked, _: searn_code(asked),
            spinner="Training the policies",
            intro=lambda asked: st.caption(SEARN_INTRO[asked.material]),
            formula=Formula(
                r"\pi \leftarrow (1 - \beta) \, \pi + \beta f",
                "*π*: the mixture of policies. *f*: the newest policy. *β*: its weight.",
            ),
            caption=searn_caption,
        ),
    },
    facts=facts,
)
