"""Targets: each makes an input from a random generator, and uses it as the application or a caller would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

TARGETS: dict[str, Target] = {}


@dataclass(frozen=True)
class Target:
    """One kind of input.

    ``samples()`` are whole inputs, by name · ``damage(random, samples)`` makes another one of them · ``use(content)``
    reads it, asks the usual questions of what was read, and returns the answers · ``read(content)``, if it is not the
    same, does what a page does at once, before limits and processes of their own hold the work. All inputs are bytes,
    so that each can be a file of the corpus.
    """

    name: str
    samples: Callable[[], dict[str, bytes]]
    damage: Callable[[Random, list[bytes]], bytes]
    use: Callable[[bytes], Any]
    read: Callable[[bytes], Any] | None = None

    def input(self, seed: int, samples: list[bytes]) -> bytes:
        """The input number ``seed``, always the same one."""
        return self.damage(Random(f"{self.name} {seed}"), samples)


def target(name: str, samples: Callable, damage: Callable, read: Callable | None = None) -> Callable:
    """Enter a function ``use(content)`` as a target."""

    def enter(use):
        assert name not in TARGETS, name
        TARGETS[name] = Target(name, samples, damage, use, read)
        return use

    return enter
