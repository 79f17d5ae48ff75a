"""Sentences of a small grammar with a part of speech for each word: a tagged text that needs no download.

>>> tagged_sentences(1, seed=1)
[(('the', 'DET'), ('dog', 'NOUN'), ('barked', 'VERB'))]
"""

from functools import lru_cache

from rcmviz.tasks.decipher.grammar import sentences_by_rule

# What a word is, unless the rule that wrote it says otherwise; ``to`` is a tag of its own, as in treebanks.
_TAGS = """
ADJ: old little red new black big white heavy broken gone full happy tired ill hungry afraid late alone fast asleep long
ADJ: cold quiet many last
ADP: at near on behind under in into with of for after
ADV: always away back home not never too far yesterday very how why when where please
AUX: was is did do be were had
CONJ: and but because
DET: the a an this that my some every all
NAME: anna tom mary peter lucy
NOUN: apple apples baker bed bell birds boat boats bread brother book books boy cakes castle cat children chess church
NOUN: city clock coins country cup day dinner doctor dog door farmer father fire fish forest friday garden girl gold
NOUN: horse horses house island key king kitchen lamp letter letters man market midnight morning mother mountain night
NOUN: paper piano queen rice ring river sailor school sister snow soldier station summer sun table tea teacher thief
NOUN: times town train uncle walk water wind window woman
NUM: two three ten five one
PRON: she he i they we it everybody nobody nothing who what there
TO: to
VERB: saw took found lost gave played wanted rode lit drank loved wrote read opened closed locked ate cooked went came
VERB: walked ran returned see open eat take find drink play go wait said thought knew hope say raining barked baked
VERB: slept sailed taught fed blew fight stole rang lived ruled shining fell struck left sang burned made
"""
_ELSEWHERE = {("that", "SAYING"): "CONJ", ("when", "TWO"): "CONJ"}  # of (word, rule)


def tagged_sentences(number, seed=0):
    """``number`` sentences as tuples of (word, tag); the same seed gives the same ones."""
    tags = _tags()
    return [
        tuple((word, _ELSEWHERE.get((word, rule)) or tags[word]) for word, rule in sentence)
        for sentence in sentences_by_rule(number, seed)
    ]


@lru_cache(maxsize=1)
def _tags():
    """{word: tag}."""
    found = {}
    for line in _TAGS.strip().splitlines():
        tag, words = line.split(": ")
        found |= dict.fromkeys(words.split(), tag)
    return found
