"""CTC: the frames of a classifier with a blank symbol, read with a language model, frame by frame."""

from pages.ctc import facts
from pages.ctc.answer import answer, mass_flow, seconds
from pages.ctc.code import reproducing_code
from pages.ctc.examples import EXAMPLES
from pages.ctc.inputs import CtcInputs, load
from pages.ctc.question import CtcQuestion, summary
from pages.shell.capability import Capability, Tab
from pages.shell.formula import Formula
from rcmviz.views.ctc import VIEW
from rcmviz.views.mass_flow import VIEW as MASS_FLOW

PAGE: Capability[CtcQuestion, CtcInputs] = Capability(
    name="ctc",
    title="CTC: frames into text",
    title_widths=(7, 6),
    intro="A network scores for every frame each letter, or none, a *blank*. Repeats are joined and blanks removed, so "
    "many rows of symbols give the same text. Which text is most probable, summed over all of them?",
    question=CtcQuestion,
    summary=summary,
    load=load,
    answer=answer,
    seconds=seconds,
    spinner="Reading (compiles kernels at first use: a minute)",
    notes=lambda inputs: inputs.notes,
    code=reproducing_code,
    view=VIEW,
    heading=lambda payload: f"{payload['title']} · {payload['name']}",
    examples=EXAMPLES,
    examples_hint="Readings to begin with.",
    formula=Formula(
        r"p(y) \,\propto\, q(y)^w \sum_{a\,\to\,y} \ \prod_t p_t(a_t)",
        "*y*: an output, *p* its probability. *a*: a symbol per frame; *a → y*: it gives *y* once repeats are joined "
        "and blanks removed. *pₜ*: the probabilities of frame *t*. *q*: the language model, *w* its weight.",
    ),
    facts=facts,
    tabs={
        "text": Tab(),
        "upload": Tab(),
        "flow": Tab(
            answer=mass_flow,
            seconds=lambda inputs: 2 * seconds(inputs),
            view=MASS_FLOW,
            layout="popover",
            view_state=lambda placed: {"position": placed.get("pos") or 1, "phase": placed.get("phase")},
            heading=lambda payload: payload["title"],
            intro="Prefix beam search keeps the heaviest outputs and drops the others, with all their mass. RCMS keeps "
            "suffixes of outputs, and merges the others: no mass is lost.",
        ),
    },
)
