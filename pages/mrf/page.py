"""Field: a Markov field over a whole text, how its bound is lifted, and what it answers."""

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
    """Where the view stands, of all that a link says."""
    return {name: value for name, value in place.items() if name not in BELOW_THE_VIEW}


PAGE: Capability[MrfQuestion, MrfQuestion] = Capability(
    name="field",
    title="Field: a text learnt all at once",
    title_widths=(6, 6),
    labels="above",
    question=MrfQuestion,
    state_class=MrfState,
    summary=summary,
    spinner="Learning the field",
    view=VIEW,
    view_state=view_state,
    heading=lambda payload: "A field over a text",
    tabs={
        "lifting": Tab(
            answer=answer.lifting,
            code=lambda asked, _: code.lifting_code(asked),
            intro="A field gives each word, and each pair of near words, a score; all texts together say how probable "
            "one is. Bent to a ring, a text looks the same from each word: one small star stands for all of it.",
            formula=Formula(
                r"\tfrac{1}{N} \log Z \;\le\; b(\delta) \quad \text{for all}\ \delta",
                "*N*: the number of tokens. *Z*: the mass of all texts of that length. *b*: the bound that one star "
                "gives. *δ*: the messages, which are chosen so that the bound is low.",
            ),
            caption=lambda asked, payload: (
                f"A field of full rank, learnt from these {len(payload['ring'])} tokens; its bound is tightened by "
                "L-BFGS from messages 0 on. Jernite, Rush and Sontag (2015)."
            ),
        ),
        "learning": Tab(
            load=training.load,
            training=training.TRAINING,
            spinner="Learning a first few steps",
            intro="The field learns which words stand near each other. It raises a bound that is easy to compute, and "
            "what it really wants, the probability of the text, is never below it.",
            heading=lambda payload: "A field that learns",
            formula=Formula(
                r"\tfrac{1}{N} \log p(x) = \tfrac{1}{N}\big( \text{score}(x) - \log Z \big) "
                r"\;\ge\; \tfrac{1}{N}\,\text{score}(x) - b(\delta)",
                "*x*: the text, of *N* tokens. *p*: how probable it is. *Z*: the mass of all texts of that length. "
                "*b*: a bound on log *Z* per token, by messages *δ*. The right side is what is raised.",
            ),
            caption=training.caption,
        ),
        "blank": Tab(
            answer=answer.blank,
            code=lambda asked, _: code.blank_code(asked),
            intro="Which word is missing? The field looks at the words on both sides, each of which speaks for or "
            "against; a model that reads from left to right knows half of them.",
            formula=Formula(
                r"p(w \mid \text{both sides}) \,\propto\, \exp\Big( \theta_0(w) + \sum_n \theta(w, n) \Big)",
                "*w*: a word for the blank. *p*: how probable it is. *θ₀*: its own score. *n*: a word beside the "
                "blank, at its distance. *θ*: how well the two go together there.",
            ),
            caption=lambda asked, payload: (
                f"Model: {payload['title']}; K = {len(payload['slots']) // 2} neighbours on each side."
            ),
            below=show_proof,
        ),
        "neighbours": Tab(
            answer=answer.neighbours,
            code=lambda asked, _: code.neighbours_code(asked),
            intro="What a field has learnt of a word is a row of numbers. Words that stand in like places have rows "
            "that point the same way: search one, and see who is near.",
            caption=lambda asked, payload: (
                f"Vectors U of {payload['title']}; two principal components of their directions."
            ),
        ),
        "tagging": Tab(
            answer=answer.tagging,
            code=lambda asked, _: code.tagging_code(asked),
            intro="Which word is a noun, which a verb, also where nobody has ever seen it? Its shape and its "
            "neighbours decide, and each of them says by how much.",
            caption=lambda asked, payload: (
                f"The field is {payload['title']}; field and HMMs are learnt from UD-EWT’s training part."
            ),
            below=show_lattice,
        ),
    },
    facts=facts,
)
