"""The link of the ARS page: the input, the run, where to begin."""

from dataclasses import dataclass

from pages.shared.language_models import known_name
from pages.shell import link
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


@dataclass(frozen=True)
class ArsPlace(link.Link):
    """Where the view stands: the round, the paths that are drawn, the state that is held."""

    round: int | None = link.whole("round", None, 1, 1_000_000, fallback=1)
    view: str | None = link.choice("view", None, ("path", "all"), fallback="path")
    held: int | None = link.whole("state", None, 0, 1_000_000, fallback=0)


@dataclass(frozen=True)
class ArsQuestion(link.Link):
    """What is asked. ``message`` keys or text, ``sentence`` to tag, ``of`` which of them is compared · ``model`` a
    shipped language model or ``upload:…`` · ``slip`` a seed, 0 for fingers that do not slip, ``slope`` k of the noise,
    ``most`` candidates per word, 0 for all · ``order`` of the tags · the rest as in ``rv.ars_decode`` and
    ``rv.ars_sample``.
    """

    tab: str = link.choice("tab", "keypad", TABS, always=True)
    message: str = link.text("message", "3637 843 66639 39478 *", LONGEST, of="message", always=True, widget=False)
    sentence: str = link.text("sentence", "The horse raced past the barn fell .", LONGEST, of="sentence", always=True)
    of: str = link.choice("of", "keypad", TABS[:2], of="compare")
    model: str = link.coded("lm", WORDS_MODEL, known_name, of="message")
    slip: int = link.whole("slip", 0, 0, MAX_SEED, of="message")
    slope: float = link.real("k", SLOPE, 0.0, 1e6, digits=None, of="message")
    most: int = link.whole("most", 0, 0, MOST_CANDIDATES, of="message")
    order: int = link.whole("order", 5, 1, MAX_ORDER, of="sentence")
    mode: str = link.choice("mode", "decode", MODES, of="mode")
    tag_mode: str = link.choice("mode", "sample", MODES, of="tag_mode")  # tags are looked at for their marginals
    draws: int = link.whole("n", 300, 1, MOST_DRAWS, of="sampling")
    seed: int = link.whole("seed", 0, 0, MAX_SEED, of="sampling")
    batch: int = link.whole("batch", 50, 1, 1_000, of="sampling")
    strategy: str = link.choice("strategy", "sweep", STRATEGIES, of="run")
    look_ahead: bool = link.flag("ahead", True, of="run")
    temperature: float = link.real("temperature", 1.0, 0.05, 20.0, digits=None, of="run")
    seconds: int = link.choice("seconds", 5, SECONDS, of="run")
    budget: int = link.whole("budget", 20, 1, MAX_BUDGET, of="compare")

    @property
    def asks(self):
        """Decode or sample."""
        return self.tag_mode if self.tags else self.mode

    @property
    def tags(self):
        """Whether the sentence is looked at, not the message."""
        return self.tab == "tagging" or (self.tab == "compare" and self.of == "tagging")

    @property
    def input(self):
        """The group of fields that say what is looked at."""
        return "sentence" if self.tags else "message"

    def groups(self):
        """What matters on this tab."""
        if self.tab == "doctor":
            return ()
        if self.tab == "compare":
            return self.input, "run", "compare"
        return self.input, "tag_mode" if self.tags else "mode", "sampling", "run"

    def place(self):
        """Where the view stands."""
        return ArsPlace()


# "the cat sat on the mat.", typed with two slips: beam search and RCMS read "ran" with five contexts, ARS proves "sat".
COMPARED = ArsQuestion(tab="compare", message="843 228 726 #6 848 628 *", budget=5)
COMPARED_STORY = (
    "Somebody meant *the cat sat on the mat.* and hit a wrong key twice. With five contexts beam search and RCMS both "
    "read *ran*; ARS proves that *sat* is better, and that nothing is better still."
)
