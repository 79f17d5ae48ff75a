"""The settings above the views of Search; all widgets live under the page's session keys."""

import streamlit as st

from pages.search.state import PAGE
from pages.shell.head import page_head

TAB_NAMES = {"search": "Search", "perceptron": "Perceptron", "searn": "SEARN"}
MATERIAL_NAMES = {"word": "Words by the pen", "sentence": "Tagged sentences"}
SUBJECT_NAMES = {"word": "A handwritten word", "message": "A message in keys"}
WAITING = {"search": "Searching", "perceptron": "Learning with each of the rules", "searn": "Learning to search"}


STORIES = {
    "search": (
        "What is the best reading of all? A search writes one label, such as a letter, after the other. "
        "Searches differ in which beginning they go on with, and in what they can say of their answer."
    ),
    "perceptron": (
        "A perceptron learns from mistakes: what is right rises, what was found instead falls. But what if the search "
        "has lost the right path on its way? Three rules say how far to look."
    ),
    "searn": (
        "Letter by letter, every decision has to live with those before it. SEARN tries each letter at each place, "
        "lets today’s *policies*, the rules that choose, finish the word, and learns from what came of it."
    ),
    "sentence": (
        "Word by word, every tag (noun, verb …) has to live with those before it. SEARN tries each tag at each word, "
        "lets today’s *policies*, the rules that choose, finish the sentence, and learns from what came of it."
    ),
}


def head(question):
    """The title, the tabs beside it, and what there is to see."""
    page_head("Search, and learning to search", "What to see", TAB_NAMES, (6, 6), **PAGE.widget("tab"))
    st.caption(STORIES["sentence" if _of_sentences(question) else question.tab])


def _of_sentences(question):
    return question.tab == "searn" and question.material == "sentence"


def summary(question):
    """The settings of the tab in a line."""
    if question.tab == "search":
        subject = f"{question.word}, writer {question.seed}" if question.subject == "word" else question.message
        return f"{subject} · bound sees {question.bound} · queue {question.queue}"
    if question.tab == "perceptron":
        return f"{question.words} words · {_many(question.epochs, 'epoch')} · beam {question.beam}"
    return (
        f"{question.learnt_from} {question.material}s · {_many(question.iterations, 'iteration')} · β {question.beta:g}"
    )


def _many(number, noun):
    return f"{number} {noun}{'s' * (number != 1)}"


def choose_search(question):
    """What is searched, how far the bound sees, how much the queue takes."""
    subject, text, seed, bound, queue = st.columns([3, 4, 2, 2, 2], vertical_alignment="bottom")
    subject.selectbox("Find the best reading of", format_func=SUBJECT_NAMES.get, **PAGE.widget("subject"))
    if question.subject == "word":
        text.text_input("Word", key=PAGE.key("word"), help="Letters a to z, written by the pen and read with 4-grams.")
        seed.number_input("Writer", step=1, **PAGE.widget("seed"), help="A seed of slant, width and habits.")
    else:
        text.text_input(
            "Keys",
            key=PAGE.key("message"),
            help="As on a phone’s keypad, blanks between words. Letters are typed for you: `the dog` is 843 364.",
        )
    bound.number_input(
        "A*’s bound sees",
        step=1,
        **PAGE.widget("ahead" if question.subject == "message" else "letters"),
        help="So many labels decide the bound on the rest: the more, the tighter, and the fewer expansions.",
    )
    queue.number_input(
        "Queue, beam take",
        step=1,
        **PAGE.widget("queue"),
        help="Hypotheses that may wait in the short queue; contexts that the beam and RCMS keep at each position.",
    )


def choose_perceptron(question):
    """The words, and how they are learnt."""
    words, epochs, beam, shuffle = st.columns(4, vertical_alignment="bottom")
    words.number_input("Words by the pen", step=50, **PAGE.widget("words"))
    epochs.number_input("Epochs", step=1, **PAGE.widget("epochs"))
    beam.number_input("Beam", step=1, **PAGE.widget("beam"), help="Contexts that the search keeps at each position.")
    shuffle.number_input("Seed", step=1, **PAGE.widget("shuffle"), help="Of the order of the words.")


def choose_searn(question):
    """Words or sentences, and how they are learnt."""
    what, example, learnt, iterations, beta, more = st.columns([3, 2, 2, 2, 2, 2], vertical_alignment="bottom")
    what.selectbox("Learn to label", format_func=MATERIAL_NAMES.get, **PAGE.widget("material"))
    if question.material == "sentence":
        example.number_input("Sentence held out", step=1, **PAGE.widget("sentence"), help="Its number.")
        learnt.number_input(
            "Sentences learnt",
            step=20,
            **PAGE.widget("sentences"),
            help="Of a small grammar of ours. A policy sees a word and its own tags before it; of a word that was "
            "never learnt only these.",
        )
    else:
        example.number_input("Word held out", step=1, **PAGE.widget("example"), help="Its number.")
        learnt.number_input("Words learnt", step=100, **PAGE.widget("learnt"))
    iterations.number_input("Iterations", step=1, **PAGE.widget("iterations"))
    beta.number_input(
        "β", step=0.1, format="%g", **PAGE.widget("beta"), help="Weight of each new policy; 1: it acts alone."
    )
    with more.popover("More", icon=":material/tune:", width="stretch"):
        st.number_input("Labels that a policy sees", step=1, **PAGE.widget("order"))
        st.number_input("Draw", step=1, **PAGE.widget("draw"), help="A seed: who acts where.")


def caption(question):
    """What is seen, in a line."""
    if question.tab == "search":
        return "Every search scores by the same model; an expansion is a hypothesis, or a context, that is extended."
    if question.tab == "perceptron":
        return "Weights of the standard rule, not averaged; the curves are of averaged weights, on 100 words held out."
    labels, wholes = ("Tags", "sentences") if _of_sentences(question) else ("Letters", "words")
    return (
        f"{labels} by policies that act from left to right; the oracle knows the right {labels.lower()}. Counted on "
        f"200 {wholes}."
    )
