"""Field: a Markov field over a whole text: its bound, its training, and its answers."""

from pages.mrf import answer, code, facts, training
from pages.mrf.lattice import show_lattice
from pages.mrf.proof import show_proof
from pages.mrf.question import MrfQuestion, summary
from pages.mrf.state import MrfState
from pages.shell.capability import Capability, Payload, Tab
from pages.shell.formula import Formula
from rcmviz.views.mrf import VIEW

BELOW_THE_VIEW = MrfQuestion.place_fields


def view_state(place: Payload) -> Payload:
    """Return the position of the view, without the parts below it."""
    return {name: value for name, value in place.items() if name not in BELOW_THE_VIEW}


PAGE: Capability[MrfQuestion, MrfQuestion] = Capability(
    name="field",
    title="Field: one model of a whole text",
    title_widths=(6, 6),
    labels="above",
    question=MrfQuestion,
    state_class=MrfState,
    summary=summary,
    spinner="Training the field",
    view=VIEW,
    view_state=view_state,
    heading=lambda payload: "A field over a text",
    tabs={
        "lifting": Tab(
            answer=answer.answer_lifting,
            code=lambda question, _: code.lifting_code(question),
            intro="A field scores each word and each pair of near words; the scores of a text give its probability. "
            "As a ring, a text looks the same from each word, and one small star represents all of it.",
            formula=Formula(
                r"\tfrac{1}{N} \log Z \;\le\; b(\delta) \quad \text{for all}\ \delta",
                "*N*: the number of tokens. *Z*: the mass of all texts of that length. *b*: the upper bound from one "
                "star. *δ*: messages, chosen to make the bound low.",
            ),
            caption=lambda question, payload: (
                f"A field of full rank, trained on these {len(payload['ring'])} tokens; L-BFGS lowers its bound from "
                "messages 0 on. Jernite, Rush and Sontag (2015)."
            ),
        ),
        "learning": Tab(
            load=training.load,
            training=training.TRAINING,
            spinner="Training the first steps",
            intro="The field learns which words occur near each other. Training raises a bound that is easy to "
            "compute; the probability of the text is never below it.",
            heading=lambda payload: "Training a field",
            formula=Formula(
                r"\tfrac{1}{N} \log p(x) = \tfrac{1}{N}\big( \text{score}(x) - \log Z \big) "
                r"\;\ge\; \tfrac{1}{N}\,\text{score}(x) - b(\delta)",
                "*x*: the text, of *N* tokens. *p*: its probability. *Z*: the mass of all texts of that length. *b*: "
                "an upper bound on log *Z* per token, by messages *δ*. Training raises the right side.",
            ),
            caption=training.caption,
        ),
        "blank": Tab(
            answer=answer.answer_blank,
            code=lambda question, _: code.blank_code(question),
            intro="Which word is missing? The field scores each candidate with the words on both sides; a model that "
            "reads from left to right sees only half of them.",
            formula=Formula(
                r"p(w \mid \text{both sides}) \,\propto\, \exp\Big( \theta_0(w) + \sum_n \theta(w, n) \Big)",
                "*w*: a word for the blank. *p*: its probability. *θ₀*: its own score. *n*: a word near the blank, at "
                "its distance. *θ*: the score of the pair at that distance.",
            ),
            caption=lambda question, payload: (
                f"Model: {payload['title']}; K = {len(payload['slots']) // 2} neighbours on each side."
            ),
            below=show_proof,
        ),
        "neighbours": Tab(
            answer=answer.answer_neighbours,
            code=lambda question, _: code.neighbours_code(question),
            intro="A field has a vector for each word. Words that occur in similar contexts have vectors of similar "
            "direction: search a word to see its neighbours.",
            caption=lambda question, payload: (
                f"Vectors U of {payload['title']}; two principal components of their directions."
            ),
        ),
        "tagging": Tab(
            answer=answer.answer_tagging,
            code=lambda question, _: code.tagging_code(question),
            intro="Which word is a noun, which a verb, even if the word is new? The field scores each tag with the "
            "word's spelling and its neighbours, and shows every score.",
            caption=lambda question, payload: (
                f"The field is {payload['title']}; field and HMMs are trained on UD-EWT’s training part."
            ),
            below=show_lattice,
        ),
    },
    facts=facts,
)
