"""From a question to what was run and what the ARS view draws; each kept by the frozen question that it came from."""

import json
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path

import rcmviz as rv
from pages.ars.code import reproducing_code
from pages.ars.link import TAGGER, ArsQuestion
from pages.shared.computing import compute
from pages.shared.language_models import UPLOADS, model_named
from rcmviz.ars import decode
from rcmviz.jobs.memory import SHELF
from rcmviz.tasks.english import treebank_words
from rcmviz.tasks.sms.keypad import KEYS, LETTERS, PUNCTUATION_KEY
from rcmviz.tasks.sms.messages import MAX_WORDS, read_digits, read_text
from rcmviz.tasks.tagging.shipped import load_tagger
from rcmviz.views.ars.payload import MOST_ROUNDS, build_ars

EXAMPLE = Path(__file__).with_name("example.json")  # of the usual question: the first view waits for no kernel
KEYPAD = [[key, LETTERS.get(key, ".,?!" if key == PUNCTUATION_KEY else "")] for key in KEYS]


@dataclass(frozen=True, eq=False)
class ArsInput:
    """What is looked for: the ``hmm`` · ``inputs``, what was observed, as text · ``gold`` what was meant, if that is
    known · ``notes`` sentences that a person should know.
    """

    title: str
    hmm: rv.HMM
    inputs: tuple
    gold: tuple
    notes: tuple


@cache
def tagger():
    """The shipped tagger; its tags have orders up to 9."""
    return load_tagger(TAGGER)


def subject_of(question):
    """The message or the sentence of a question as a Subject; ValueError says what to do."""
    return _subject(replace(question.only(question.input), tab="tagging" if question.tags else "keypad"))


@lru_cache(maxsize=8)
def _subject(question):
    return _sentence(question) if question.tags else _message(question)


def _message(question):
    lm = model_named(question.model)
    options = {"slope": question.slope, "most": question.most or None}
    if any(sign.isalpha() for sign in question.message):
        message = read_text(lm, question.message, seed=question.slip or None, **options)
    else:
        message = read_digits(lm, question.message, **options)
    notes = []
    if message.unknown:
        notes.append(f"The vocabulary lacks {', '.join(message.unknown)}: it cannot be found.")
    if message.left_out:
        notes.append(f"This language model knows letters only: the key {message.left_out} is left out.")
    if lm.end < 0:
        notes.append("This language model has no </s>: the end of the message is not scored.")
    hmm = message.hmm(lm, end=lm.end >= 0)
    return ArsInput(message.digits, hmm, message.keys, message.meant, tuple(notes))


def _sentence(question):
    words = treebank_words(question.sentence)
    if not words:
        raise ValueError("there is no sentence: type an English one, such as: The old man the boats .")
    if len(words) > MAX_WORDS:
        raise ValueError(f"the sentence has {len(words)} words, at most {MAX_WORDS} are tagged here; shorten it")
    known = tagger()
    new = [word for word in words if not known.emissions.knows(word)]
    notes = [f"Never seen in training, tagged by their endings: {', '.join(new)}."] if new else []
    return ArsInput(" ".join(words), known.hmm(words, question.order), tuple(words), (), tuple(notes))


def run_of(question):
    """The run of a question, a Best or Draws and its ArsTrace; ValueError says what to do."""
    return _run(_asked(question))


def payload_of(question):
    """What the ARS view draws of a question; ValueError says what to do."""
    return _payload(_asked(question))


def _asked(question):
    if not question.tags:
        model_named(question.model)  # an upload is its visitor's: what is kept here is asked by nobody else
    tab, mode = ("tagging", "tag_mode") if question.tags else ("keypad", "mode")
    return replace(question.only(question.input, "sampling", "run"), **{"tab": tab, mode: question.asks})


@cache
def warm_up():
    """Compile or load the kernels once, before a clock runs: they would use up the seconds of a run."""
    decode.warm_up()


@SHELF.keeps
def _run(question):
    hmm = replace(subject_of(question).hmm, temperature=question.temperature)
    longer = question.seconds > ArsQuestion().seconds  # who gives it the usual seconds or fewer waits for no process
    return compute(question.seconds if longer else 0, _run_here, hmm, question)


def _run_here(hmm, question):
    """The run in this process, whichever it is."""
    warm_up()
    options = {"look_ahead": question.look_ahead, "strategy": question.strategy, "seconds": question.seconds}
    if question.asks == "decode":
        return rv.ars_decode(hmm, max_iterations=MOST_ROUNDS, **options)
    options |= {"batch": question.batch, "max_trials": MOST_ROUNDS}
    return rv.ars_sample(hmm, question.draws, question.seed, **options)


@SHELF.keeps
def _payload(question):
    return json.loads(EXAMPLE.read_text(encoding="utf-8")) if question == _asked(ArsQuestion()) else computed(question)


def computed(question):
    """The payload of a question, run now."""
    subject, (result, trace) = subject_of(question), run_of(question)
    return build_ars(
        trace,
        result,
        title=subject.title,
        inputs=subject.inputs,
        gold=subject.gold,
        code=reproducing_code(question),
        term="tag" if question.tags else "word",
    )


UPLOADS.forgets += [_subject.cache_clear, SHELF.clear]
