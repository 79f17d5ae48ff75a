"""Sentences of a small grammar, drawn with a seed: a text that needs no download.

A rule is a line ``NAME: first way | second way``; a capitalised word is another rule. Earlier ways are likelier, the
k-th in proportion to 1/k, so that the words have a long tail as those of a language do.
"""

from bisect import bisect
from functools import lru_cache

import numpy as np

_RULES = """
S: STATEMENT | STATEMENT | QUESTION | TWO | ORDER | TIME STATEMENT | SAYING
STATEMENT: PERSON DEED | PERSON DEED PLACE | PERSON WENT GOAL | THING WAS STATE | PERSON WAS MOOD | THERE | OWN
TWO: STATEMENT and STATEMENT | STATEMENT but STATEMENT | STATEMENT because STATEMENT | when STATEMENT STATEMENT
QUESTION: did PERSON WISH | where was THING | who DEED | was PERSON MOOD | why did PERSON WISH | what did PERSON say
QUESTION: how many MANY did PERSON see | when did PERSON go GOAL
ORDER: please WISH | do not WISH | go GOAL | never WISH PLACE | be quiet | wait for PERSON
SAYING: PERSON said that STATEMENT | PERSON thought that STATEMENT | nobody knew that STATEMENT | i hope that STATEMENT
THERE: there was a NOUN PLACE | there were NUMBER MANY PLACE | it was raining | it was very cold PLACE
OWN: the dog barked | the dog barked at PERSON | the baker baked NUMBER cakes | the cat slept on the table
OWN: the sailor sailed to the island | the teacher taught NUMBER children | the farmer fed the horse | the wind blew
OWN: the doctor came too late | the soldier had to fight | the thief stole the ring | the bell rang at midnight
OWN: the queen lived in a castle | the king ruled the country | the sun was shining | snow fell on the mountain
OWN: the clock struck NUMBER times | the train left the station | the birds sang | the fire burned all night
TIME: yesterday | in the morning | last night | one day | after dinner | every summer | on friday
PERSON: she | he | i | they | the HUMAN | NAME | we | my RELATIVE | NAME and NAME | an old HUMAN | everybody
NAME: anna | tom | mary | peter | lucy
RELATIVE: mother | father | sister | brother | uncle
HUMAN: man | woman | boy | girl | teacher | doctor | farmer
NOUN: house | book | letter | dog | door | boat | horse | key
THING: the NOUN | the ADJECTIVE NOUN | this NOUN | my NOUN | the NOUN of the HUMAN | that NOUN
MANY: books | letters | apples | horses | boats | coins
NUMBER: two | three | some | many | ten | five
ADJECTIVE: old | little | red | new | black | big | white
DEED: saw THING | READ | OPENED | ATE | took THING | found it | lost THING | gave PERSON a NOUN | played PLAY
DEED: wanted to WISH | rode a horse | lit the lamp | drank a cup of tea | loved PERSON | wrote a long letter
WISH: see THING | read a book | open the door | eat an apple | take it | find THING | drink some water | play PLAY
READ: read a book | read the letter | read NUMBER books | read the paper
OPENED: opened the door | opened the window | closed the door | locked the door with a key
ATE: ate an apple | ate some bread | ate fish and rice | ate nothing | cooked dinner
PLAY: the piano | chess | with NAME | in the garden
WENT: went | came | walked | ran back | returned
GOAL: home | to school | to the NEAR | to church | into the NEAR | to bed | for a walk
PLACE: in the NEAR | near the river | on the table | at home | behind the house | under the bed | with NAME
NEAR: house | town | garden | forest | kitchen | market | city
STATE: ADJECTIVE | very ADJECTIVE | too heavy | PLACE | broken | gone | too far away | made of gold | full of coins
MOOD: happy | tired | ill | very happy | hungry | afraid of the dog | late for school | alone | fast asleep
WAS: was | is | was not | is always
"""


@lru_cache(maxsize=1)
def _rules():
    """{name: (ways as tuples of words, their probabilities summed up)}."""
    ways = {}
    for line in _RULES.strip().splitlines():
        name, rest = line.split(": ")
        ways.setdefault(name, []).extend(tuple(way.split()) for way in rest.split(" | "))
    shares = {name: 1 / np.arange(1, len(found) + 1) for name, found in ways.items()}
    sums = {name: (share / share.sum()).cumsum() for name, share in shares.items()}
    return {name: (found, (sums[name] / sums[name][-1]).tolist()) for name, found in ways.items()}


def sentences(number, seed=0):
    """``number`` sentences as tuples of words; the same seed gives the same ones.

    >>> [" ".join(sentence) for sentence in sentences(2, seed=1)]
    ['the dog barked', 'he said that he is happy']
    """
    return [tuple(word for word, _ in sentence) for sentence in sentences_by_rule(number, seed)]


def sentences_by_rule(number, seed=0):
    """The same sentences as tuples of (word, name of the rule that wrote it).

    >>> sentences_by_rule(2, seed=1)[1][:3]
    (('he', 'PERSON'), ('said', 'SAYING'), ('that', 'SAYING'))
    """
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(number):
        words, rules = zip(*_expand_rule("S", rng), strict=True)
        found.append(tuple(zip(_use_an(words), rules, strict=True)))
    return found


def _expand_rule(name, rng):
    """(word, rule) one after the other."""
    ways, sums = _rules()[name]
    for word in ways[bisect(sums, rng.random())]:  # what rng.choice draws, which looks at all probabilities every time
        if word in _rules():
            yield from _expand_rule(word, rng)
        else:
            yield word, name


def _use_an(words):
    """``a`` before a vowel is ``an``."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        yield "an" if word == "a" and following[:1] in tuple("aeiou") else word
