"""Figure 6 of Jernite, Rush and Sontag (2015): the lifted bound on a text, full and low rank, and other models."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import plotly.graph_objects as go

from rcmviz.experiments import conclusions, mrf_runs, tables
from rcmviz.experiments.mrf_runs import cell, code_digest, effort, warm_up
from rcmviz.experiments.report import Plan, Report
from rcmviz.plot import style

__all__ = ["cell", "code_digest", "effort", "report", "specs", "warm_up"]

RANK = 30  # of the paper
SLIGHTLY, BARELY = 0.1, 0.01  # nats per token
RANKS = {"ends": (30, 60, 100), "lines": (30,), "stops": (30, 100)}  # of these and of the penalties the slice chooses
L2 = (1.0, 3.0, 10.0)
HEADS = (
    "field",
    "sentences",
    "C",
    "l2",
    "steps",
    "CPU s",
    "train, star",
    "slice, star",
    "star",
    "chain",
    "ring, λ_max",
    "sentences, exact",
    "and their length",
)
COUNTED = (
    "field",
    "sentences",
    "l2",
    "chain less ring",
    "star",
    "sentences, exact",
    "star, one end",
    "sentences, exact, one end",
)
OTHERS = ("model", "sentences", "C", "per token of the ring", "per word and end")


def field(plan: Plan, rank: int | None = RANK, cut: str = "ends", **others) -> dict:
    """The spec of one field."""
    how = {"size": 1_000, "l2": 3.0, "held_out": 0.05, "patience": 50, "max_steps": 2_000, "every": 10}
    quick = {"max_steps": 20, "every": 5} | ({} if "size" in others else {"size": 100}) if plan.quick else {}
    return {"task": "lifted", "data": plan.data, "cut": cut, "rank": rank} | how | others | quick


def specs(plan: Plan) -> list[dict]:
    """Low ranks and penalties, of which the slice chooses, on sentences cut in each way; full rank; the rivals; if
    large the paper's rank, and the rivals, with 10,000 words.

    Full rank is learnt twice: as the paper has it, with next to no penalty and to the end, and with a penalty that
    a low rank is tried with too.
    """
    cuts = ("ends",) if plan.data == "grammar" else tuple(RANKS)
    ranks, penalties = (dict.fromkeys(cuts, (RANK,)), L2[:2]) if plan.quick else (RANKS, L2)
    found = [field(plan, rank, cut, l2=l2) for cut in cuts for rank in ranks[cut] for l2 in penalties]
    found += [field(plan, None), field(plan, None, l2=0.01, patience=None, max_steps=1_000)]
    sizes = {cut: [found[0]["size"]] for cut in dict.fromkeys(one["cut"] for one in found)}
    if plan.large:
        found.append(field(plan, size=10_000, held_out=0.03, patience=30))
        sizes["ends"].append(10_000)
    for cut in sizes:
        for size in sizes[cut]:
            rival = {"data": plan.data, "cut": cut, "size": size}
            found.append({"task": "ngrams", "orders": [2, 3]} | rival)
            if cut == "stops":
                continue
            found.append(
                {
                    "task": "log_bilinear",
                    "rank": RANK,
                    "l2": 1.0,
                    "held_out": 0.05,
                    "epochs": 1 if plan.quick else 10 if size <= 1_000 else 4,
                }
                | rival
            )
    return found


def best_slice_bound(one: dict) -> float:
    """The best star bound that a field had on the slice, of the steps that were watched."""
    return max(row["slice"] for row in one["curve"])


def chosen(fields: list[dict], cut: str = "ends", rank: int | None = None) -> dict:
    """The field of low rank, of one rank where that is given, that has the best bound on the slice."""
    size, ranks = fields[0]["spec"]["size"], RANKS[cut] if rank is None else (rank,)
    among = [one for one in fields if (one["spec"]["cut"], one["spec"]["size"]) == (cut, size)]
    return max((one for one in among if one["spec"]["rank"] in ranks), key=best_slice_bound)


def report(plan: Plan, results: list[dict]) -> Report:
    """Tables of the fields and the other models, and whether the paper's claims hold."""
    fields = [one for one in results if one["spec"]["task"] == "lifted"]
    rivals = [one for one in results if one["spec"]["task"] != "lifted"]
    counts = results[0]["counted"]
    ratio = counts["ring"] / counts["one_end"]
    parts = [
        "# Figure 6 of the paper: the lifted bound on a text",
        f"On {mrf_runs.DESCRIBED[plan.data]}: K = 2, learnt from the training part, measured on the validation part, "
        f"{counts['words']:,} words in {counts['sentences']:,} sentences. Nats per token of the ring, in which *two* "
        f"separators stand at every sentence ({counts['ring']:,} tokens); to have nats per word and *one* end "
        f"({counts['one_end']:,}), multiply by {ratio:.4f} (where sentences are lines, by less). A sentence is a line "
        "(*lines*), or ends at `.`, `!` or `?` (*ends*), or is what stands between the full stops of a line, which are "
        "left out (*stops*). Early stopping looks at the last 5 % of the training part, the *slice* (3 % for 10,000 "
        "words), and so does the choice of D and l2 (bold); the validation part chooses nothing. *Exact*: sentences "
        "given their length, as eq. 3 has it; *and their length* adds the log probability of the length by the "
        "training part's lengths, which makes it comparable with the n-gram models and the log-bilinear one (LBL): "
        "these also predict where a sentence ends.",
        tables.markdown_table(HEADS, [_line(one, _is_chosen(one, fields)) for one in fields]),
        tables.markdown_table(OTHERS, [line for one in rivals for line in _other(one)]),
        "## Counted in two ways",
        tables.markdown_table(COUNTED, [_counts_line(one) for one in fields if _is_chosen(one, fields)]),
        "## What reproduces",
        conclusions.claims_table(claims_of(fields, rivals)),
    ]
    document = {"figure": "figure-field-text", "plan": asdict(plan), "runs": results}
    return Report("figure-field-text", "\n\n".join(parts) + "\n", document, _figure(plan, fields, rivals))


def name_of(spec: dict) -> str:
    """The title of a field."""
    return "full rank" if spec["rank"] is None else f"D = {spec['rank']}"


def _is_chosen(one, fields):
    """Whether the slice chose a field: of all low ranks, or of the paper's rank alone."""
    cut, size = one["spec"]["cut"], one["spec"]["size"]
    if cut not in RANKS or size != fields[0]["spec"]["size"]:
        return cut not in RANKS  # nothing to choose among
    return one in (chosen(fields, cut), chosen(fields, cut, RANK))


def _line(one, is_chosen):
    spec = one["spec"]
    values = [f"{one[name]:.3f}" if name in one else "" for name in ("star", "chain", "ring", "exact", "with_length")]
    stopped, name = f"{one['step']} of {one['steps']}", name_of(spec)
    return [
        f"**{name}**" if is_chosen else name,
        spec["cut"],
        f"{spec['size']:,}",
        f"{spec['l2']:g}",
        stopped,
        f"{one['seconds']:.0f}",
        f"{one['train']:.3f}",
        f"{best_slice_bound(one):.4f}",
        *values,
    ]


def _counts_line(one):
    spec, ratio = one["spec"], one["counted"]["ring"] / one["counted"]["one_end"]
    values = [one["ring"] - one["chain"], one["star"], one["exact"], ratio * one["star"], ratio * one["exact"]]
    return [name_of(spec), spec["cut"], f"{spec['l2']:g}", *(f"{value:.3f}" for value in values)]


def _other(one):
    spec, ratio = one["spec"], one["counted"]["ring"] / one["counted"]["one_end"]
    if spec["task"] == "ngrams":
        values = {f"Kneser–Ney, order {order}": value for order, value in one["valid"].items()}
    else:
        values = {f"LBL, left context, K = 2, D = {spec['rank']}, epoch {one['epoch']}": one["valid"]}
    for name, value in values.items():
        yield [name, spec["cut"], f"{spec['size']:,}", f"{value:.3f}", f"{value * ratio:.3f}"]


def _ends_results(results, task):
    return [one for one in results if one["spec"]["task"] == task and one["spec"]["cut"] == "ends"]


def claims_of(fields: Sequence[dict], rivals: Sequence[dict]) -> Iterator[tuple]:
    """The paper's claims, on sentences that end at marks and with the smaller vocabulary, its rank at the best l2."""
    low, best = chosen(fields, rank=RANK), chosen(fields)
    full, overfit = (one for one in fields if one["spec"]["rank"] is None)
    same = next(one for one in fields if (one["spec"]["rank"], one["spec"]["l2"]) == (RANK, full["spec"]["l2"]))
    lbl, ngram = _ends_results(rivals, "log_bilinear")[0]["valid"], _ends_results(rivals, "ngrams")[0]["valid"]
    yield slightly_claim("the bound is only slightly below the LBL", low["star"], lbl)
    yield slightly_claim(
        "… and so is the exact log-likelihood of the same field, with the lengths", low["with_length"], lbl
    )
    yield overfit_claim(overfit["curve"])
    yield _claim(
        f"full rank is worse than D = {RANK} with the same l2, {full['spec']['l2']:g}, both stopped early",
        full["star"],
        same["star"],
        conclusions.above(same["star"], full["star"]),
    )
    if best is not low:
        yield _claim(
            f"{name_of(best['spec'])}, chosen on the slice, is better than D = {RANK} (not claimed)",
            best["star"],
            low["star"],
            conclusions.above(best["star"], low["star"]),
        )
    for order, value in ngram.items():
        yield _claim(
            f"the field is above Kneser–Ney of order {order} (not claimed), with the lengths",
            low["with_length"],
            value,
            conclusions.above(low["with_length"], value),
        )


def slightly_claim(text: str, value: float, other: float) -> tuple:
    """Whether a value is at most slightly below another one."""
    return _claim(f"{text} (by less than {tables.number_text(SLIGHTLY, 1)})", value, other, other - value < SLIGHTLY)


def overfit_claim(curve: Sequence[dict]) -> tuple:
    """Whether the validation bound falls from its highest point to the end of the training.

    >>> curve = [{"step": 10, "valid": -3.6, "train": -3.7}, {"step": 20, "valid": -3.605, "train": -3.5}]
    >>> overfit_claim(curve)[1:]
    ('validation -3.600 at best, -3.605 after 20 steps; train -3.500', 'barely')
    """
    last, highest = curve[-1], max(row["valid"] for row in curve)
    measured = f"validation {highest:.3f} at best, {last['valid']:.3f} after {last['step']} steps; train "
    barely = 0.0 < highest - last["valid"] <= BARELY
    true = "barely" if barely else bool(last["valid"] < highest)
    return "full rank over-fits, nearly without a penalty", f"{measured}{last['train']:.3f}", true


def _claim(text, one, other, true):
    return text, f"{one:.3f} and {other:.3f}", true


def _figure(plan, fields, rivals):
    """Bounds by seconds of CPU on the smaller vocabulary, with the other models as lines."""
    figure, size = go.Figure(), fields[0]["spec"]["size"]
    low = chosen(fields, rank=RANK)
    shown = [low, [one for one in fields if one["spec"]["rank"] is None][-1]]
    looks = style.SERIES_COLOURS[:2]
    for one, colour in zip(shown, looks, strict=True):
        seconds = [row["seconds"] for row in one["curve"]]
        for what, dash, words in (("train", "dot", "train"), ("valid", "solid", "validation")):
            line = {"color": colour, "dash": dash, "width": 2.2}
            label = f"{name_of(one['spec'])}, {words}"
            figure.add_scatter(x=seconds, y=[row[what] for row in one["curve"]], mode="lines", name=label, line=line)
    end = max(one["curve"][-1]["seconds"] for one in shown)
    marks = {
        "D = 30, exact and lengths": (low.get("with_length"), {"color": style.SERIES_COLOURS[0], "dash": "dash"}),
        "LBL": (_ends_results(rivals, "log_bilinear")[0]["valid"], {"color": style.SERIES_COLOURS[2], "dash": "dash"}),
    }
    for order, value in _ends_results(rivals, "ngrams")[0]["valid"].items():
        marks[f"Kneser–Ney {order}-gram"] = (value, {"color": style.QUIET, "dash": "dash" if order == "2" else "dot"})
    for name, (value, look) in marks.items():
        line = look | {"width": 1.4}
        figure.add_scatter(x=[0.5, end], y=[value] * 2, mode="lines", name=name, line=line)
    subtitle = f"{mrf_runs.DESCRIBED[plan.data]}, C = {size:,}, K = 2; nats per token, two separators a sentence"
    style.apply_style(figure, "The lifted bound while a field learns", subtitle, height=560)
    figure.update_layout(
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": -0.16, "yanchor": "top"},
        margin={**style.MARGIN, "b": 130, "t": 96},
    )
    figure.update_xaxes(title_text="seconds of CPU", type="log")
    lowest = min(low["star"], low["curve"][-1]["valid"]) - 0.7
    figure.update_yaxes(title_text="nats per token", range=[lowest, max(value for value, _ in marks.values()) + 0.1])
    return figure
