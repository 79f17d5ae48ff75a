"""SMS retrieval as Carter, Dymetman and Bouchard (2012) measured it: text, language models, messages, and the runs.

Europarl's lines, lower-cased, marks of punctuation as words: the first nine tenths are learnt from, messages come from
the last one. A cell is given a spec, a dict that JSON can write, and returns such a dict. Where Europarl is not at hand
the shipped model of words takes its place, with sentences drawn from it.
"""

from functools import lru_cache
from math import log
from sys import intern

import numpy as np

from rcmviz.ars.decode import ars_decode, ars_sample
from rcmviz.data.registry import need
from rcmviz.experiments.measures import summaries, time_task
from rcmviz.lm.language_model import LanguageModel
from rcmviz.lm.shipped import load_lm
from rcmviz.lm.shorten import shorten
from rcmviz.lm.text import read_sentences
from rcmviz.lm.train import train_lm
from rcmviz.tasks.sms import keypad
from rcmviz.tasks.sms import messages as sms

LEARNT, VOCABULARY = 0.9, 10_000
CUT, FULL = (0, 0, 1), (0,)  # without the n-grams of three words and more that occur once, and with them
ORDERS = {"europarl": (3, 4, 5), "shipped": (2, 3)}
SHIPPED = "lm-english-words"
DESCRIBED = {
    "europarl": "Europarl (90 % of the lines learnt from, lower case, the 10,000 most frequent words, modified "
    "Kneser–Ney)",
    "shipped": f"sentences drawn from {SHIPPED}, the shipped model (not the paper's data: its numbers are for "
    "Europarl)",
}
DIGITS = "3637 843 66639 39478 *"  # the paper's example
TEMPERATURES = {"1, natural logs": 1.0, "ln 10, log10 scores read as natural logs": log(10)}
MOST, BATCH, STOP = 100, 100, 0.2  # of sampling: candidates per position, trials before q is refined, AR-100 to reach


@lru_cache(maxsize=1)
def lines() -> list[list[str]]:
    """Europarl's lines as lower-case words; ValueError, with what to do, where it is not on this machine."""
    return [[intern(word.lower()) for word in line] for line in read_sentences(need("europarl"))]


def _training_size():
    return int(LEARNT * len(lines()))


@lru_cache(maxsize=2)
def language_model(data: str, order: int, cutoffs: tuple = CUT) -> LanguageModel:
    """The model of this order, trained on ``"europarl"``, or the ``"shipped"`` one without its longer n-grams."""
    if data == "shipped":
        return shorten(load_lm(SHIPPED), order)
    return train_lm(lines()[: _training_size()], order, cutoffs=cutoffs, vocabulary=VOCABULARY)


def sentences(data: str, lm: LanguageModel, length: int, most: int, cut: bool = False) -> list[tuple[str, ...]]:
    """At most ``most`` different sentences of ``length`` words, no digits in them and all words known, in random order.

    ``cut``: the first words of longer lines instead of whole lines.
    """
    if data == "shipped":
        return [draw_sentence(lm, length, seed) for seed in range(most)]
    fitting = (
        line[:length] for line in lines()[_training_size() :] if (len(line) > length if cut else len(line) == length)
    )
    found = list(dict.fromkeys(tuple(words) for words in fitting if all(_is_plain(lm, word) for word in words)))
    order = np.random.default_rng(length).permutation(len(found))[:most]
    return [found[k] for k in order]


def _is_plain(lm, word):
    typed = word in lm and keypad.word_keys(word) and lm.word_id(word) not in (lm.begin, lm.end, lm.unknown)
    return typed and not any(map(str.isdigit, word))


def draw_sentence(lm: LanguageModel, length: int, seed: int) -> tuple[str, ...]:
    """A sentence drawn from the model word by word, of words that fit ``sentences``."""
    random, plain, words = np.random.default_rng([seed, length]), _plain_words(lm), []
    history = np.full((len(plain), lm.order), lm.begin, np.int32)
    history[:, -1] = plain
    for _ in range(length):
        p = np.exp(lm.score_ngrams(history))
        chosen = plain[int(random.choice(len(plain), p=p / p.sum()))]
        words.append(lm.vocabulary[chosen])
        history[:, :-1] = np.append(history[0, 1:-1], chosen)
    return tuple(words)


@lru_cache(maxsize=2)
def _plain_words(lm):
    return np.array([k for k, word in enumerate(lm.vocabulary) if _is_plain(lm, word)], np.int32)


def messages(spec: dict, length: int) -> list[sms.Message]:
    """The messages of a spec with its number of words, as typed; if ``spec["slips"]``, with slips of k = 64."""
    lm = _model(spec)
    found = sentences(spec["data"], lm, length, spec["sentences"], spec["cut"])
    return [
        sms.read_digits(lm, _type_words(words, spec["slips"], seed), most=spec["most"])
        for seed, words in enumerate(found)
    ]


def _type_words(words, slips, seed):
    keys = [keypad.word_keys(word) for word in words]
    return " ".join(keypad.slip(one, [seed, place]) for place, one in enumerate(keys)) if slips else " ".join(keys)


def _model(spec):
    return language_model(spec["data"], spec["order"], tuple(spec["cutoffs"]))


def decoding_spec(data: str, order: int, **others) -> dict:
    """A spec of ``decode``: the paper's way where ``others`` do not say differently."""
    return {
        "task": "decode",
        "data": data,
        "order": order,
        "cutoffs": CUT,
        "lengths": [10],
        "sentences": 100,
        "cut": False,
        "slips": False,
        "most": None,
        "look_ahead": False,
        "temperature": 1.0,
    } | others


def sampling_spec(data: str, order: int, **others) -> dict:
    """A spec of ``sample``; every sentence is drawn from once with each of the ``seeds``."""
    return decoding_spec(data, order) | {"task": "sample", "most": MOST, "batch": BATCH, "seeds": 1} | others


def cell(spec: dict) -> dict:
    """The spec and per length the ``summaries`` of all messages."""
    run = {"decode": decode, "sample": sample}[spec["task"]]
    rows = [{"length": length} | summaries(run(spec, messages(spec, length))) for length in spec["lengths"]]
    return {"spec": spec, "rows": rows}


def decode(spec: dict, found: list[sms.Message]) -> list[dict]:
    """Per message: Viterbi paths until the best one is proved, states and n-grams of q by order, milliseconds."""
    runs, how = [], {"look_ahead": spec["look_ahead"], "record": False}
    for message in found:
        (best, _), ms = time_task(lambda typed: ars_decode(_hmm(spec, typed), **how), message)
        ngrams = {str(order): count for order, count in enumerate(best.ngrams, start=1)}
        runs.append({"iterations": best.iterations, "states": best.states, "ms": ms} | ngrams)
    return runs


def sample(spec: dict, found: list[sms.Message]) -> list[dict]:
    """Per message and seed: trials until ``STOP`` of the last 100 are accepted, states of q, milliseconds."""
    runs, how = [], {"look_ahead": spec["look_ahead"], "record": False, "batch": spec["batch"], "stop_acceptance": STOP}
    for message in found:
        for seed in range(spec["seeds"]):
            task = (message, 1_000_000, seed)
            (draws, _), ms = time_task(lambda typed, n, seed: ars_sample(_hmm(spec, typed), n, seed, **how), *task)
            runs.append({"trials": draws.trials, "states": draws.states, "ms": ms})
    return runs


def _hmm(spec, message):
    return message.hmm(_model(spec), end=not spec["cut"], temperature=spec["temperature"])


def example_spec(data: str, most: int | None = None) -> tuple[LanguageModel, sms.Message]:
    """The model of the highest order and the paper's example, ``DIGITS``."""
    lm = language_model(data, ORDERS[data][-1])
    return lm, sms.read_digits(lm, DIGITS, most=most)
