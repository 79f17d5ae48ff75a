"""Problems as numpy arrays: an `.npz` with logits, labels and what goes with them, or an `.npy` of logits alone.

No pickle is ever loaded, and what an array will take is read in its header before it is loaded.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from rcmviz.core.models.model import MODES, NgramModel
from rcmviz.core.models.transitions import Transitions
from rcmviz.core.problems.problem import Problem
from rcmviz.core.problems.problem_reader import MAX_IMAGE_SIDE, ProblemError, ProblemReader, frozen_array
from rcmviz.core.shared import checks
from rcmviz.core.shared.npz import UNREADABLE, PickledError, error_text, read_array
from rcmviz.core.shared.wording import counted

MAX_UNPACKED = 40_000_000  # bytes of all arrays
SCORES = ("log_emit", "logits")
NAMES = (*SCORES, "labels", "transitions", "start", "forgotten", "gold", "tokens", "notes", "images", "name", "title")
MAGIC = b"\x93NUMPY"


class ArrayReader(ProblemReader):
    """Arrays of a file, each checked before it takes any memory; places are their names."""

    def unzipped(self, content: bytes) -> dict[str, np.ndarray]:
        """The arrays of an npz file by name."""
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                members = {member.filename.removesuffix(".npy"): member for member in archive.infolist()}
                for name in members:
                    if name not in NAMES:
                        self.fail(name[:40], f"unknown array; the arrays are {', '.join(NAMES)}")
                size = sum(member.file_size for member in members.values())
                if size > MAX_UNPACKED:
                    self.fail(
                        "start", f"{size:,} bytes unpacked, the limit is {MAX_UNPACKED:,}; save a shorter problem"
                    )
                return {name: self.array(archive.open(member), name) for name, member in members.items()}
        except ProblemError:
            raise
        except UNREADABLE as error:
            self.fail("start", f"not a readable npz file ({error_text(error)}); save it again with np.savez")

    def array(self, stream: IO[bytes], name: str) -> np.ndarray:
        """The array in a stream that begins with numpy's header."""
        try:
            content = stream.read(MAX_UNPACKED)
            return read_array(io.BytesIO(content), len(content))
        except PickledError:
            self.fail(name, "it holds pickled objects, which could run code; save numbers, or np.array([...], str)")
        except UNREADABLE as error:
            self.fail(name, f"not a readable array ({error_text(error)}); save it again with np.save or np.savez")

    def numbers(self, array: np.ndarray, name: str, shape: tuple[int | None, ...], wanted: str) -> np.ndarray:
        """A float array of that shape (None: any length), without NaN and +inf."""
        if array.ndim != len(shape) or any(
            want not in (None, got) for want, got in zip(shape, array.shape, strict=True)
        ):
            self.fail(name, f"its shape is {array.shape}; give {wanted}")
        if array.dtype.kind not in "fiu":
            self.fail(name, f"its values are {array.dtype}; give real numbers")
        values = array.astype(np.float64)
        usable = np.isfinite(values) | np.isneginf(values)
        self.refuse(~usable, values, name, "is not a log score; write a finite number, or -inf")
        return values

    def refuse(self, bad: np.ndarray, values: np.ndarray, name: str, why: str) -> None:
        """Name the first value that is bad, if any is."""
        for place in np.argwhere(bad)[:1].tolist():
            self.fail(f"{name}[{', '.join(map(str, place))}]", f"{values[tuple(place)]} {why}")

    def weights(self, array: np.ndarray, name: str, shape: tuple[int, ...], wanted: str) -> np.ndarray:
        """The same as log weights; −inf forbids what it weighs."""
        values = self.numbers(array, name, shape, wanted)
        too_large = (np.abs(values) > checks.LARGEST) & ~np.isneginf(values)
        self.refuse(too_large, values, name, f"is no log weight of at most {checks.LARGEST:,.0f}")
        return values


class NumpyProblem(ArrayReader):
    """A problem whose parts are arrays."""

    def read(
        self,
        content: bytes,
        model_name: str | None = None,
        labels: Sequence[str] | None = None,
        transitions: Callable[[tuple[str, ...]], NgramModel] | None = None,
    ) -> Problem:
        arrays = {"log_emit": self.array(io.BytesIO(content), "start")} if is_array(content) else self.unzipped(content)
        log_emit = self.scores(arrays)
        T, Y = log_emit.shape
        names = self.labels(arrays, labels, Y)
        model = self.model(arrays, names, model_name, transitions)
        tokens, notes = self.texts(arrays, "tokens", T), self.texts(arrays, "notes", T)
        return Problem(
            model,
            frozen_array(log_emit),
            self.gold(arrays, names, T),
            self.check_name(self.text(arrays, "name", Path(self.source).stem)),
            self.images(arrays, T),
            model_name,
            tuple(self.check_token(token, f"tokens[{i}]") for i, token in enumerate(tokens)) or None,
            self.check_title(self.text(arrays, "title", "")),
            {i: self.check_note(note, f"notes[{i - 1}]") for i, note in enumerate(notes, 1) if note},
        )

    def scores(self, arrays: dict) -> np.ndarray:
        given = [name for name in SCORES if name in arrays]
        if len(given) != 1:
            self.fail("log_emit", "missing, or given with logits; give one of both, of shape (positions, labels)")
        name = given[0]
        values = self.numbers(arrays[name], name, (None, None), "a row per position, a column per label")
        self.check_length(len(values), name)
        for i, row in enumerate(values):
            self.check_row(row.tolist(), f"{name}[{i}]")
        return values

    def labels(self, arrays: dict, given: Sequence[str] | None, Y: int) -> tuple[str, ...]:
        """The labels in the file or given with it; for logits alone the columns' numbers."""
        if given is not None and "labels" in arrays:
            self.fail("labels", "in the file and given separately; give them once")
        names = list(given) if given is not None else self.texts(arrays, "labels", Y)
        if (names or given is not None) and len(names) != Y:
            self.fail("labels", f"{counted(len(names), 'label')} for {counted(Y, 'column')}; give one for each")
        return self.check_labels(names or [str(k) for k in range(Y)], lambda k: f"labels[{k}]")

    def model(self, arrays: dict, labels: tuple[str, ...], name: str | None, transitions: Any) -> NgramModel:
        """The model in the file, given with it, or named; else one without windows: the emissions alone decide."""
        if "transitions" in arrays:
            if name is not None or transitions is not None:
                self.fail("transitions", "the file brings its weights; run it without others")
            return self.table(arrays, labels)
        for key in ("start", "forgotten"):
            if key in arrays:
                self.fail(key, "it belongs to transitions; give those too, or leave it out")
        if transitions is not None:
            return transitions(labels)
        if name is None:
            return NgramModel.from_windows(labels, 1, {}, mode=MODES[0])
        model = self.named_model(name, "model")
        self.check_same_labels(labels, model, "labels")
        return model

    def table(self, arrays: dict, labels: tuple[str, ...]) -> NgramModel:
        Y = len(labels)
        after = self.weights(arrays["transitions"], "transitions", (Y, Y), f"{Y} × {Y}: a row per label before")
        others = [
            self.weights(arrays[key], key, (Y,), f"{Y} weights") if key in arrays else None
            for key in ("start", "forgotten")
        ]
        return Transitions.of(after, *others).model(labels)

    def texts(self, arrays: dict, name: str, count: int) -> list[str]:
        """An array of texts as a list, empty where it is left out."""
        if name not in arrays:
            return []
        array = arrays[name]
        if array.dtype.kind != "U" or array.shape != (count,):
            self.fail(name, f"{array.dtype} of shape {array.shape}; give np.array([...], str) with {count} texts")
        return array.tolist()

    def text(self, arrays: dict, name: str, otherwise: str) -> str:
        array = arrays.get(name, np.array(otherwise))
        if array.dtype.kind != "U" or array.shape != ():
            self.fail(name, f"{array.dtype} of shape {array.shape}; give one text, as np.array('…')")
        return str(array)

    def gold(self, arrays: dict, labels: tuple[str, ...], T: int) -> tuple[str, ...] | None:
        """Names of labels, or numbers of columns from 0."""
        if "gold" not in arrays:
            return None
        gold = arrays["gold"]
        if gold.dtype.kind == "U":
            names = self.texts(arrays, "gold", T)
            return tuple(self.check_gold_label(name, labels, f"gold[{i}]") for i, name in enumerate(names))
        if gold.dtype.kind not in "iu" or gold.shape != (T,):
            self.fail("gold", f"{gold.dtype} of shape {gold.shape}; give {T} names of labels, or their numbers from 0")
        for i, y in enumerate(gold.tolist()):
            if not 0 <= y < len(labels):
                self.fail(f"gold[{i}]", f"{y} is no label; they are numbered 0 to {len(labels) - 1}")
        return tuple(labels[y] for y in gold.tolist())

    def images(self, arrays: dict, T: int) -> np.ndarray | None:
        if "images" not in arrays:
            return None
        images = arrays["images"]
        fits = images.ndim == 3 and len(images) == T and images.size and max(images.shape[1:]) <= MAX_IMAGE_SIDE
        if not fits or images.dtype.kind not in "biu" or not np.isin(images, (0, 1)).all():
            self.fail("images", f"give zeros and ones of shape ({T}, rows, columns), up to {MAX_IMAGE_SIDE} each")
        return frozen_array(images, np.uint8)


class NumpyTransitions(ArrayReader):
    """A table of transitions as an `.npy`: a row per label before, a column per next label, in their order."""

    def read(self, content: bytes, labels: tuple[str, ...]) -> NgramModel:
        Y, table = len(labels), self.array(io.BytesIO(content), "start")
        return Transitions.of(self.weights(table, "start", (Y, Y), f"{Y} × {Y}: a row per label before")).model(labels)


def is_array(content: bytes) -> bool:
    """Whether these are the bytes of an `.npy`."""
    return content.startswith(MAGIC)


def is_numpy(content: bytes) -> bool:
    """Whether these are the bytes of an `.npy` or `.npz`."""
    return is_array(content) or content.startswith(b"PK\x03\x04")
