"""Part-of-speech tagging: a language model over tags, and how well each tag explains each word (TnT, Brants 2000).

>>> tagger = Tagger.fit([(["the", "dog", "barks"], ["D", "N", "V"]), (["a", "cat", "sees"], ["D", "N", "V"])])
>>> tagger.tag(["the", "cat", "barks"]).tags
('D', 'N', 'V')
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from rcmviz.core.shared import checks
from rcmviz.core.shared.frozen import CopyableMixin
from rcmviz.core.shared.npz import check_parts, head_text, pack_text, read_head, read_npz, unpack_text, write_npz
from rcmviz.core.shared.text_file import Entries
from rcmviz.evaluation.tagging import tag_accuracy
from rcmviz.lm.language_model import LanguageModel
from rcmviz.lm.shorten import ngram_tables, shorten
from rcmviz.lm.table import NgramTable
from rcmviz.lm.train import train_lm
from rcmviz.sequences.file import read_sequences
from rcmviz.tasks.decoding import decode
from rcmviz.tasks.tagging.suffix_emissions import BLEND, PRUNE, THETA, SuffixEmissions

FORMAT, VERSION = "rcmviz/tagger", 1
ORDER = 3
CUTOFFS = (0, 0, 0, 0, 1)  # perplexity of nine-grams on UD-EWT's dev part 13.96 → 11.54, and a fifth of the n-grams
COLUMNS = {"upos": "4", "xpos": "5"}  # of CoNLL-U


@dataclass(frozen=True)
class Tagging:
    """``words`` and their ``tags`` · ``known`` whether a word was seen in training · ``log_score`` log p(words, tags) ·
    ``gap`` 0.0 where the tags are proved to be the best, None where the method proves nothing.
    """

    words: tuple
    tags: tuple
    known: tuple
    log_score: float
    gap: float | None


@dataclass(frozen=True, eq=False)
class Tagger(CopyableMixin):
    """``emissions`` of words by tags · ``lm`` over tags, Witten–Bell, whose lower orders are models themselves ·
    ``info`` where it comes from.
    """

    emissions: SuffixEmissions
    lm: LanguageModel
    info: dict = field(default_factory=dict)

    @classmethod
    def fit(cls, sentences, order=ORDER, *, cutoffs=CUTOFFS, theta=THETA, blend=BLEND, info=None):
        """Learn from ``sentences``, pairs (words, tags) as ``read_tagged`` gives them.

        ``order`` the highest one, 1 to 9 · ``cutoffs`` of tag n-grams as in ``rv.train_lm`` · ``theta``, ``blend`` of
        the endings (``suffix_emissions.py``; None and 0 are TnT as published). ValueError as for ``train_lm``.
        """
        sentences = list(sentences)
        emissions = SuffixEmissions.fit(sentences, theta=theta, blend=blend)
        lm = train_lm((tags for _, tags in sentences), order, "witten-bell", tuple(cutoffs[:order]), unknown=False)
        return cls(emissions, lm, dict(info or {}))

    def __repr__(self):
        return f"<Tagger: {len(self.emissions.tags):,} tags, {self.lm!r}>"

    @cached_property
    def _by_order(self):
        return {}

    def lm_of(self, order=None):
        """The tag model of this order; ValueError if it is higher than the learnt one."""
        order = min(ORDER, self.lm.order) if order is None else order
        if order not in self._by_order:
            self._by_order[order] = shorten(self.lm, order)
        return self._by_order[order]

    def candidates(self, words, prune=PRUNE):
        """(tags that each word can have, log p(word | tag) of each): what ``rv.HMM`` takes.

        ``prune``: see ``SuffixEmissions.candidates``. ValueError for a sentence without words, or an empty word.
        """
        is_list = not isinstance(words, str) and hasattr(words, "__len__")
        if not is_list or not len(words) or not all(isinstance(word, str) and word for word in words):
            raise ValueError("give a sentence as a list of words, at least one and none of them empty")
        rows = [self.emissions.candidates(word, prune) for word in words]
        return [tags for tags, _ in rows], [log_obs for _, log_obs in rows]

    def hmm(self, words, order=None, prune=PRUNE, **options):
        """The sentence as ``rv.HMM(lm, candidates, log_obs, …)``, which all builders take."""
        from rcmviz.lm.hmm import HMM

        return HMM(self.lm_of(order), *self.candidates(words, prune), **options)

    def tag(self, words, order=None, method="ars", *, budget=20, prune=PRUNE):
        """The best tags of a sentence as ``Tagging``; ``method`` ars, exact, or by ``budget`` beam and rcms."""
        best = decode(self.hmm(words, order, prune), method, budget=budget).best
        return Tagging(tuple(words), best.words, tuple(map(self.emissions.knows, words)), best.log_score, best.gap)

    def marginals(self, words, order=None, *, n=1000, seed=0, prune=PRUNE):
        """Per word its tags and their shares among ``n`` exact samples, the most frequent first: [[(tag, share)]]."""
        from rcmviz.ars.decode import ars_sample

        draws, _ = ars_sample(self.hmm(words, order, prune), n, seed, record=False)
        columns = zip(*draws.words, strict=True)
        return [[(tag, count / len(draws.words)) for tag, count in Counter(column).most_common()] for column in columns]

    def accuracy(self, sentences, order=None, method="ars", **options):
        """Accuracy on the gold tags of ``sentences``, a ``TagAccuracy``; options as for ``tag``."""
        right, known = [], []
        for words, gold in sentences:
            found = self.tag(words, order, method, **options)
            right += [tag == wanted for tag, wanted in zip(found.tags, gold, strict=True)]
            known += found.known
        return tag_accuracy(right, known)

    def save(self, path):
        """Write the tagger as npz without pickle, whole or not at all; OSError if it cannot be written."""
        emissions, tables = self.emissions, ngram_tables(self.lm)
        header = {
            "format": FORMAT,
            "version": VERSION,
            "order": self.lm.order,
            "tags": emissions.tags,
            "vocabulary": self.lm.vocabulary,
            "theta": emissions.theta,
            "blend": emissions.blend,
            "info": self.info,
            "lm_info": self.lm.info,
        }
        arrays = {"header": pack_text(head_text(header)), "words": pack_text("\n".join(emissions.words))}
        arrays |= {name: getattr(emissions, name) for name in ("offset", "tag", "count")}
        for k, table in enumerate(tables, start=1):
            arrays |= {f"ngrams_{k}": table.words.astype(np.uint16), f"log_prob_{k}": table.log_prob.astype(np.float32)}
            arrays[f"back_off_{k}"] = table.back_off.astype(np.float32)
        write_npz(path, arrays, compressed=True)

    @classmethod
    def load(cls, path):
        """Read what ``save`` wrote; ValueError names the file and its fault."""
        remedy = "make it again with `rcmviz tagger train` or Tagger.save"
        arrays = read_npz(path, "tagger", remedy)
        with check_parts(path, "tagger of rcmviz", remedy):
            return cls(*_parts(arrays))


def _parts(arrays):
    """Emissions, tag model and info of the arrays of a file."""
    header, words = read_head(arrays["header"], FORMAT, VERSION), tuple(unpack_text(arrays["words"]).split("\n"))
    counts = (arrays[name] for name in ("offset", "tag", "count"))
    emissions = SuffixEmissions(tuple(header["tags"]), words, *counts, header["theta"], header["blend"])
    tables = [
        NgramTable(arrays[f"ngrams_{k}"], arrays[f"log_prob_{k}"], arrays[f"back_off_{k}"])
        for k in range(1, header["order"] + 1)
    ]
    lm = LanguageModel.from_tables(header["vocabulary"], tables, header.get("lm_info"))
    return emissions, lm, dict(header["info"])


def read_tagged(path, tags="xpos"):
    """Tagged sentences of a CoNLL-U file, plain or gzip: pairs (words, tags); ``remarks`` of the list count the
    comments and rows that are skipped.

    ``tags``: xpos, the treebank's own, or upos, the universal ones. ValueError names the file and the line.
    """
    checks.choice("tags", tags, COLUMNS, f"choose {', '.join(COLUMNS)}")
    if not Path(path).name.removesuffix(".gz").endswith(".conllu"):
        raise ValueError(f"{path}: tagged sentences are read from CoNLL-U; give a file that ends in .conllu")
    file = read_sequences(path, label=COLUMNS[tags], token="2")
    for number, found in enumerate(file.y):
        if "_" in found:
            line = file.lines[number][found.index("_")]
            raise ValueError(f"{path}, line {line}: the word has no {tags.upper()} tag; try the other kind of tags")
    return Entries(((file.column("2", number), found) for number, found in enumerate(file.y)), file.remarks)
