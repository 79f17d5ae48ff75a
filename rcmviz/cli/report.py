"""Reports of the command line: a text tree per position, methods side by side, the evaluation table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from rcmviz.core.inference.infer import posterior
from rcmviz.core.inference.tree_rows import Tree, build_tree, column_masses, context_name, kept_shares, linear_masses
from rcmviz.core.inference.verdict import RANKS, Verdict, contexts_along, lost_at
from rcmviz.core.lattices.lattice import Lattice, spell
from rcmviz.core.lattices.trace import FATES, Trace
from rcmviz.core.methods import METHODS
from rcmviz.evaluation.evaluate import Score

BAR = 28  # characters of the whole mass
OWN, MERGED, BELOW = "█", "▓", "░"
STYLES = {OWN: "bright_blue", MERGED: "cyan", BELOW: "bright_black"}


def percent(share: float) -> str:
    """A share for a column of text: 45.0 %, 0.31 %, <0.01 %."""
    points = 100 * share
    if points >= 1:
        return f"{points:.1f} %"
    return f"{points:.2f} %" if points >= 0.01 or share <= 0 else "<0.01 %"


def images_text(images: np.ndarray, width: int) -> Text:
    """Images (T, rows, columns) of 0 and 1 as half blocks, as many side by side as fit into `width` characters."""
    T, (rows, columns) = len(images), images.shape[1:]
    padded = np.pad(images, ((0, 0), (0, rows % 2), (0, 2)))
    upper, lower = padded[:, 0::2], padded[:, 1::2]
    blocks = np.array([" ", "▀", "▄", "█"])[upper + 2 * lower]
    per_line = max(1, width // (columns + 2))
    lines = [
        "".join("".join(blocks[t, r]) for t in range(start, min(start + per_line, T))).rstrip()
        for start in range(0, T, per_line)
        for r in range(blocks.shape[1])
    ]
    return Text("\n".join(lines))


def step(
    trace: Trace,
    lattice: Lattice,
    i: int,
    gold: Sequence[str] | None = None,
    mass: str = "forward",
    limit: int = 40,
    said: str = "",
) -> RenderableType:
    """Position i (1 … T−1): the contexts as a tree with mass bars, what became of the candidates, where gold is.

    `said` is the sentence below the position's heading.
    """
    column = column_masses(lattice, i, linear_masses(lattice, mass, trace))
    tree = build_tree([column], limit)
    lines = [
        Text(_heading(trace, i), style="bold"),
        *([Text(said)] if said else []),
        _tree_table(tree, _own_share_text(trace, tree, i, mass), trace, i, mass),
    ]
    if tree.hidden[0]:
        hidden = percent(sum(column.values()) - tree.own[0].sum())
        lines.append(Text(f"… {tree.hidden[0]:,} more contexts, {hidden}", style="dim"))
    lines.append(Text(_numbers(trace, lattice, i)))
    lines += [Text(sentence, style="dim") for sentence in _fates(trace, i)]
    if gold is not None:
        lines.append(_gold_line(lattice, i, gold))
    return Group(*lines, Text(""))


def legend(mass: str) -> Text:
    """The meaning of the bars' characters."""
    parts = [(OWN, "own candidate"), (MERGED, "merged into it")] if mass == "forward" else [(OWN, "own mass")]
    text = Text()
    for character, meaning in [*parts, (BELOW, "contexts below it")]:
        text.append(character, style=STYLES[character]).append(f" {meaning}   ", style="dim")
    return text


def _heading(trace: Trace, i: int) -> str:
    fates = np.bincount(trace.fate(i), minlength=len(FATES))
    by_fate = ", ".join(f"{count:,} {fate}" for fate, count in zip(FATES, fates, strict=True) if count)
    budget = trace.budget(i)
    return (
        f"position {i} of {trace.lattice.T} · "
        + (f"budget {budget} · " if budget else "")
        + f"{fates.sum():,} candidates"
        + f" by {trace.ranking}"
        + f": {by_fate}"
    )


def _own_share_text(trace: Trace, tree: Tree, i: int, mass: str) -> np.ndarray:
    if mass == "posterior":
        return tree.own[0]
    kept = kept_shares(trace, i)
    return np.array([kept.get(context, 0.0) for context in tree.contexts])


def _tree_table(tree: Tree, own_part: np.ndarray, trace: Trace, i: int, mass: str) -> Table:
    table = Table(box=None, pad_edge=False, show_header=True, header_style="dim")
    table.add_column("context", no_wrap=True)
    table.add_column(f"{mass} mass", no_wrap=True)
    turned = "posterior" if mass == "forward" else "forward"
    for name in ("own", "with below", turned):
        table.add_column(name, justify="right", no_wrap=True)
    other = column_masses(trace.lattice, i, linear_masses(trace.lattice, turned, trace))
    for r, (guide, context) in enumerate(zip(guides(tree), tree.contexts, strict=True)):
        own, subtree = tree.own[0, r], tree.subtree[0, r]
        name = Text(guide, style="bright_black").append(context_name(context, i), style="default")
        table.add_row(name, bar(own_part[r], own, subtree), percent(own), percent(subtree), percent(other[context]))
    return table


def guides(tree: Tree) -> list[str]:
    """Per row the lines that lead to it: `│  ├─ `."""
    children = {r: np.flatnonzero(tree.parent == r) for r in range(-1, len(tree.contexts))}
    prefix = {-1: ""}
    guide = []
    for r, above in enumerate(tree.parent.tolist()):
        is_last = r == children[above][-1]
        guide.append("" if above < 0 else prefix[above] + ("└─ " if is_last else "├─ "))
        prefix[r] = "" if above < 0 else prefix[above] + ("   " if is_last else "│  ")
    return guide


def bar(own_part: float, own: float, subtree: float) -> Text:
    """Own candidate, merged and below as one bar; the three add up to the rounded whole."""
    ends = [round(BAR * share) for share in (own_part, max(own, own_part), max(subtree, own))]
    text, start = Text(), 0
    for character, end in zip((OWN, MERGED, BELOW), ends, strict=True):
        text.append(character * (end - start), style=STYLES[character])
        start = max(start, end)
    return text if ends[-1] else Text("▏", style=STYLES[OWN])


def _numbers(trace: Trace, lattice: Lattice, i: int) -> str:
    shares = np.array(list(column_masses(lattice, i, linear_masses(lattice, "forward", trace)).values()))
    parts = shares[shares > 0] / shares.sum()
    spread = -np.sum(parts * np.log(parts))
    roots = np.flatnonzero(lattice.length[lattice.column(i)] == 0)
    root = f" · root mass {percent(shares[roots].sum())}" if len(roots) else ""
    return f"log Z so far {trace.log_z_so_far[i]:.3f} · context entropy {max(0.0, spread):.3f} nats{root}"


def _fates(trace: Trace, i: int) -> list[str]:
    """The reason of the heaviest candidate of each fate but kept."""
    rows, fate = trace.candidates(i), trace.fate(i)
    share = trace.share(i)
    sentences = []
    for number, name in enumerate(FATES):
        those = np.flatnonzero((fate == number) & (share > 0))
        if name != "kept" and len(those):
            heaviest = those[np.argmax(share[those])]
            reason = trace.reason(rows.start + int(heaviest))
            sentences.append(f"{name} {percent(share[those].sum())}, heaviest: {reason}")
    return sentences


def _gold_line(lattice: Lattice, i: int, gold: Sequence[str]) -> Text:
    context = contexts_along(lattice, gold)[i]
    prefix = spell(tuple(gold[:i]))
    if context is None:
        return Text(f"gold `{prefix}` was lost at position {lost_at(lattice, gold)}", style="red")
    share = posterior(lattice).context[context]
    return Text(f"gold `{prefix}` is carried by `{lattice.name(context)}`, posterior {percent(share)}", style="green")


def verdict_line(verdict: Verdict) -> Text:
    """The decoded labels, confidence and what became of gold, in one line."""
    text = (
        Text("decoded ")
        .append(spell(verdict.decoded), style="bold")
        .append(f" with confidence {percent(verdict.confidence)}")
    )
    text.append(f" · log Z {verdict.log_z:.3f} · entropy {verdict.entropy:.3f} nats")
    if verdict.gold is not None:
        right = verdict.gold == verdict.decoded
        text.append("\ngold    ").append(spell(verdict.gold), style="green" if right else "red")
        text.append(f" with probability {percent(verdict.gold_probability)}, {_fate_of_gold(verdict)}")
    return text


def _fate_of_gold(verdict: Verdict) -> str:
    if verdict.lost_at is not None:
        return f"lost at position {verdict.lost_at}"
    return f"rank {verdict.gold_rank}" if verdict.gold_rank else f"rank beyond {RANKS}"


def comparison(verdicts: Sequence[Verdict]) -> Table:
    """Methods one below the other: decoded, confidence, gold and where it was lost."""
    has_gold = verdicts[0].gold is not None
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("method", "decoded", "confidence", "log Z", "entropy"):
        table.add_column(name, justify="left" if name in ("method", "decoded") else "right", no_wrap=True)
    if has_gold:
        table.add_column("P(gold)", justify="right", no_wrap=True)
        table.add_column("gold", no_wrap=True)
    for one in verdicts:
        right = not has_gold or one.decoded == one.gold
        decoded = Text(("✓ " if right else "✗ ") if has_gold else "", style="green" if right else "red")
        cells = [
            one.name,
            decoded.append(spell(one.decoded)),
            percent(one.confidence),
            f"{one.log_z:.3f}",
            f"{one.entropy:.3f}",
        ]
        cells += [percent(one.gold_probability), _fate_of_gold(one)] if has_gold else []
        table.add_row(*cells)
    return table


def likeliest_table(verdicts: Sequence[Verdict]) -> Table:
    """The likeliest outputs of each method; the gold one is green."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("method", no_wrap=True)
    table.add_column("likeliest outputs")
    for one in verdicts:
        table.add_row(one.name, Text("  ").join(_output(labels, p, one.gold) for labels, p in one.top))
    return table


def _output(labels: tuple[str, ...], probability: float, gold: tuple[str, ...] | None) -> Text:
    share = percent(probability).replace(" ", "\u00a0")  # a line breaks between outputs, not inside one
    return Text(f"{spell(labels)}\u00a0", style="green" if labels == gold else "").append(share, "dim")


def evaluation(scores: Sequence[Score], whole: str = "word", part: str = "letter") -> Table:
    """The evaluation table; ± is one standard error, a sequence is called ``whole`` and its positions ``part``s."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    headers = (
        "\nmethod",
        f"{whole}\naccuracy",
        f"{part}\naccuracy",
        "recall\n@99",
        "recall\n@95",
        "confi-\ndence",
        "context\nlength",
        f"{whole}s\nper s",
    )
    for name in headers:
        table.add_column(name, justify="left" if "method" in name else "right", no_wrap=True)
    for one in scores:
        table.add_row(
            one.name,
            f"{one.accuracy:.3f}±{one.accuracy_error:.3f}",
            f"{one.label_accuracy:.3f}",
            f"{one.recall_99:.3f}±{one.recall_99_error:.3f}",
            f"{one.recall_95:.3f}",
            f"{one.mean_confidence:.3f}",
            f"{one.mean_length:.2f}",
            f"{one.sequences_per_second:,.0f}",
        )
    return table


def sweep(rows: Sequence[dict]) -> Table:
    """The rows of `sweep.summary`; ± is the standard deviation over the seeds."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    headers = (
        "\nmethod",
        "\norder",
        "sequence\naccuracy",
        "label\naccuracy",
        "recall\n@99",
        "confi-\ndence",
        "context\nlength",
    )
    for name in headers:
        table.add_column(name, justify="left" if "method" in name else "right", no_wrap=True)
    for row in rows:
        name = f"{row['method']} {row['budget']}" if METHODS[row["method"]].has_budget else row["method"]
        numbers = ("accuracy", "label_accuracy", "recall_99", "mean_confidence", "mean_length")
        table.add_row(name, str(row["order"]), *(_spread(row.get(number)) for number in numbers))
    return table


def _spread(pair: list | None) -> str:
    """Mean ± standard deviation without their leading zeros: .885±.012; a failed row has none."""
    if pair is None:
        return "–"
    return "±".join(f"{value:.3f}".removeprefix("0") for value in pair if value is not None)
