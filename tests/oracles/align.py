"""Alignments by the definitions: every alignment and every output is enumerated; imports nothing of rcmviz.

A path is a tuple of (move, letter); P repeats the letter before. A context is (mode, string): the mode a pair of a name
and a number, the string a tuple of (move, letter), oldest first, ``("^", "^")`` before the first. Cells are (a, i).
"""

import math
from dataclasses import dataclass
from functools import cached_property

START, BEGIN, END, FORGOTTEN = ("start", 1), ("^", "^"), "</s>", "*"


@dataclass(frozen=True)
class Problem:
    """``weights`` {(what, before, …, letter): weight}, missing ones weigh 0; at most ``most`` letters in all."""

    phones: tuple
    letters: tuple
    order: int
    additive: bool
    letters_per_phone: int
    phones_per_letter: int
    most: int
    memory: int
    joined: bool
    weights: dict

    @cached_property
    def paths(self):
        """Every complete alignment of every output."""
        return tuple(self._paths_from((0, 0), START, ()))

    def _paths_from(self, cell, mode, path):
        a, i = cell
        if a == len(self.phones) and i > 0:
            yield path
        for move in "DCP":
            there, then = step(cell, move), self.mode_after(mode, move)
            if then is None or there[0] > len(self.phones) or there[1] > self.most:
                continue
            for letter in (path[-1][1],) if move == "P" else self.letters:
                yield from self._paths_from(there, then, (*path, (move, letter)))

    def mode_after(self, mode, move):
        """The star so far: D begins one, C adds a letter to it, P a phone; None where it may not."""
        name, size = mode
        if move == "D":
            return ("star", 1)
        most = self.letters_per_phone if move == "C" else self.phones_per_letter
        if mode == START or (name != "star" and name != move) or size == most:
            return None
        return (move, size + 1)

    def remembered(self, string):
        """The newest symbols that a context keeps of a string."""
        string = string[-self.memory :]
        if self.joined:
            least = max(self.order - 1, 1)
            lengths = range(len(string) + 1)
            enough = (k for k in lengths if k >= least and len(letters_of(string[len(string) - k :])) >= least)
            string = string[len(string) - next(enough, len(string)) :]
        return string

    def target(self, context, move, letter, column):
        """Return the context of ``column`` that a path enters, its longest suffix; None if there is none."""
        mode, string = self.mode_after(context[0], move), context[1]
        if string or move != "P":
            string = self.remembered((*string, (move, letter)))
        return longest_suffix((mode, string), column)

    def fired(self, a, string, move, letter):
        """The features of an arc out of a context with this string after a phones; of the end where the move is END."""
        before = letters_of(string)
        grams = [("letters", before[len(before) - k :], letter) for k in range(min(self.order - 1, len(before)) + 1)]
        if move == END:
            return grams if self.additive else grams[-1:]
        edges = [edge if not edge[2:] else (*edge[:2], edge[2]) for edge in self._edges(a, string)]
        if move == "P" and edges:
            edges[-1] = (*edges[-1][:2], FORGOTTEN)
        there = self.phones[a - 1 if move == "C" else a]
        groups = [
            ("edges", tuple(edges[len(edges) - k :]), (move, there), letter)
            for k in range(min(self.order - 1, len(edges)) + 1)
        ]
        grams = [] if move == "P" else grams
        return grams + groups if self.additive else grams[-1:] + groups[-1:]

    def _edges(self, a, string):
        found = []
        for move, letter in reversed(string):
            found.append("^" if move == "^" else (move, self.phones[a - 1], letter))
            a -= move != "C"
        return found[::-1]

    def steps(self, path, columns=None):
        """(cell, context, move, letter) of every arc of a path, the end included; None where a beam dropped it."""
        cell, context, found = (0, 0), (START, (BEGIN,)), []
        for move, letter in path:
            known = letter if move != "P" or context[1] else FORGOTTEN
            found.append((cell, context, move, known))
            cell = step(cell, move)
            if columns is None:
                context = self.mode_after(context[0], move), (*context[1], (move, letter))
            else:
                context = self.target(context, move, letter, columns.get(cell, ()))
            if context is None:
                return None
        return (*found, (cell, context, END, END))

    def log_score(self, path, columns=None):
        """The summed weights of a path through these contexts, −inf where it is dropped."""
        steps = self.steps(path, columns)
        if steps is None:
            return -math.inf
        return sum(
            self.weights.get(feature, 0.0)
            for (a, _), (_, string), move, letter in steps
            for feature in self.fired(a, string, move, letter)
        )

    def log_z(self, columns=None, text=None):
        """Log of the sum over all alignments, or over those of one text."""
        return log_sum(self.log_score(path, columns) for path in self.paths if text is None or text_of(path) == text)

    def marginals(self, columns=None, text=None):
        """{cell: probability of an edge there} under p(y, z | x), or under p(z | x, y)."""
        total, found = self.log_z(columns, text), {}
        for path in self.paths:
            score = self.log_score(path, columns) if text is None or text_of(path) == text else -math.inf
            for cell in cells_of(path) if score > -math.inf else ():
                found[cell] = found.get(cell, 0.0) + math.exp(score - total)
        return found

    def best(self, columns=None, text=None):
        """The largest score of all alignments, or of those of one text."""
        return max(self.log_score(path, columns) for path in self.paths if text is None or text_of(path) == text)

    def candidates(self, columns, cell, text=None):
        """{(mode, string): forward mass} of everything that enters a cell, merged as a set, of all texts or of one."""
        found = {}
        for source, move, context, mass in self._entering(columns, cell, text):
            mode = self.mode_after(context[0], move)
            if mode is None:
                continue
            for letter in self._letters_for(context, move, cell, text):
                score = sum(self.weights.get(f, 0.0) for f in self.fired(source[0], context[1], move, letter))
                plain = move != "P" or context[1]
                key = (mode, self.remembered((*context[1], (move, letter))) if plain else ())
                found[key] = found.get(key, 0.0) + mass * math.exp(score)
        return found

    def _letters_for(self, context, move, cell, text):
        """The letters that a move into a cell may write or repeat."""
        if move == "P":
            return (context[1][-1][1] if context[1] else FORGOTTEN,)
        return self.letters if text is None else text[cell[1] - 1 : cell[1]]

    def _entering(self, columns, cell, text):
        """(cell, move, context, its forward mass) of what may move into a cell; column by column, from the start."""
        for move in "DCP":
            source = next((c for c in columns if step(c, move) == cell), None)
            for context, mass in self._forward(columns, source, text).items() if source is not None else ():
                yield source, move, context, mass

    def _forward(self, columns, cell, text):
        if cell == (0, 0):
            return {(START, (BEGIN,)): 1.0}
        masses = dict.fromkeys(columns[cell], 0.0)
        for key, mass in self.candidates(columns, cell, text).items():
            home = longest_suffix(key, masses)
            if home is not None:
                masses[home] += mass
        return masses


def longest_suffix(context, column):
    """The context of a column, with the same mode and the longest suffix of this one's string; None for none."""
    mode, string = context
    suffixes = ((mode, string[k:]) for k in range(len(string) + 1))
    return next((found for found in suffixes if found in column), None)


def step(cell, move):
    """The cell after a move."""
    return cell[0] + (move != "C"), cell[1] + (move != "P")


def letters_of(string):
    """The letters that a string knows: P repeats that of the symbol before it."""
    return tuple(letter for j, (move, letter) in enumerate(string) if move != "P" or j == 0)


def text_of(path):
    """The output of a path."""
    return "".join(letter for move, letter in path if move != "P")


def cells_of(path):
    """The edges of a path: the cells that it enters."""
    cell, found = (0, 0), []
    for move, _ in path:
        cell = step(cell, move)
        found.append(cell)
    return found


def log_sum(scores):
    """Log of the sum of exponentials; −inf for none."""
    scores = list(scores)
    highest = max(scores, default=-math.inf)
    if highest == -math.inf:
        return -math.inf
    return highest + math.log(sum(math.exp(score - highest) for score in scores))


def slope(problem, columns, text, feature, small=1e-5):
    """The derivative of log p(text | x) by one weight, the contexts held fixed, by central differences."""

    def value(by):
        weights = problem.weights | {feature: problem.weights.get(feature, 0.0) + by}
        moved = Problem(**(vars_of(problem) | {"weights": weights}))
        return moved.log_z(columns, text) - moved.log_z(columns)

    return (value(small) - value(-small)) / (2 * small)


def vars_of(problem):
    """The fields of a problem."""
    return {name: getattr(problem, name) for name in Problem.__dataclass_fields__}
