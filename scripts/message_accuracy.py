"""Accuracy of the shipped language model on held-out messages typed on a phone: the table of its card.

First `python scripts/english_text.py english-text`, then `python scripts/message_accuracy.py english-text`.
"""

import sys
from itertools import islice
from pathlib import Path

import numpy as np

import rcmviz as rv
from rcmviz.lm.text import read_sentences
from rcmviz.tasks.sms.messages import read_text

MESSAGES, LONGEST = 500, 12


def main(folder):
    """Print words and messages right and rounds of ARS, without slips and with them."""
    lm = rv.load_lm("lm-english-words")
    short = (words for words in read_sentences(folder / "words-held-out.txt") if len(words) <= LONGEST)
    texts = [" ".join(words) for words in islice(short, MESSAGES)]
    for name, seeds in (("without a slip", [None] * MESSAGES), ("fingers slip", range(1000, 1000 + MESSAGES))):
        right, rounds = [], []
        for text, seed in zip(texts, seeds, strict=True):
            message = read_text(lm, text, seed=seed)
            best, _ = rv.ars_decode(message.hmm(lm), record=False)
            right.append([found == meant for found, meant in zip(best.words, message.meant, strict=True)])
            rounds.append(best.iterations)
        words, messages = np.mean(np.concatenate(right)), np.mean([all(row) for row in right])
        mean, median = np.mean(rounds), np.median(rounds)
        print(f"{name}: words {words:.3f}, messages {messages:.3f}, rounds {mean:.0f} ({median:.0f})")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
