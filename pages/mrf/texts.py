"""Training texts of Learning live: sentences of a small grammar, of Tatoeba, or a pasted text."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

import rcmviz as rv
from pages.shell.errors import NeedsInput
from pages.shell.uploads import Uploads, keep_latest
from rcmviz.core.shared.text_file import lines_of, unix_line_ends
from rcmviz.data.registry import need
from rcmviz.jobs.mrf import MrfText
from rcmviz.lm.text import read_sentences
from rcmviz.mrf.moments import count_moments
from rcmviz.mrf.vocabulary import NumberedText, Vocabulary, read_corpus
from rcmviz.tasks.decipher import grammar
from rcmviz.tasks.english import split_words

OWN = "own"  # the source of a pasted text
HELD_OUT = 0.1  # share of the text, its end
MOST_WORDS = 400  # of a vocabulary: the time of the exact held-out value is cubic in it
MOST_MAPPED = 16  # words of the map of pairs
MOST_CHARACTERS, MOST_UPLOADS = 1_000_000, 8
GONE = "this text is missing: each browser keeps its latest eight; paste it again"
UPLOADS = Uploads(lambda: _forget_texts())  # digest → text
NAMES = {"grammar": "a small grammar", "tatoeba": "Tatoeba", OWN: "your text"}


@dataclass(frozen=True, eq=False)
class LearntText:
    """A training text: its ``data``, its ``held_out`` sentences and its ``vocabulary``.

    ``lines`` [(name, nats per token)] are n-gram models of the same words; ``is_cut`` tells whether the rarest words
    are ``<unk>``.
    """

    data: MrfText
    held_out: NumberedText
    vocabulary: Vocabulary
    lines: tuple
    title: str
    is_cut: bool


def text_of(question):
    """Return the ``LearntText`` of a question; ValueError says what to do."""
    if question.source == OWN and question.upload:
        UPLOADS.need(question.upload, GONE)
    return _read_text(question.source, question.upload, question.sentences, question.neighbours)


def _forget_texts() -> None:
    _read_text.cache_clear()


@lru_cache(maxsize=4)
def _read_text(source, upload, number, order):
    text = _sentences(source, upload, number)
    vocabulary, corpus = read_corpus(text)
    is_cut = source != "grammar" and len(vocabulary) > MOST_WORDS
    if is_cut:
        vocabulary, corpus = read_corpus(text, MOST_WORDS)
    if len(corpus) < 2:
        raise ValueError("the text has one sentence: write a second one, on its own line, to be held out")
    learnt, held_out = corpus.cut(HELD_OUT)
    data = MrfText(*(count_moments([part], order, len(vocabulary)) for part in (learnt, held_out)))
    title = (
        f"{len(text):,} sentences of {NAMES[source]}, {len(vocabulary):,} words; training {data.moments.tokens:,} "
        f"tokens, held out {data.held_moments.tokens:,}"
    )
    lines = _ngram_lines(vocabulary, learnt, held_out, data.held_moments.tokens)
    return LearntText(data, held_out, vocabulary, lines, title, is_cut)


def _ngram_lines(vocabulary, learnt, held_out, tokens):
    """Return the held-out log-likelihood of bigrams and trigrams, per token of the ring."""
    learning, unseen = ([[vocabulary.words[w] for w in ids] for ids in part.sentences()] for part in (learnt, held_out))
    found = []
    for order, name in ((2, "bigram"), (3, "trigram")):
        lm = rv.train_lm(learning, order)
        found.append((name, float(lm.score(unseen).log_prob.sum()) / tokens))
    return tuple(found)


def _sentences(source, upload, number):
    if source == "grammar":
        return grammar.sentences(number)
    if source == OWN:
        return _own_sentences(upload)
    found = list(read_sentences(need("tatoeba")))  # sorted by length
    chosen = np.random.default_rng(0).permutation(len(found))[:number]
    return [split_words(" ".join(found[k])) for k in chosen]


def keep_text(text):
    """Read a pasted text, a sentence per line, and store it; returns its digest. ValueError says what is wrong."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"the text has {len(text):,} characters, at most {MOST_CHARACTERS:,} are allowed")
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    keep_latest(UPLOADS, digest, text, MOST_UPLOADS, lambda: _read_text(OWN, digest, 0, 1))
    return digest


def _own_sentences(digest):
    if not digest:
        raise NeedsInput("paste sentences, one per line, or choose a file, and press “Take this”", "content_paste")
    return [words for words in map(split_words, lines_of(unix_line_ends(UPLOADS.need(digest, GONE)))) if words]
