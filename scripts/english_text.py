"""Write the training and test texts of the shipped language models: Tatoeba, split into words.

`python scripts/english_text.py english-text`; models/lm-english-*.md give the next steps. Sentences that are equal once
they are split into words count once; of the rest, shuffled, every 20th is held out.
"""

import re
import sys
import unicodedata
from pathlib import Path

import numpy as np

from rcmviz.data.registry import need
from rcmviz.lm.text import read_sentences
from rcmviz.tasks.english import split_words

SEED, HELD_OUT = 0, 20


def main(folder):
    """Write words.txt and letters.txt with their held-out parts into the folder."""
    lines = map(" ".join, read_sentences(need("tatoeba")))
    sentences = list(dict.fromkeys(" ".join(split_words(line)) for line in lines))
    order = np.random.default_rng(SEED).permutation(len(sentences))
    held_out = {int(k) for k in order[::HELD_OUT]}
    folder.mkdir(parents=True, exist_ok=True)
    for name, spelt in (("words", str), ("letters", only_letters)):
        for ending, chosen in (("", [k for k in order if k not in held_out]), ("-held-out", order[::HELD_OUT])):
            lines = [line for line in (spelt(sentences[k]) for k in chosen) if line]
            target = folder / f"{name}{ending}.txt"
            target.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            print(f"{target}: {len(lines):,} sentences")


def only_letters(sentence):
    """a to z and blanks: accents and apostrophes go, words with other characters too."""
    plain = unicodedata.normalize("NFKD", sentence.replace("'", "").replace("-", " "))
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    return " ".join(re.findall(r"(?<!\S)[a-z]+(?!\S)", plain))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
