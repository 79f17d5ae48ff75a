"""Messages typed on a phone's keypad and read by a Markov field, which knows what comes behind a word too.

>>> import rcmviz as rv
>>> text = ["the cat sat", "the dog sat", "a dog ran"] * 3
>>> field = rv.MarkovField(size=None, order=2, rank=2, held_out=0.0, max_steps=30).fit(text)
>>> message, hmm = read_with_field(field, "the _ ran")
>>> message.keys, rv.ars_decode(hmm)[0].words
(('843', '_', '726'), ('the', 'dog', 'ran'))
"""

import numpy as np

from rcmviz.mrf.vocabulary import BLANK, LONE_BLANK
from rcmviz.tasks.sms.messages import Message, read_text

MOST = 30


class MrfWords:
    """The words of a field, as ``read_text`` asks a language model for them."""

    def __init__(self, field):
        self.vocabulary, self.unknown = field.words, field.vocabulary_.unknown
        self.units, self.split = field.vocabulary_.units, field.split
        self.begin = self.end = 0
        with np.errstate(divide="ignore"):
            self._log_share = np.log(np.array(field.counts_, np.float64) / np.sum(field.counts_))

    def word_id(self, word):
        """Its number; −1 for a word that is not listed."""
        return self.vocabulary.index(word) if word in self.vocabulary else -1

    def log_prob(self, word):
        """By the words' frequencies."""
        return float(self._log_share[self.word_id(word)])


def read_with_field(field, text, *, most=MOST, seed=None):
    """(``Message``, HMM of the field) of a text as it would be typed; at most one word is a blank, ``_``.

    Nothing is typed in a blank: its candidates are the ``most`` likeliest words between its neighbours. Of other words
    they are the ``most`` that make the keys likeliest; with a ``seed`` the fingers slip. ValueError as for
    ``read_text``, and for two blanks.
    """
    if not text.strip():
        raise ValueError("the message is empty; type a few words")
    texts, listed = LONE_BLANK.split(text), MrfWords(field)
    if len(texts) > 2:
        raise ValueError(f"there are {len(texts) - 1} blanks: leave one `{BLANK}`")
    sides = [read_text(listed, side, most=most, seed=seed) if side.strip() else Message((), (), ()) for side in texts]
    sides += [Message((), (), ())] * (2 - len(texts))
    blank = _blank(field, *sides, most) if len(texts) == 2 else Message((), (), ())
    parts = [sides[0], blank, sides[1]]
    message = Message(
        *(
            sum((getattr(part, name) for part in parts), ())
            for name in ("keys", "candidates", "log_obs", "meant", "unknown")
        )
    )
    return message, field.hmm(message.candidates, message.log_obs)


def _blank(field, left, right, most):
    likeliest = field.fill(left.meant, right.meant, most + 1)
    words = tuple(word for word, _ in likeliest if word != "<unk>")[:most]
    return Message((BLANK,), (words,), (np.zeros(len(words)),), (None,))
