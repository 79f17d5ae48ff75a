"""A transcript as JSON for the CTC view: emissions, contexts after each frame, outputs.

The payload has all frames, so stepping needs no server. Frames count from 1, as positions do.
"""

from dataclasses import dataclass

import numpy as np

from rcmviz.core.methods import MethodChoice
from rcmviz.ctc_decoding.contexts import FORGOTTEN, Prefixes
from rcmviz.ctc_decoding.replay import Replay
from rcmviz.ctc_decoding.words import OUTSET, WordSuffixes
from rcmviz.views.word.payload import digest, number

MOST_CELLS = 120_000  # frames by labels of the strip, which has two such tables
MOST_LABELS = 40  # rows of the strip
MOST_ROWS = 40_000  # contexts and candidates of all frames, about 50 bytes each
KEPT, OTHERS = 40, 12  # rows of one frame
LEAST = 0.01  # a label that is never more probable than this has no row of its own
BEST = 6  # outputs listed
LONGEST = 60  # characters of a title
TAIL = 24  # labels of a context that are written out
SEPARATORS = " ", "_", "|"
WHOLE = {0, 1}


def build_ctc(transcript, gold=None, *, separator=None, title=None, position=None, code=None):
    """Build the payload of the CTC view for a ``Transcript``.

    ``gold`` labels of the right output · ``separator`` the label between words, by default a blank, ``_`` or ``|``
    where that is a label · ``position`` the frame to open at · ``code`` shown by "show code". ValueError where no
    output is possible, a label is unknown, or there are too many frames to draw.
    """
    table = transcript.alignments
    most = MOST_ROWS // 10
    if table.frames > most:
        raise ValueError(f"{table.frames:,} frames are too many to step through: give at most {most:,}")
    if position is not None and not 1 <= position <= table.frames:
        raise ValueError(f"position {position}: choose 1 to {table.frames}")
    if separator is None:
        separator = next((one for one in SEPARATORS if one in transcript.label_names), None)
    outputs, best = transcript.nbest(BEST), transcript.best
    right = None if gold is None else _gold(transcript, tuple(gold))
    rows = _rows(transcript, best.labels + (tuple(gold) if right else ()))
    choice = MethodChoice(transcript.method, transcript.budget)
    replay, names = Replay(table), Names(transcript)
    payload = {
        "version": 1,
        "kind": "ctc",
        "title": title or _title(names.join(best.labels)),
        "T": table.frames,
        "method": choice.kind,
        "name": choice.name,
        "budget": choice.budget if choice.has_budget else None,
        "labels": [transcript.label_names[a] for a in rows],
        "unlisted": table.width - len(rows),
        "glue": names.glue,
        "separator": separator,
        "emit": _shares(table.scores.emit, rows),
        "posterior": _round_shares(table.symbols, rows),
        "best": _answer_payload(transcript, separator),
        "gold": right,
        "logZ": number(transcript.log_z),
        "proven": transcript.is_proven,
        "outputs": [[names.join(one.labels), number(one.confidence)] for one in outputs],
        "columns": _columns(transcript, replay, names),
        "code": code,
    }
    return payload | {"id": digest(payload), "position": position}


def _title(text):
    """The output, cut to the length of a title."""
    return text if 0 < len(text) <= LONGEST else text[:LONGEST] + "…" if text else "nothing"


class Names:
    """The names of contexts and outputs: ``*he`` if earlier labels are forgotten."""

    def __init__(self, transcript):
        self.names, self.labels = transcript.alignments.names, transcript.label_names
        self.glue = "" if all(len(label) == 1 for label in self.labels) else " "
        self.whole = isinstance(self.names, Prefixes)
        self.known = {}

    def join(self, labels):
        """Labels written together."""
        return self.glue.join(labels)

    def tail(self, numbers):
        """An output from the numbers of its labels; a long one is cut to its end."""
        shown = self.join(self.labels[a] for a in numbers[-TAIL:])
        return ("…" if len(numbers) > TAIL else "") + shown or "^"

    def contexts(self, keys):
        """The names of contexts, each written once however many frames have it."""
        keys = keys.tolist()
        new = [key for key in dict.fromkeys(keys) if key not in self.known]
        self.known |= zip(new, self._context_names(new), strict=True)
        return [self.known[key] for key in keys]

    def _context_names(self, keys):
        if self.whole:
            return [self.tail(self.names.spelt(key, TAIL + 1)) for key in keys]
        if isinstance(self.names, WordSuffixes):
            return [self._word_context_name(key) for key in keys]
        return [self._suffix(history) for history in self.names.histories(np.array(keys, np.int64)).tolist()]

    def _word_context_name(self, key):
        """``*_the_c``, ``^the_c`` from the beginning on, ``*c`` where the beginning of the word is not known."""
        spelt = self.names.spelt(key)
        before = spelt.before
        if spelt.letters is None:
            return OUTSET
        separator, begins = self.labels[self.names.separator], before[:1] == [OUTSET]
        word = ("" if spelt.is_whole else "*") + self.join(self.labels[a] for a in spelt.letters)
        text = separator.join([*before[begins:], word])
        if begins:
            return OUTSET + (text or separator)
        return ("*" + separator if before or spelt.is_whole else "") + text

    def _suffix(self, history):
        known = [a for a in history if a != FORGOTTEN]
        if known[0] == len(self.labels):
            return self.tail(known[1:])
        return "*" + self.join(self.labels[a] for a in known)


def _rows(transcript, wanted):
    """Numbers of the labels with a row, in order: those probable at some frame, at most ``MOST_LABELS``."""
    table = transcript.alignments
    highest = np.maximum(_normalise(table.scores.emit), table.symbols)[:, :-1].max(axis=0)
    for label in wanted:
        highest[transcript.label_names.index(label)] += 1.0
    most = min(MOST_LABELS, max(1, MOST_CELLS // table.frames - 1))
    ranked = np.argsort(-highest, kind="stable")[:most]
    return sorted(ranked[highest[ranked] >= LEAST].tolist()) or [0]


def _normalise(emit):
    """Logs (T, V + 1) as shares of their frame."""
    highest = emit.max(axis=1, keepdims=True)
    shares = np.exp(emit - np.where(np.isfinite(highest), highest, 0.0))
    return shares / np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(float).tiny)


def _shares(emit, rows):
    return _round_shares(_normalise(emit), rows)


def _round_shares(shares, rows):
    """A row per label, the blank last, each a share per frame to a thousandth."""
    return [_brief_shares(shares[:, a], 3) for a in (*rows, -1)]


def _brief_shares(shares, digits=4):
    """Shares with few characters."""
    return [int(share) if share in WHOLE else share for share in np.round(shares, digits).tolist()]


def _brief_share(share):
    """A share with few characters."""
    return _brief_shares(np.array([share]))[0]


def _answer_payload(transcript, separator):
    """The best output: its labels with their frames and confidences, the words among them, its probability."""
    best, frames = transcript.best, transcript.frames.tolist()
    sure = transcript.confidences_of(best.labels).tolist()
    return {
        "labels": list(best.labels),
        "frames": frames,
        "sure": _brief_shares(sure),
        "words": _words(best.labels, frames, sure, separator),
        "confidence": number(best.confidence),
    }


@dataclass
class _Word:
    """A word so far: its labels, its first frame, the one after its last, its confidence, its first label."""

    labels: list
    start: int
    stop: int
    sure: float
    first: int


def _words(labels, frames, sure, separator):
    """``[text, first frame, the one after its last, confidence, its first label]`` of each word.

    The confidence of a word is that of its labels and its end, given the words before it. The product over all words is
    the confidence of the output.
    """
    words, carried = [], 1.0
    for j, (label, (start, stop), p) in enumerate(zip(labels, frames, sure, strict=False)):
        if label == separator:
            if words:
                words[-1].sure *= p
            else:
                carried *= p
        elif words and labels[j - 1] != separator:
            words[-1].labels.append(label)
            words[-1].stop, words[-1].sure = stop, words[-1].sure * p
        else:
            words.append(_Word([label], start, stop, carried * p, j))
            carried = 1.0
    if words:
        words[-1].sure *= sure[-1]
    glue = "" if all(len(label) == 1 for label in labels) else " "
    return [[glue.join(word.labels), word.start, word.stop, _brief_share(word.sure), word.first] for word in words]


def _gold(transcript, gold):
    """The right output, its probability, and the frame after which it was lost."""
    log_prob = transcript.log_prob(gold)
    lost = Replay(transcript.alignments).lost_at(_numbers(transcript, gold)) if log_prob == -np.inf else None
    return {"labels": list(gold), "logProb": number(log_prob), "right": gold == transcript.labels, "lost": lost}


def _numbers(transcript, labels):
    return tuple(transcript.label_names.index(label) for label in labels)


def _columns(transcript, replay, names):
    """The contexts, candidates and best output at each frame, from the first on."""
    table = transcript.alignments
    frames = range(1, table.frames + 1)
    of_frame = MOST_ROWS / table.frames
    limits = min(KEPT, max(6, int(of_frame * KEPT / (KEPT + OTHERS)))), min(OTHERS, max(4, int(of_frame / 5)))
    answer = np.array(_numbers(transcript, transcript.labels), np.int64)
    shown = np.full(table.frames, table.width)
    for label, (start, stop) in zip(answer.tolist(), transcript.frames.tolist(), strict=True):
        shown[start:stop] = label
    way = replay.way(shown.tolist())
    written = np.searchsorted(transcript.frames[:, 0], np.arange(table.frames))  # labels before each frame
    written = [*written[1:].tolist(), len(transcript.labels)]
    return [_column(replay, names, t, int(way[t]), answer[: written[t - 1]], limits) for t in frames]


def _column(replay, names, t, on, answer, limits):
    """Frame t: contexts, other candidates, and the best output so far."""
    table, column, found = replay.table, replay.column(t), replay.candidates(t)
    total = np.logaddexp.reduce(found.log_mass)
    kept = table.keys[found.into] == found.keys
    kept[found.into < 0] = False
    context = found.into - column.start
    joined = ~kept & (context >= 0)
    arrived = np.bincount(context[joined], np.exp(found.log_mass[joined] - total), column.stop - column.start)
    many = np.bincount(context[joined], minlength=column.stop - column.start)
    labels, share = replay.ahead(t)
    here = np.logaddexp.reduce(table.alpha[column], axis=None)
    mine = float(np.exp(replay.so_far(answer, t) - here))
    others = np.flatnonzero(~kept)
    return {
        "contexts": _contexts(table, names, column, total, (many, arrived), on, limits[0]),
        "others": _other_candidates(table, names, found, others, total, limits[1]),
        "count": column.stop - column.start,
        "seen": len(kept),
        "kept": int(kept.sum()),
        "moved": _brief_share(float(np.exp(found.log_mass[others] - total).sum())),
        "ahead": [names.tail(labels), _brief_share(share)],
        "answer": [names.tail(answer), _brief_share(mine)],
    }


def _contexts(table, names, column, total, arrivals, on, limit):
    """``[name, share, posterior, share that ends in a blank, number merged, their share, whether of the answer]``."""
    mass = np.logaddexp(table.alpha[column, 0], table.alpha[column, 1])
    ranked = np.argsort(-mass, kind="stable")
    shown = ranked[:limit]
    if on >= 0 and on - column.start not in shown:
        shown = np.append(shown[:-1], on - column.start)
    there, (many, arrived) = shown + column.start, arrivals
    ahead = np.logaddexp(*(table.alpha[there] + table.beta[there]).T) - table.log_z
    columns = (
        names.contexts(table.keys[there]),
        _brief_shares(np.exp(mass[shown] - total)),
        _brief_shares(np.exp(ahead)),
        _brief_shares(np.exp(table.alpha[there, 0] - mass[shown]), 3),
        many[shown].tolist(),
        _brief_shares(arrived[shown]),
        (there == on).astype(int).tolist(),
    )
    return [list(context) for context in zip(*columns, strict=True)]


def _other_candidates(table, names, found, others, total, limit):
    """``[name, share, the context that carries it or None]`` of the heaviest candidates without a context."""
    shown = others[np.argsort(-found.log_mass[others], kind="stable")[:limit]]
    into = found.into[shown]
    carriers = iter(names.contexts(table.keys[into[into >= 0]]))
    shares = _brief_shares(np.exp(found.log_mass[shown] - total))
    return [
        [name, share, next(carriers) if c >= 0 else None]
        for name, share, c in zip(names.contexts(found.keys[shown]), shares, into.tolist(), strict=True)
    ]
