"""Finished runs → the plain JSON that the player draws: columns of contexts, candidates, posteriors, words.

The payload has all positions, so stepping needs no server. To stay below a megabyte whatever the
lattice (the exact one of order 3 has 17,576 contexts per column), a column sends its heaviest contexts, their ancestors
and the gold's context, and sums up the rest in one line; so do the candidates of a position.
"""

import hashlib
import marshal
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import rcmviz as rv
from rcmviz.core.builders.blame import Blame
from rcmviz.core.inference.shares import forward_shares
from rcmviz.core.inference.verdict import contexts_along, lost_at
from rcmviz.core.lattices.lattice import Lattice
from rcmviz.core.lattices.trace import FATES, Trace, star
from rcmviz.core.methods import METHODS, numbered_where_alike
from rcmviz.core.shared.logs import log_sum
from rcmviz.views.shared.plain import number
from rcmviz.views.word.annotations import check_notes, check_tokens
from rcmviz.views.word.arguments import check_runs, gold_names, image_rows, spell_title
from rcmviz.views.word.blame import blame_part
from rcmviz.views.word.differences import first_differences
from rcmviz.views.word.labels import LONGEST, Remembered, label_numbers
from rcmviz.views.word.reveal import so_far
from rcmviz.views.word.select import chosen_candidates, chosen_contexts, ranks
from rcmviz.views.word.sentences import JOINED, MERGED, Sentences
from rcmviz.views.word.sums import candidate_sums, context_sums, log_number, rule_sums

MOST = 60  # contexts per column and candidates per position
BEST_LABELS = 6


@dataclass(frozen=True, eq=False)
class Run:
    """One method on one word: ``name`` shown · ``lattice`` · ``trace``, or None where nothing was recorded · ``blame``
    if there is a gold and a verdict was requested · ``edits`` what-if edits of it alone, in words.
    """

    name: str
    lattice: Lattice
    trace: Trace | None
    blame: Blame | None = None
    edits: tuple[str, ...] = ()


def build_payload(
    word,
    runs,
    *,
    position=1,
    node=None,
    baseline=None,
    gold=None,
    images=None,
    title=None,
    code=None,
    settings=None,
    strips=None,
    reveal=False,
    tokens=None,
    notes=None,
    trust=None,
):
    """What the player needs to show one to three runs on one word, as plain JSON.

    ``word`` a handwritten Word, a string or None; its letters are the gold labels unless ``gold`` says otherwise, its
    ``images (T, rows, columns)`` of 0/1 are shown unless ``images`` says otherwise · ``runs`` list of ``Run`` ·
    ``position`` 1 … T and ``node`` (a context's name, ``"*ol"``) to open at · ``baseline`` per run the label posterior
    (T, Y) to compare with · ``code`` shown by "show code" · ``reveal`` shows nothing right
    of the position before a person gets there · ``strips`` per run what ``views.word.blame.strip_part`` makes of its
    budgets, or None · ``tokens`` what was observed, a text per position · ``notes`` {position: remark} · ``trust`` what
    ``views.word.trust.trust_part`` makes of it. ValueError names the fault.

    >>> model = rv.NgramModel.from_windows("ab", 2, {("*", "a", "b"): 1.0})
    >>> lattice, trace = rv.rcms(model, [[0.2, 0.0]] * 3, budget=2)
    >>> payload = build_payload("aaa", [Run("RCMS", lattice, trace)])
    >>> payload["T"], payload["runs"][0]["gold"]["lost"]
    (3, None)
    """
    runs = list(runs)
    check_runs(runs, position)
    lattice = runs[0].lattice
    gold = gold_names(gold if gold is not None else getattr(word, "letters", word), lattice)
    images = images if images is not None else getattr(word, "images", None)
    limit = max(12, min(MOST, 2000 // lattice.T))
    before = _checked_baseline(baseline, runs)
    payload = {
        "version": 1,
        "title": title if title is not None else spell_title(getattr(word, "letters", word)),
        "labels": list(lattice.labels),
        "T": lattice.T,
        "gold": None if gold is None else [lattice.labels.index(label) for label in gold],
        "images": image_rows(images, lattice.T),
        "tokens": check_tokens(tokens, lattice.T),
        "notes": check_notes(notes, lattice.T),
        "code": code,
        "settings": settings or {},
        "changed": baseline is not None,
        "runs": [_run(run, gold, was, limit) for run, was in zip(runs, before, strict=True)],
    }
    for run, name in zip(payload["runs"], numbered_where_alike([run.name for run in runs]), strict=True):
        run["name"] = name
    payload["differences"] = first_differences(
        [run.lattice for run in runs], [run["path"]["labels"] for run in payload["runs"]]
    )
    payload["id"] = digest(payload)
    payload["subject"] = digest([payload[part] for part in ("title", "labels", "images", "tokens", "T")])
    return payload | {"position": int(position), "node": node, "strips": strips, "trust": trust, "reveal": bool(reveal)}


def digest(value):
    """A short name of a JSON value that another value does not have."""
    # Without references (version 2) equal values are written alike; JSON would take ten times as long.
    return hashlib.sha1(marshal.dumps(value, 2)).hexdigest()[:16]


def _checked_baseline(baseline, runs):
    if baseline is None:
        return [None] * len(runs)
    tables = [np.asarray(table, dtype=float) for table in baseline]
    shape = (runs[0].lattice.T, runs[0].lattice.width)
    if len(tables) != len(runs) or any(table.shape != shape for table in tables):
        raise ValueError(f"baseline: give one label posterior of shape {shape} per run")
    return tables


def _run(run, gold, was, limit):
    lattice, trace = run.lattice, run.trace
    post = rv.posterior(lattice)
    best = rv.viterbi(lattice)
    gold_nodes = _gold_path(lattice, gold)
    method = trace.settings["method"] if trace is not None else "exact"
    sentences = Sentences()
    indices = None if gold is None else lattice.indices_of(gold)
    return {
        "name": run.name,
        "method": method,
        "draws": METHODS[method].draws,
        "edits": list(run.edits),
        "logZ": log_number(post.log_z),
        "sums": rule_sums(trace),
        "path": _output(lattice, best),
        "gold": _gold_standing(lattice, gold),
        "blame": blame_part(run.blame),
        "label": _label_rows(lattice, post.label, gold, best.indices, was),
        "soFar": so_far(lattice, post.forward, BEST_LABELS),
        "columns": _columns(lattice, trace, post, indices, gold_nodes, limit, sentences),
        "sentences": sentences.all,
    }


def _output(lattice, path):
    return {"labels": label_numbers(lattice, 0, path.indices), "p": number(math.exp(path.log_prob))}


def _numbers(values):
    return [number(value) for value in np.asarray(values).tolist()]


def _gold_path(lattice, gold):
    """The gold's context per column 0 … T, −1 from where it was dropped."""
    if gold is None:
        return [-1] * (lattice.T + 1)
    return [-1 if c is None else c for c in contexts_along(lattice, gold)]


def _gold_standing(lattice, gold):
    if gold is None:
        return None
    return {"p": number(math.exp(rv.log_prob(lattice, gold))), "lost": lost_at(lattice, gold)}


def _label_rows(lattice, label, gold, decoded, was):
    """Per position ``[label, probability, probability before]`` of the best labels, the gold and the decoded one."""
    wanted = [-1] * lattice.T if gold is None else lattice.indices_of(gold)
    rows = []
    for i, row in enumerate(label):
        best = np.argsort(-row, kind="stable")[:BEST_LABELS]
        shown = set(best[row[best] > 0].tolist()) | {int(decoded[i])}
        shown |= {wanted[i]} if wanted[i] >= 0 else set()
        shown |= {int(was[i].argmax())} if was is not None else set()
        order = sorted(shown, key=lambda y: (-row[y], y))
        entries = [[lattice.label_of(i, y), number(row[y]), None if was is None else number(was[i, y])] for y in order]
        if gold is not None and wanted[i] < 0:  # a word that is no candidate here
            entries.append([lattice.labels.index(gold[i]), 0.0, None if was is None else 0.0])
        rows.append(entries)
    return rows


def _columns(lattice, trace, post, gold, path, limit, sentences):
    own = forward_shares(lattice, trace, post.forward)
    nested = {"own": _add_descendants(lattice, own), "post": _add_descendants(lattice, post.context)}
    remembered, columns = Remembered(lattice), []
    for i in range(lattice.T + 1):
        selecting = trace is not None and 1 <= i < lattice.T
        proposed = chosen_candidates(trace, i, path[i - 1], gold, limit) if selecting else None
        carriers = lattice.target[:0] if proposed is None else trace.into[proposed]
        wanted = [*carriers.tolist(), path[i]]
        sent = chosen_contexts(lattice, i, own, post.context, wanted, limit, remembered)
        column = _contexts(lattice, i, sent, own, nested, post, path[i], remembered)
        column["logZ"] = log_number(log_sum(post.forward[lattice.column(i)]))
        column["sums"] = context_sums(lattice, trace, i, sent, post)
        if selecting:
            column["candidates"] = _candidates(trace, i, proposed, sent, path[i - 1], gold, sentences, remembered)
            column["candidates"]["sums"] = candidate_sums(trace, i, proposed, post, remembered)
        columns.append(column)
    return columns


def _add_descendants(lattice, own):
    """Per context (C,) its own mass and that of all contexts of its column that end in it."""
    total = np.array(own)
    for length in range(int(lattice.length.max(initial=0)), 0, -1):
        rows = np.flatnonzero((lattice.length == length) & (lattice.parent >= 0))
        if len(rows):
            total += np.bincount(lattice.parent[rows], total[rows], minlength=lattice.C)
    return total


def _contexts(lattice, i, sent, own, nested, post, gold_context, remembered):
    """One column: per context sent its labels, own and subtree mass, forward and posterior; the rest in one line."""
    column = lattice.column(i)
    share, mass = own[column], post.context[column]
    root = np.flatnonzero(lattice.length[column] == 0)
    rest = np.ones(len(share), dtype=bool)
    rest[sent - column.start] = False
    carried = share.sum()
    parts = share[share > 0] / carried
    return {
        "labels": [remembered.last(i, c) for c in sent.tolist()],
        "length": lattice.length[sent].tolist(),
        "forward": _numbers(own[sent]),
        "forwardTree": _numbers(nested["own"][sent]),
        "posterior": _numbers(post.context[sent]),
        "posteriorTree": _numbers(nested["post"][sent]),
        "total": len(share),
        "more": [int(rest.sum()), number(share[rest].sum()), number(mass[rest].sum())],
        "entropy": number(max(0.0, -(parts * np.log(parts)).sum())),
        "root": [number(share[root].sum()), number(mass[root].sum())] if len(root) else None,
        "gold": int(np.flatnonzero(sent == gold_context)[0]) if gold_context >= 0 else -1,
    }


def _candidates(trace, i, chosen, sent, gold_from, gold, sentences, remembered):
    """The candidates of position i that are sent, kept ones first, and what became of all others in numbers."""
    rows = trace.candidates(i)
    total, into = trace.log_mass_of(i), trace.into[chosen]
    share = np.exp(trace.log_mass[chosen] - total) if total > -np.inf else np.zeros(len(chosen))
    fate, rank = trace.fate(i)[chosen - rows.start], ranks(trace.key[rows], chosen - rows.start)
    has_keys = trace.ranked_by in ("pass", "rule")
    key = trace.key_share(i)[chosen - rows.start].tolist() if has_keys else [None] * len(chosen)
    place = {c: r for r, c in enumerate(sent.tolist())}
    columns = (column.tolist() for column in (chosen, fate, rank, share, into))
    reasons = _reasons(trace, i, map(_Candidate, *columns, key), sentences)
    labels, length = _candidate_labels(trace, i, chosen, remembered)
    is_gold = np.zeros(len(chosen), bool)
    if gold is not None and gold_from >= 0:
        is_gold = (trace.context[chosen] == gold_from) & (trace.label[chosen] == gold[i - 1])
    return {
        "labels": labels,
        "length": length,
        "mass": _numbers(share),
        "rank": rank.tolist(),
        "key": _numbers(key) if has_keys else None,
        "fate": fate.tolist(),
        "into": [place.get(c, -1) for c in into.tolist()],
        "why": reasons,
        "gold": int(np.flatnonzero(is_gold)[0]) if is_gold.any() else -1,
        "budget": trace.budget(i),
        "total": rows.stop - rows.start,
        "groups": _groups(trace, i, chosen - rows.start, total),
    }


def _candidate_labels(trace, i, chosen, remembered):
    """Per candidate the last labels that it would remember, those of its context and one more, and how many."""
    length = trace.lattice.length[trace.context[chosen]] + 1
    if trace.settings.get("deduplicate"):  # contexts equal in their last n labels are one
        length = np.minimum(length, trace.settings["order"])
    arcs = zip(trace.context[chosen].tolist(), trace.label[chosen].tolist(), strict=True)
    whole = [[*remembered.last(i - 1, c), *label_numbers(trace.lattice, i - 1, (y,))] for c, y in arcs]
    length = length.tolist()
    return [labels[-min(most, LONGEST) :] for labels, most in zip(whole, length, strict=True)], length


class _Candidate(NamedTuple):
    """A candidate by its row of the trace, and what became of it; ``key`` is None where it was ranked by its mass."""

    row: int
    fate: int
    rank: int
    share: float
    into: int
    key: float | None


def _reasons(trace, i, candidates, sentences):
    """The numbers of the sentences that say why; candidates are ``_Candidate``s.

    Where no context was pinned or forbidden, a sentence says the same, but for its gaps, of all candidates of one fate
    that are possible or not, within the budget or beyond: fifteen hundred candidates of a word have about sixty.
    """
    edited, budget, found, numbers = bool({"pin", "forbid"} & set(trace.settings)), trace.budget(i), {}, []
    for one in candidates:
        m, fate, rank, share, key = one.row, one.fate, one.rank, one.share, one.key
        alike = (m if edited else None, fate, share > 0, budget is None or rank <= budget)
        if alike not in found:
            carrier = trace.lattice.name(one.into) if fate in (MERGED, JOINED) else None
            name = star(trace.labels_of(m), i)
            sentence = trace.sentence(i, name, fate, rank, share, one.into, key=key)
            ranking = None if key is None else f"{key:.2g}"
            found[alike] = sentences.place(sentence, name, rank, f"{share:.2g}", carrier, ranking)
        numbers.append(found[alike])
    return numbers


def _groups(trace, i, sent, total):
    """Per fate ``[how many, mass, how many are not sent, their mass]``."""
    fate, share = trace.fate(i), trace.share(i)
    rest = np.ones(len(fate), dtype=bool)
    rest[sent] = False
    return [
        [int(of.sum()), number(share[of].sum()), int((of & rest).sum()), number(share[of & rest].sum())]
        for of in (fate == f for f in range(len(FATES)))
    ]
