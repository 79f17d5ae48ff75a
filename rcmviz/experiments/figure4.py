"""Figure 4: five ways to learn from unobserved alignments, and what brings RCMS level with forced decoding.

The paper's Switchboard transcripts are licensed. In their place: words of CMUdict, as many as the paper has utterances,
and as many semi-synthetic utterances (``tasks/speech.py`` says how they are made).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

import numpy as np
from plotly.subplots import make_subplots

from rcmviz.align.settings import AlignTraining
from rcmviz.align.workspace import STRATEGIES
from rcmviz.experiments import conclusions, tables
from rcmviz.experiments.report import Plan, Report
from rcmviz.experiments.speech_runs import code_digest, effort, spec_of, warm_up
from rcmviz.experiments.speech_runs import learn as cell
from rcmviz.plot import style

__all__ = ["cell", "code_digest", "effort", "report", "specs", "warm_up"]

NAMES = {
    "rcms": "RCMS",
    "forced": "forced decoding",
    "hybrid": "hybrid",
    "target": "select by target",
    "model": "select by model",
}
COLOURS = {kind: style.method_colour(kind) for kind in ("rcms", "hybrid", "target", "model")} | {
    "forced": style.SERIES_COLOURS[0]
}
BETTER = AlignTraining()
PLAIN = replace(BETTER, order=5, joined=False, eta=0.2, delta=1e-4)
COMPARED_STRATEGIES = ("rcms", "forced")
BETTER_OF = {"words": "words, better", "utterances": "utterances, better"}
ALL, SOME = 1_000, 3  # shuffles: all requested ones; of slow trainings
HELD_OUT = 0.25  # share of the training data, to choose settings on
TRIED_PLAIN = {
    "": {},
    "joined contexts": {"joined": True},
    "two passes": {"passes": 2},
    "averaged weights": {"average": True},
    "order 4": {"order": 4},
    "order 3": {"order": 3},
    "8 contexts": {"budget": 8},
    "50 contexts": {"budget": 50},
    "10 epochs": {"epochs": 10},
    "δ = .1": {"delta": 0.1},
    "δ = 1, η = .5": {"delta": 1.0, "eta": 0.5},
    "δ = 1, η = 1": {"delta": 1.0, "eta": 1.0},
    "single indicators": {"mode": "single"},
}
TRIED_BETTER = {
    "": {},
    "order 5": {"order": 5},
    "order 4": {"order": 4},
    "order 2": {"order": 2},
    "contexts not joined": {"joined": False},
    "two passes": {"passes": 2},
    "averaged weights": {"average": True},
    "50 contexts": {"budget": 50},
    "10 epochs": {"epochs": 10},
    "η = .25": {"eta": 0.25},
    "δ = 10, η = 1": {"delta": 10.0, "eta": 1.0},
}
ALSO_FORCED = {
    "",
    "order 2",
    "order 3",
    "order 4",
    "order 5",
    "δ = .1",
    "δ = 1, η = .5",
    "10 epochs",
    "single indicators",
}
SPREAD = {"", "δ = .1", "order 3"}  # of what was tried, over all shuffles: what the finding rests on
TESTS = ({}, {"decoder": "marginal"}, {"budget": 50, "passes": 2})  # of every training's last weights
COMPARISON = ("trained", "Viterbi: CER", "exact", "marginal: CER", "exact", "two passes, 50 contexts: CER", "exact")
HEADS = ("strategy", "usable examples", "pass 1: CER", "exact", "pass 5: CER", "exact", "log p(y given x)", "CPU s")


@dataclass(frozen=True)
class AlignArm:
    """A training on a ``source``, tested on what it holds out or on the test set; ``name`` of its line · ``shuffles``
    at most.
    """

    name: str
    training: AlignTraining
    source: str
    held_out: float = 0.0
    shuffles: int = 1

    def seeds(self, plan):
        """One for each shuffle."""
        return range(min(plan.seeds, self.shuffles))

    @property
    def tests(self):
        """The tests of its last weights."""
        return TESTS if self.training.strategy in COMPARED_STRATEGIES else TESTS[:1]


def arms(plan: Plan) -> dict[str, list[AlignArm]]:
    """The trainings by table; a quick run has the first table only."""
    if plan.data == "lexicon" or plan.quick:
        return {"words": _five("lexicon" if plan.data == "lexicon" else "words")}
    tried = [
        AlignArm(
            f"{NAMES[strategy]}, {base}{', ' * bool(name)}{name}",
            replace(setting, strategy=strategy, **changes),
            "words",
            HELD_OUT,
            ALL if name in SPREAD else 1,
        )
        for strategy in COMPARED_STRATEGIES
        for base, setting, several in (("plain", PLAIN, TRIED_PLAIN), ("better", BETTER, TRIED_BETTER))
        for name, changes in several.items()
        if strategy == "rcms" or name in ALSO_FORCED
    ]
    return {
        "words": _five("words"),
        BETTER_OF["words"]: _better("words"),
        "utterances": _five("utterances"),
        BETTER_OF["utterances"]: _better("utterances"),
        "tried": tried,
    }


def _five(source):
    """All strategies; of utterances, which take long, only those that are compared over some shuffles."""
    shuffles = {name: SOME if name in COMPARED_STRATEGIES else 1 for name in STRATEGIES}
    shuffles = shuffles if source == "utterances" else dict.fromkeys(STRATEGIES, ALL)
    return [
        AlignArm(NAMES[name], replace(PLAIN, strategy=name), source, shuffles=shuffles[name]) for name in STRATEGIES
    ]


def _better(source):
    shuffles = ALL if source == "words" else 1
    return [
        AlignArm(f"{NAMES[name]}, better", replace(BETTER, strategy=name), source, shuffles=shuffles)
        for name in COMPARED_STRATEGIES
    ]


def specs(plan: Plan) -> list[dict]:
    """One spec per arm and shuffle."""
    return [
        spec_of(arm.training, arm.source, seed, arm.tests, arm.held_out)
        for table, chosen in arms(plan).items()
        for arm in chosen
        for seed in arm.seeds(plan)
    ]


def report(plan: Plan, results: list[dict]) -> Report:
    """The tables, the claims and the figure."""
    remaining = iter(results)
    found = {
        table: {arm: [next(remaining) for _ in arm.seeds(plan)] for arm in chosen}
        for table, chosen in arms(plan).items()
    }
    parts = [_introduction(plan, found), _table(found["words"])]
    if "utterances" in found:
        parts += [
            "## Utterances",
            UTTERANCES.format(shuffles=_shuffles_text(min(plan.seeds, SOME))),
            _table(found["utterances"]),
        ]
        parts += ["## What reproduces", conclusions.claims_table(claims_of(found))]
        parts += ["## RCMS and forced decoding", COMPARED, _comparison_table(found, "words")]
        parts += [
            "The same on utterances:",
            _comparison_table(found, "utterances"),
            TUNED,
            _tuning_table(found["tried"]),
        ]
    return Report("figure4", "\n\n".join(parts) + "\n", _document(plan, found), _figure(plan, found))


def _introduction(plan, found):
    size, test = next(iter(found["words"].values()))[0]["size"]
    words = "our lexicon" if plan.data == "lexicon" else "CMUdict (those that occur in speechocean762)"
    return (
        "# Figure 4: learning without alignments\n\n"
        f"Phones to letters: {size} words of {words} to learn from, {test} to test on; n = 5, additive features, "
        "20 contexts per cell, AdaGrad with η = .2 and δ = 1e-4; mean ± standard deviation over "
        f"{plan.seeds} shuffles. *CER*: edits per character of what was meant. *Usable examples*: those for which an "
        "alignment with the right letters was kept, in the first and in the last pass; the others teach nothing."
    )


def _training_text(training):
    joined = ", contexts joined that no feature tells apart" if training.joined else ""
    return f"n = {training.order}, η = {training.eta:g}, δ = {training.delta:g}{joined}"


UTTERANCES = """
Semi-synthetic: sentences and canonical phones of 5,000 real recordings (speechocean762), each phone passed through the
confusions counted in conversations (Buckeye). They are shorter than the paper's (17 phones on average, there 26), and
their confusions do not depend on their neighbours. RCMS and forced decoding: {shuffles}; the others, and both with
the better setting below: one shuffle.
""".strip()
COMPARED = f"""
The plain setting of both, and both with the better one chosen below ({_training_text(BETTER)}), on the test words:
""".strip()
TUNED = f"""
The setting was chosen on {HELD_OUT:.0%} of the words to learn from, held out; the test words were not looked at. All
shuffles if a spread is given, else one. Tested by the letters of the best alignment (Viterbi), by the text of the
largest probability, alignments summed over (marginal), and by Viterbi with more contexts:
""".strip()


def curve(answers: list[dict], name: str) -> np.ndarray:
    """A measure after every pass, (shuffles, passes)."""
    return np.array([[one[name] for one in answer["passes"]] for answer in answers], float)


def _table(chosen):
    return tables.markdown_table(HEADS, [_line(arm, answers) for arm, answers in chosen.items()])


def _line(arm, answers):
    usable = curve(answers, "explained")
    looks = [tables.spread(curve(answers, name)[:, k]) for k in (0, -1) for name in ("error_rate", "exact")]
    likelihood = curve(answers, "log_likelihood")[:, -1]
    return [
        arm.name,
        f"{usable[:, 0].mean():.0f}, {usable[:, -1].mean():.0f} of {answers[0]['size'][0]}",
        *looks,
        f"{np.nanmean(likelihood):.2f}" if np.isfinite(likelihood).any() else "–",
        f"{np.mean([one['seconds'] for one in answers]):.0f}",
    ]


def _shuffles_text(number):
    return f"mean ± standard deviation over {number} shuffles" if number > 1 else "one shuffle"


def claims_of(found: Mapping[str, Mapping[AlignArm, list[dict]]]) -> list[tuple]:
    """The claims of the paper's figure, on words and on utterances."""
    lines = []
    for table in ("words", "utterances"):
        by = {arm.training.strategy: answers for arm, answers in found[table].items()}
        usable = {name: curve(answers, "explained").max() / answers[0]["size"][0] for name, answers in by.items()}
        last = {name: curve(answers, "error_rate")[:, -1] for name, answers in by.items()}
        first = {name: curve(answers, "error_rate")[:, 0] for name, answers in by.items()}
        mean = {name: float(values.mean()) for name, values in last.items()}
        fallen = {name: (first[name] - last[name]).mean() for name in by}
        lines += [
            (
                f"{table}: select by model finds alignments for almost nothing (< 2 %)",
                f"{usable['model']:.1%}",
                usable["model"] < 0.02,
            ),
            (
                f"{table}: select by target fails on test (CER above .9)",
                tables.spread(last["target"]),
                mean["target"] > 0.9,
            ),
            (
                f"{table}: hybrid is behind RCMS and forced decoding",
                tables.spread(last["hybrid"]),
                conclusions.above(mean["hybrid"], max(mean["rcms"], mean["forced"])),
            ),
            (
                f"{table}: hybrid stalls (gains less than half of what RCMS gains after the first pass)",
                f"{fallen['hybrid']:.3f} and {fallen['rcms']:.3f}",
                fallen["hybrid"] < fallen["rcms"] / 2,
            ),
            (
                f"{table}: RCMS learns with no initialisation, from every example",
                f"{usable['rcms']:.0%}, CER {tables.spread(last['rcms'])}",
                usable["rcms"] == 1 and mean["rcms"] < 0.5,
            ),
            (
                f"{table}: RCMS is better than forced decoding, CER",
                f"{tables.spread(last['rcms'])} and {tables.spread(last['forced'])}",
                conclusions.above(mean["forced"], mean["rcms"]),
            ),
        ]
    return lines


def _comparison_table(found, table):
    plain = [(arm, answers) for arm, answers in found[table].items() if arm.training.strategy in COMPARED_STRATEGIES]
    rows = [*plain, *found[BETTER_OF[table]].items()]
    return tables.markdown_table(COMPARISON, [[arm.name, *_tests(answers)] for arm, answers in rows])


def _tuning_table(tried):
    return tables.markdown_table(COMPARISON, [[arm.name, *_tests(answers)] for arm, answers in tried.items()])


def _tests(answers):
    """Error rate and exact matches of every test."""
    return [
        tables.spread([answer["tests"][k][name] for answer in answers])
        for k in range(len(TESTS))
        for name in ("error_rate", "exact")
    ]


def _document(plan, found):
    rows = [
        {"table": table, "name": arm.name, "source": arm.source, "training": arm.training.to_dict(), "seeds": answers}
        for table, chosen in found.items()
        for arm, answers in chosen.items()
    ]
    return {"figure": "figure4", "plan": asdict(plan), "rows": rows}


def _figure(plan, found):
    """All strategies on words and on utterances, then what RCMS remembers; below, shuffle by shuffle, who is ahead."""
    source = "our lexicon" if plan.data == "lexicon" else "words of CMUdict"
    titles = (
        f"CER, {source}",
        "CER, semi-synthetic utterances",
        "symbols remembered (figure 6)",
        "words: CER, every shuffle",
        "words: exact, every shuffle",
        "words: CER, our better setting",
    )
    figure = make_subplots(rows=2, cols=3, horizontal_spacing=0.08, vertical_spacing=0.22, subplot_titles=titles)
    for column, table in enumerate(("words", "utterances"), 1):
        for arm, answers in found.get(table, {}).items():
            rates = curve(answers, "error_rate")
            _add(figure, (1, column), _passes(rates), rates.mean(axis=0), arm, legend=column == 1)
            if arm.training.strategy == "rcms":
                dash = "dot" if table == "utterances" else "solid"
                _add(figure, (1, 3), *cumulative(answers), arm, f"{arm.name}, {table}", dash, legend=column == 2)
    for panel, table, name in (
        ((2, 1), "words", "error_rate"),
        ((2, 2), "words", "exact"),
        ((2, 3), BETTER_OF["words"], "error_rate"),
    ):
        for arm, answers in found.get(table, {}).items():
            if arm.training.strategy in COMPARED_STRATEGIES:
                _shuffles(figure, panel, curve(answers, name), arm)
    return _set_layout(figure, plan)


def _set_layout(figure, plan):
    subtitle = f"phones to letters; mean over shuffles, below the median; {plan.seeds} shuffles of the words"
    figure.update_annotations(font_size=13)
    style.apply_style(figure, "Learning without alignments", subtitle, height=720)
    figure.update_layout(
        width=1200,
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": -0.12, "yanchor": "top"},
        margin={**style.MARGIN, "b": 100, "t": 96},
    )
    figure.update_xaxes(title_text="pass over the examples", title_standoff=6)
    figure.update_xaxes(title_text="examples learnt from", row=1, col=3)
    figure.update_yaxes(rangemode="tozero")
    figure.update_yaxes(matches="y4", row=2, col=3)  # of one height: the better setting next to the plain one
    return figure


def _add(figure, panel, x, y, arm, name=None, dash="solid", legend=False):
    look = {"color": COLOURS[arm.training.strategy], "width": 2.5, "dash": dash}
    name = name or arm.name
    figure.add_scatter(
        x=x, y=y, mode="lines", name=name, legendgroup=name, showlegend=legend, line=look, row=panel[0], col=panel[1]
    )


def _shuffles(figure, panel, values, arm):
    """Every shuffle thin, their median bold, as in the paper."""
    thin = {"color": COLOURS[arm.training.strategy], "width": 1}
    for row in values:
        figure.add_scatter(
            x=_passes(values),
            y=row,
            mode="lines",
            legendgroup=NAMES[arm.training.strategy],
            showlegend=False,
            hoverinfo="skip",
            opacity=0.35,
            line=thin,
            row=panel[0],
            col=panel[1],
        )
    _add(figure, panel, _passes(values), np.median(values, axis=0), arm, NAMES[arm.training.strategy])


def _passes(values):
    return np.arange(1, values.shape[1] + 1)


def cumulative(answers):
    """(steps, the mean over shuffles of the cumulative average of context lengths), as the paper plots."""
    steps = np.array(answers[0]["steps"], float)
    lengths = np.array([answer["lengths"] for answer in answers], float)
    return steps, (np.cumsum(lengths * np.diff(steps, prepend=0), axis=1) / steps).mean(axis=0)
