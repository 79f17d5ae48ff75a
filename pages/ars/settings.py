"""What the ARS page shows, as one frozen value that a link can carry: the input, the run, where to begin."""

import re
from dataclasses import dataclass, fields, replace

from pages.word.settings import Reader
from rcmviz.tasks.sms.keypad import SLOPE

TABS = ("keypad", "tagging", "compare", "doctor")
MODES = ("decode", "sample")
STRATEGIES = ("sweep", "worst", "jump")
SECONDS = (1, 5, 20)
WORDS_MODEL, TAGGER = "lm-english-words", "tagger-ewt"
MAX_SEED = 2**31 - 1
MOST_DRAWS = 1_000
MOST_CANDIDATES = 5_000
MAX_BUDGET = 2_000
MAX_ORDER = 9
LONGEST = 2_000  # characters of a message
UPLOADED = re.compile(r"upload:[0-9a-f]{16}")


@dataclass(frozen=True)
class Question:
    """What is asked. ``message`` keys or text, ``sentence`` to tag, ``of`` which of them is compared · ``model`` a
    shipped language model or ``upload:…`` · ``slip`` a seed, 0 for fingers that do not slip, ``slope`` k of the noise,
    ``most`` candidates per word, 0 for all · ``order`` of the tags · the rest as in ``rv.ars_decode`` and
    ``rv.ars_sample``.
    """

    tab: str = "keypad"
    message: str = "3637 843 66639 39478 *"
    sentence: str = "The horse raced past the barn fell ."
    of: str = "keypad"
    model: str = WORDS_MODEL
    slip: int = 0
    slope: float = SLOPE
    most: int = 0
    order: int = 5
    mode: str = "decode"
    tag_mode: str = "sample"  # tags are looked at for their marginals
    draws: int = 300
    seed: int = 0
    batch: int = 50
    strategy: str = "sweep"
    look_ahead: bool = True
    temperature: float = 1.0
    seconds: int = 5
    budget: int = 20

    @property
    def asks(self):
        """Decode or sample."""
        return self.tag_mode if self.tags else self.mode

    @property
    def tags(self):
        """Whether the sentence is looked at, not the message."""
        return self.tab == "tagging" or (self.tab == "compare" and self.of == "tagging")


NAMES = {
    "tab": "tab", "message": "message", "sentence": "sentence", "of": "of", "model": "lm", "slip": "slip", "slope": "k",
    "most": "most", "order": "order", "mode": "mode", "tag_mode": "mode", "draws": "n", "seed": "seed",
    "batch": "batch", "strategy": "strategy", "look_ahead": "ahead", "temperature": "temperature",
    "seconds": "seconds", "budget": "budget",
}  # fmt: skip
OF_INPUT = {"message", "model", "slip", "slope", "most"}, {"sentence", "order"}
OF_RUN = {"mode", "tag_mode", "draws", "seed", "batch", "strategy", "look_ahead", "temperature", "seconds"}
OF_SAMPLING = {"draws", "seed", "batch"}
QUESTION = tuple(dict.fromkeys(NAMES.values()))
PLACE = ("round", "view", "state")  # what the browser writes: where the view stands


def read_question(query):
    """(Question, opening, notices) of a link; ``opening`` says where the view begins, None where the link does not."""
    reader, usual = Reader(query), Question()
    tab = reader.choice("tab", TABS, usual.tab)
    mode = "tag_mode" if tab == "tagging" else "mode"
    question = Question(
        tab,
        reader.parsed("message", _short, usual.message),
        reader.parsed("sentence", _short, usual.sentence),
        reader.choice("of", TABS[:2], usual.of),
        reader.parsed("lm", _model_name, usual.model),
        reader.number("slip", 0, MAX_SEED, usual.slip),
        reader.number("k", 0.0, 1e6, usual.slope, float),
        reader.number("most", 0, MOST_CANDIDATES, usual.most),
        reader.number("order", 1, MAX_ORDER, usual.order),
        draws=reader.number("n", 1, MOST_DRAWS, usual.draws),
        seed=reader.number("seed", 0, MAX_SEED, usual.seed),
        batch=reader.number("batch", 1, 1_000, usual.batch),
        strategy=reader.choice("strategy", STRATEGIES, usual.strategy),
        look_ahead=reader.choice("ahead", ("0", "1"), "01"[usual.look_ahead]) == "1",
        temperature=reader.number("temperature", 0.05, 20.0, usual.temperature, float),
        seconds=int(reader.choice("seconds", tuple(map(str, SECONDS)), str(usual.seconds))),
        budget=reader.number("budget", 1, MAX_BUDGET, usual.budget),
        **{mode: reader.choice("mode", MODES, getattr(usual, mode))},
    )
    opening = _read_opening(reader) if set(query) & set(PLACE) else None
    reader.refuse_others((*QUESTION, *PLACE))
    return question, opening, reader.notices


def _short(text):
    if len(text) > LONGEST:
        raise ValueError(f"{len(text):,} characters are too many, {LONGEST:,} can be read")
    return text


def _model_name(name):
    from rcmviz.lm.shipped import shipped_lms

    if name in shipped_lms() or UPLOADED.fullmatch(name):
        return name
    raise ValueError(f"there is no language model {name[:40]!r}; shipped are {', '.join(shipped_lms())}")


def _read_opening(reader):
    return {
        "round": reader.number("round", 1, 1_000_000, 1) if "round" in reader.query else None,
        "view": reader.choice("view", ("path", "all"), "path") if "view" in reader.query else None,
        "held": reader.number("state", 0, 1_000_000, 0) if "state" in reader.query else None,
    }


def write_question(question):
    """The question as query parameters, what is as always left out; the browser adds where the view stands.

    >>> write_question(Question(mode="sample", draws=50))
    {'tab': 'keypad', 'message': '3637 843 66639 39478 *', 'mode': 'sample', 'n': '50'}
    """
    usual = Question()
    named = {"tab", *({"sentence"} if question.tags else {"message"})} if question.tab != "doctor" else {"tab"}
    query = {}
    for field in fields(Question):
        value = getattr(question, field.name)
        if field.name in named or (field.name in _heeded(question) and value != getattr(usual, field.name)):
            query[NAMES[field.name]] = _written(value)
    return query


def _heeded(question):
    """The fields that matter on this tab."""
    if question.tab == "doctor":
        return set()
    asked = OF_INPUT[question.tags] | OF_RUN
    if question.tab == "compare":
        return asked - OF_SAMPLING - {"mode", "tag_mode"} | {"of", "budget"}
    return asked - {"mode" if question.tags else "tag_mode"}


def only(question, names):
    """The question of which nothing but these fields is told: what a cache may go by."""
    return replace(Question(), **{name: getattr(question, name) for name in names})


def _written(value):
    if isinstance(value, bool):
        return str(int(value))
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)
