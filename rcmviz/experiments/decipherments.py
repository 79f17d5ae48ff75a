"""The decipherments behind figure 5 and a panel of figure 6, as pure functions of plain dicts."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from rcmviz.core.methods import METHODS, OF_EM
from rcmviz.experiments.trainings import code_digest as digest_of
from rcmviz.lm.shipped import load_lm
from rcmviz.tasks.decipher.letters import Solver, read_cryptogram
from rcmviz.tasks.decipher.symbols import READINGS, Decipherment, accuracy, read
from rcmviz.tasks.decipher.words import TATOEBA_LINES, encipher, grammar_cipher, tatoeba_cipher

SOURCES = (  # they decide an outcome
    "kernels/chain",
    "core/inference/batch.py",
    "core/methods.py",
    "core/models/model.py",
    "core/models/model_tables.py",
    "learn/discounting.py",
    "learn/em.py",
    "lm/text.py",
    "tasks/decipher/words.py",
    "tasks/decipher/grammar.py",
    "tasks/decipher/symbols.py",
)
PASSES = 20


@dataclass(frozen=True)
class DecipherArm:
    """A way of deciphering: ``method``, ``order`` of the language model, ``budget``; ``joined`` sentences are one."""

    method: str
    order: int
    budget: int = 0
    joined: int = 1

    @property
    def name(self) -> str:
        """The name in tables and figures."""
        return f"{METHODS[self.method].title} {self.budget or ''}".strip() + f", n = {self.order}"


def spec_of(arm: DecipherArm, data: str, seed: int, passes: int = PASSES) -> dict:
    """The arguments of ``decipher``."""
    return {"data": data, "seed": seed, "passes": passes, **vars(arm)}


def decipher(spec: dict) -> dict:
    """Run EM on one cipher: per pass the share of the symbols that each reading gets right, the share of the tokens
    that the emissions do, the mean length of the contexts, the log-likelihood and the seconds.
    """
    cipher = _cipher(spec["data"], spec["seed"], spec["joined"])
    work = Decipherment(cipher, spec["method"], spec["budget"], order=spec["order"])
    found = {name: [] for name in (*READINGS, "by_token", "mean_length", "log_likelihood", "seconds")}
    for state in work.run(spec["passes"]):
        for reading in READINGS:
            found[reading].append(accuracy(cipher, read(state.counts, state.emission, reading))[0])
        for name in ("by_token", "mean_length", "log_likelihood", "seconds"):
            found[name].append(round(getattr(state, name), 4))
    return found | {"tokens": int(cipher.counts.sum()), "lines": len(cipher.lines), "symbols": len(cipher.symbols)}


@lru_cache(maxsize=2)
def _cipher(data, seed, joined):
    if data == "tatoeba":
        return tatoeba_cipher(seed, lines=TATOEBA_LINES // joined, joined=joined)
    return grammar_cipher(seed)


def curves(answers: list[dict], name: str = "emission") -> np.ndarray:
    """A measure of all seeds pass by pass, (seeds, passes)."""
    return np.array([one[name] for one in answers])


def data_text(data: str) -> str:
    """The data in words."""
    return {"tatoeba": "sentences of Tatoeba", "grammar": "sentences of our own grammar"}[data]


def effort(spec: dict) -> float:
    """The rough relative duration of a spec."""
    return spec["passes"] * (60 if spec["method"] == "exact" else 10 + spec["budget"])


def code_digest() -> str:
    """A digest of the sources that decide a decipherment's outcome."""
    return digest_of(SOURCES)


def warm_up() -> None:
    """Compile or load the kernels, here and not in every worker at once."""
    cipher = encipher([("a", "b"), ("b", "a"), ("a",)], lines=1)
    for method, order in product(OF_EM, (1, 2)):
        Decipherment(cipher, method, 2, order=order).advance()
    Solver(read_cryptogram("a cryptogram of letters"), load_lm("lm-english-characters")).advance()
