"""Learn: train up to three methods and watch accuracy, confidence and contexts grow."""

from pages.learn import facts
from pages.learn.question import LearnQuestion, summary
from pages.learn.recorded import OPENS_WITH
from pages.learn.state import LearnState
from pages.learn.training import TRAINING, caption, load, offline_payload, take_choice
from pages.shell.capability import Capability
from pages.shell.formula import Formula
from rcmviz.views.learn import VIEW

PAGE: Capability[LearnQuestion, LearnQuestion] = Capability(
    name="learn",
    title="Train models live",
    title_widths=(5, 8),
    question=LearnQuestion,
    opens_with=OPENS_WITH,
    state_class=LearnState,
    layout="popover",
    summary=summary,
    load=load,
    training=TRAINING,
    on_change=take_choice,
    view=VIEW,
    view_state=lambda place: {name: place[name] for name in ("step",) if name in place},
    heading=lambda payload: "How " + " and ".join(method["name"] for method in payload["methods"]) + " learn",
    caption=caption,
    offline=offline_payload,
    formula=Formula(
        r"\theta \leftarrow \theta + \eta \, \frac{g}{\sqrt{\delta + \sum g^2}} "
        r"\qquad g = \text{seen} - \text{expected}",
        "*θ*: the weight of a window. *g*: how often the right output has the window, minus how often the model "
        "expects it. *η*, *δ*: settings. *Σ g²*: over all examples so far.",
    ),
    facts=facts,
)
