"""Files offered next to the upload box: a small sample, and an empty template."""

from itertools import islice, product

SAMPLE_NAME, TEMPLATE_NAME = "sample.conll", "template.csv"
SENTENCES = 120
# Words such as "saw" and "fish" are nouns here and verbs there, depending on the previous word.
WHO = ("they P", "we P", "the D man N", "a D dog N", "the D old A man N", "people N", "the D fish N")
DOES = ("saw V", "watch V", "train V", "fish V", "book V", "man V", "park V", "plant V")
WHAT = ("the D boats N", "a D saw N", "the D watch N", "an D old A train N", "people N", "a D plant N", "the D park N")
WHERE = ("", "in I the D park N", "on I a D train N", "with I the D old A saw N")


def sample_text():
    """Return tagged sentences as CoNLL columns.

    >>> sample_text().splitlines()[:4]
    ['they P', 'saw V', 'the D', 'boats N']
    """
    every = 13  # step through the combinations, so that each word occurs
    chosen = islice(product(WHO, DOES, WHAT, WHERE), 0, every * SENTENCES, every)
    return "\n".join(_columns(" ".join(part for part in parts if part)) for parts in chosen)


def _columns(sentence):
    words = sentence.split()
    return "".join(f"{word} {tag}\n" for word, tag in zip(words[::2], words[1::2], strict=True))


def template_text():
    """Return the header of a CSV and two short sequences as placeholders."""
    return "sequence,token,label\n1,write,your\n1,tokens,labels\n1,here,here\n2,a second,your\n2,sequence,labels\n"
