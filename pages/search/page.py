"""Search: best-first and A*, a perceptron that learns by its mistakes, SEARN that learns to search."""

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
    "word": "Letter by letter, every decision has to live with those before it. SEARN tries each letter at each place, "
    "lets today’s *policies*, the rules that choose, finish the word, and learns from what came of it.",
    "sentence": "Word by word, every tag (noun, verb …) has to live with those before it. SEARN tries each tag at each "
    "word, lets today’s *policies*, the rules that choose, finish the sentence, and learns from what came of it.",
}


def searn_caption(asked: SearchQuestion, _: Payload) -> str:
    """What is counted, and of how many."""
    labels, wholes = ("Tags", "sentences") if asked.material == "sentence" else ("Letters", "words")
    return (
        f"{labels} by policies that act from left to right; the oracle knows the right {labels.lower()}. Counted on "
        f"200 {wholes}."
    )


def search_seconds(asked: SearchQuestion) -> float:
    """What a search costs, roughly: a word of 16 letters with a queue of 1,000 takes 13 s."""
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
            intro="What is the best reading of all? A search writes one label, such as a letter, after the other. "
            "Searches differ in which beginning they go on with, and in what they can say of their answer.",
            formula=Formula(
                r"f(h) = g(h) + r(h) \qquad r(h) \ge \text{the best rest}",
                "*h*: a beginning. *g*: its score. *r*: a bound on all that may follow. A\\* goes on with the highest "
                "*f*; the first whole word that it takes is the best there is.",
            ),
            caption=lambda asked, payload: (
                "Every search scores by the same model; an expansion is a hypothesis, or a context, that is extended."
            ),
        ),
        "perceptron": Tab(
            answer=perceptron_payload,
            seconds=lambda asked: 3.0,
            code=lambda asked, _: perceptron_code(asked),
            spinner="Learning with each of the rules",
            intro="A perceptron learns from mistakes: what is right rises, what was found instead falls. But what if "
            "the search has lost the right path on its way? Three rules say how far to look.",
            formula=Formula(
                r"\theta \leftarrow \theta + \varphi(\text{right}) - \varphi(\text{found})",
                "*θ*: the weights. *φ*: how often each window occurs in an output, up to where the rule cuts it.",
            ),
            caption=lambda asked, payload: (
                "Weights of the standard rule, not averaged; the curves are of averaged weights, on 100 words held out."
            ),
        ),
        "searn": Tab(
            answer=searn_payload,
            seconds=lambda asked: 3.0,
            code=lambda asked, _: searn_code(asked),
            spinner="Learning to search",
            intro=lambda asked: st.caption(SEARN_INTRO[asked.material]),
            formula=Formula(
                r"\pi \leftarrow (1 - \beta) \, \pi + \beta f",
                "*π*: the mixture of policies that act. *f*: the policy learnt last. *β*: how often it acts.",
            ),
            caption=searn_caption,
        ),
    },
    facts=facts,
)
