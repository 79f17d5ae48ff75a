"""Examine an ARPA file: its content, its faults, and the repairs on reading (docs/language-models.md)."""

import math
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np

from rcmviz.kernels.lm import ngrams as kernel
from rcmviz.lm.arpa import parse_bytes
from rcmviz.lm.arpa_bytes import MAX_BYTES, read_bytes
from rcmviz.lm.language_model import BEGIN, END, UNKNOWN
from rcmviz.lm.trie import prefix_rows, suffix_rows

SHARE = 0.01  # how far from 1 the probabilities of a context may sum: files have 4 to 7 digits
LOOK_UPS = 10_000_000  # of p(x | h) in all: 200 contexts of 50,000 words take a second or two
LEAST_CONTEXTS, SHOWN = 20, 5
ROUNDING = 1e-5  # of a log, which is a sum of float32
VERDICTS = {
    "counted_right": "counted right",
    "complete": "complete",
    "normalised": "normalised",
    "bounds_hold": "a table whose bounds hold",
}
# What a finding of ``Diagnosis.rows`` means, for a reader who meets it for the first time.
MEANINGS = {
    "file": "Where it is from, and how much it holds.",
    "order": "How many words the longest n-grams have: with order 3, a word is predicted from the two before it.",
    "words": "How many words the model knows. <s> begins a sentence, </s> ends it, <unk> represents all other words.",
    "n-grams": "How many rows of one word, of two words and so on the file lists.",
    "declared": "The head of the file says how many n-grams follow. Other numbers mean that rows were lost or added.",
    "without suffix": "Rows whose last words are not listed alone. A model that backs off asks for them, so "
    "reading adds them.",
    "without prefix": "Rows whose first words are not listed. Their history has no back-off weight of its own.",
    "back-offs above 1": "A back-off weight multiplies the probability that a shorter history gives. Above 1 it is "
    "allowed, but a bound that overlooks it is too low.",
    "sums of probabilities": "After every history the probabilities of all words should sum to 1.",
    "bounds as the file is": "A bound is the largest probability of a word over all longer histories. Adaptive "
    "rejection needs bounds that no listed row exceeds.",
    "repaired when read": "Rows that are added when the file is read. No probability changes by that, and the "
    "bounds are right afterwards.",
    "remark": "What was unusual in the file and was read all the same.",
}


@dataclass(frozen=True)
class Diagnosis:
    r"""Findings on an ARPA file; tuples by order unless noted.

    ``bytes`` unpacked · ``words`` in the vocabulary · ``declared`` and ``found`` n-grams · ``special`` {word: whether
    it exists} · ``without_suffix`` and ``without_prefix``: listed n-grams whose suffix (prefix) is not listed, with
    ``examples`` by finding · ``blanks`` missing suffixes that reading adds, so that bounds
    hold · ``positive_back_offs``, weights above 1 · ``contexts`` sampled and ``sums``, of those whose probabilities sum
    worst (context, sum) · ``violations`` of the bounds as the file is (Carter, Dymetman and Bouchard, 2012, eq. 8):
    listed n-grams above the bound that a shorter history gives, by up to ``excess`` nats · ``too_low`` bounds below the
    true maximum · ``remarks`` of the reader.
    """

    source: str
    bytes: int
    words: int
    declared: tuple
    found: tuple
    special: dict
    without_suffix: tuple
    without_prefix: tuple
    examples: dict
    blanks: tuple
    positive_back_offs: tuple
    contexts: int
    sums: tuple
    violations: int
    excess: float
    too_low: int
    remarks: tuple

    @property
    def order(self):
        """N, as the file declares it."""
        return len(self.declared)

    @property
    def counted_right(self):
        """Whether as many n-grams follow as are declared."""
        return self.declared == self.found

    @property
    def normalised(self):
        """Whether the probabilities after every sampled context sum to 1 within a hundredth."""
        return all(abs(total - 1.0) <= SHARE for _, total in self.sums)

    @property
    def bounds_hold(self):
        """Whether the maxima over listed n-grams bound every longer history, without repair."""
        return not self.violations and not self.too_low

    @property
    def complete(self):
        """Whether every prefix and suffix of a listed n-gram is listed."""
        return not any(self.without_suffix) and not any(self.without_prefix)

    @property
    def sound(self):
        """Whether the file is as it should be: all of ``VERDICTS``."""
        return all(getattr(self, name) for name in VERDICTS)

    def to_dict(self):
        """The fields and verdicts as plain values, ready for JSON; an excess without end is None."""
        verdicts = {name: getattr(self, name) for name in (*VERDICTS, "sound")}
        excess = self.excess if math.isfinite(self.excess) else None
        return asdict(self) | {"order": self.order, "excess": excess} | verdicts

    def rows(self):
        """The findings as ``(what, finding)`` pairs of text, for a table."""
        absent = [word for word, there in self.special.items() if not there]
        return [
            ("file", f"{self.source} · {self.bytes / 1e6:,.1f} MB unpacked"),
            ("order", f"{self.order}"),
            ("words", f"{self.words:,}" + (f" · without {', '.join(absent)}" if absent else "")),
            ("n-grams", _counts_text(self.found)),
            ("declared", "as many" if self.counted_right else _counts_text(self.declared)),
            ("without suffix", self._missing_text("without_suffix")),
            ("without prefix", self._missing_text("without_prefix")),
            ("back-offs above 1", _counts_text(self.positive_back_offs)),
            ("sums of probabilities", self._sums()),
            ("bounds as the file is", self._bounds()),
            ("repaired when read", f"{_counts_text(self.blanks)} blanks" if any(self.blanks) else "nothing"),
            *(("remark", remark) for remark in self.remarks),
            ("verdict", "sound" if self.sound else f"usable, but not {', not '.join(self._failed_sentences())}"),
        ]

    def pointed_at(self):
        """The n-grams that a finding of ``rows`` can be seen at, by its name; few of each."""
        worst = [context for context, total in self.sums if context and abs(total - 1.0) > SHARE]
        found = {name.replace("_", " "): self.examples[name] for name in ("without_suffix", "without_prefix")}
        found |= {"back-offs above 1": self.examples["positive_back_offs"], "sums of probabilities": worst}
        found |= {"bounds as the file is": self.examples["violations"]}
        return {name: [tuple(gram) for gram in grams] for name, grams in found.items() if grams}

    def _missing_text(self, name):
        examples = ", ".join(" ".join(gram) for gram in self.examples[name])
        return _counts_text(getattr(self, name)) + (f" · such as {examples}" if examples else "")

    def _bounds(self):
        if self.bounds_hold:
            return "holds"
        above = f"{self.violations:,} n-grams exceed it by up to {self.excess:.3g} nats; " if self.violations else ""
        return f"{above}{self.too_low:,} bounds are below the true maximum"

    def _failed_sentences(self):
        return [sentence for name, sentence in VERDICTS.items() if not getattr(self, name)]

    def _sums(self):
        if self.normalised:
            return f"1 within {SHARE:.0%} after every context sampled, {self.contexts} in all"
        worst = ", ".join(f"{total:.4g} after ({' '.join(context)})" for context, total in self.sums)
        return f"of {self.contexts} contexts sampled the worst are {worst}"


def _counts_text(counts):
    return " + ".join(f"{count:,}" for count in counts) if any(counts) else "none"


def check_arpa(path, *, contexts=200, seed=0, max_bytes=MAX_BYTES):
    """Examine an ARPA file, plain or gzip → ``Diagnosis``; the same seed samples the same contexts.

    Counts that differ from the declared ones are a finding here. ValueError, with file and line, if it is no ARPA
    file or an incomplete one.
    """
    return examine(parse_bytes(read_bytes(path, max_bytes), any_counts=True), contexts, seed)


def examine(file, contexts=200, seed=0):
    """The ``Diagnosis`` of an ``ArpaFile``."""
    model = file.to_model()
    rows = _TrieRows(model)
    suffix = rows.longer & ~rows.listed[rows.parent]
    prefix = rows.longer & ((rows.prefix < 0) | ~rows.listed[rows.prefix])
    positive = model.trie.back_off > 0.0
    above, bounds = _bounds(model.trie, rows)
    masks = {"without_suffix": suffix, "without_prefix": prefix, "positive_back_offs": positive, "violations": above}
    return Diagnosis(
        source=file.source,
        bytes=file.size,
        words=len(file.vocabulary),
        declared=file.declared,
        found=file.counts,
        special={word: word in file.vocabulary for word in (BEGIN, END, UNKNOWN)},
        without_suffix=rows.by_order(suffix),
        without_prefix=rows.by_order(prefix),
        examples={name: rows.spelled(mask) for name, mask in masks.items()},
        blanks=rows.by_order(~rows.listed),
        positive_back_offs=rows.by_order(positive),
        **_sampled_sums(model, rows, contexts, seed),
        **bounds,
        remarks=file.remarks,
    )


class _TrieRows:
    """The rows of a trie (M,): which are ``listed``, which of them have two words or more (``longer``), and the rows of
    their suffix, ``parent``, and ``prefix``, −1 for none."""

    def __init__(self, model):
        self.model = model
        self.level, word, first = model.trie.level, model.trie.word, model.trie.first
        self.listed = np.ones(len(word), bool)
        self.listed[model.trie.blanks] = False
        self.longer = self.listed & (np.arange(len(word)) >= self.level[1])
        self.parent = suffix_rows(self.level, first)
        self.prefix = prefix_rows(self.level, word, self.parent)

    def by_order(self, mask):
        """The number of rows of each order."""
        return tuple(int(np.count_nonzero(mask[start:stop])) for start, stop in pairwise(self.level))

    def spelled(self, mask):
        """The words of the first few rows of a mask."""
        return [self.words(row) for row in np.flatnonzero(mask)[:SHOWN]]

    def words(self, row):
        """The words of one row, oldest first."""
        words = []
        while row >= 0:
            words.append(self.model.vocabulary[self.model.trie.word[row]])
            row = self.parent[row]
        return tuple(words)


def _sampled_sums(model, rows, contexts, seed):
    """Σ p(x | h) over the vocabulary without ``<s>``, for the empty context and a sample of the listed ones."""
    words = np.array([w for w in range(len(model.vocabulary)) if w != model.begin], np.int32)
    most = min(contexts, max(LEAST_CONTEXTS, LOOK_UPS // max(len(words), 1)))
    inner = np.flatnonzero(rows.listed[: rows.level[-2]]) if model.order > 1 else np.zeros(0, int)
    drawn = np.random.default_rng(seed).choice(inner, min(most, len(inner)), replace=False)
    histories = [(), *(h for row in np.sort(drawn) if (h := rows.words(row))[-1] != END)]
    scores, sums = np.empty(len(words)), []
    for history in histories:
        ids = model.ids(history)
        kernel.fill_log_probs(model.trie.arrays, ids, 0, len(ids), words, 1.0, scores)
        sums.append((history, float(np.exp(scores).sum())))
    worst = sorted(sums, key=lambda pair: -abs(pair[1] - 1.0))[:SHOWN]
    return {"contexts": len(sums), "sums": tuple(worst)}


def _bounds(trie, rows):
    """Whether each row (M,) exceeds the bounds of the listed n-grams alone, and the counts with the exact maxima."""
    highest, ahead = _listed_maxima(trie, rows)
    beyond = np.where(rows.prefix >= 0, ahead[rows.prefix], 0.0)
    bound = np.where(rows.listed, highest, trie.log_prob + beyond)
    lowest = bound.copy()  # over the n-gram and all its suffixes
    for start, stop in pairwise(rows.level[1:]):
        lowest[start:stop] = np.minimum(bound[start:stop], lowest[rows.parent[start:stop]])
    shorter = np.where(rows.longer, lowest[rows.parent], np.inf)
    above = _excess(trie.log_prob, shorter)
    too_low = np.count_nonzero(_excess(trie.max_log, bound)) + np.count_nonzero(_excess(trie.max_back, ahead))
    return above > 0.0, {
        "violations": int(np.count_nonzero(above)),
        "excess": float(above.max(initial=0.0)),
        "too_low": int(too_low),
    }


def _listed_maxima(trie, rows):
    """``(mf, mbow)`` as the paper states them: maxima over the n-grams that are listed; blanks are passed over."""
    highest, ahead = trie.log_prob.astype(float), np.zeros(len(trie.word))
    for order in range(len(rows.level) - 1, 1, -1):
        start, stop = rows.level[order - 1 : order + 1]
        longer = start + np.flatnonzero(rows.longer[start:stop] & rows.listed[rows.parent[start:stop]])
        np.maximum.at(highest, rows.parent[longer], highest[longer])
        np.maximum.at(ahead, rows.parent[longer], trie.back_off[longer] + ahead[longer])
    return highest, ahead


def _excess(values, bound):
    """Excess of each value over its bound, 0 if it is not above or only by rounding."""
    with np.errstate(invalid="ignore"):
        above = values - bound  # −inf − −inf is no excess
        return np.where(above > ROUNDING * (1.0 + np.abs(values)), above, 0.0)
