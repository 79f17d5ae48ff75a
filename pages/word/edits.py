"""What-if edits: as values, as compact text for a link, and as arguments of a builder.

``p4:ol`` pins the context *ol at position 4, ``f3:=a`` forbids the label a at position 3, ``b5:20`` sets the budget of
position 5 to 20; edits are separated by commas. Labels longer than one letter follow a dot each: ``p4:.NN.VB``. Where
several methods are compared, ``2p4:ol`` holds for the second alone.
"""

from dataclasses import dataclass, replace
from urllib.parse import quote, unquote

from pages.shell.methods import MAX_BUDGET, MOST_RUNS
from rcmviz.core.inference.tree_rows import context_name
from rcmviz.core.methods import BUILDERS

MOST_EDITS = 40
OF = tuple(str(number) for number in range(1, MOST_RUNS + 1))  # whom an edit may hold for
LETTERS = {"pin": "p", "forbid": "f", "budget": "b"}


@dataclass(frozen=True)
class Edit:
    """``kind`` pin, forbid or budget · ``position`` from 1 · ``what`` label, tuple of labels (context) or number.

    ``of`` which method it holds for, by its number from 1, None for all.
    """

    kind: str
    position: int
    what: str | tuple[str, ...] | int
    of: int | None = None

    def __str__(self):
        return self.said if self.of is None else f"{self.said}, method {self.of} only"

    @property
    def said(self):
        """What it does, whoever it holds for."""
        if self.kind == "budget":
            return f"budget {self.what} at position {self.position}"
        if isinstance(self.what, str):
            return f"{self.kind} label “{self.what}” at position {self.position}"
        return f"{self.kind} context “{context_name(self.what, self.position)}” at position {self.position}"


def write_edits(edits):
    """Edits as text for a link.

    >>> write_edits([Edit("pin", 4, ("o", "l")), Edit("forbid", 3, "a"), Edit("budget", 5, 20)])
    'p4:ol,f3:=a,b5:20'
    """
    return ",".join(f"{edit.of or ''}{LETTERS[edit.kind]}{edit.position}:{_write_what(edit.what)}" for edit in edits)


def _write_what(what):
    if isinstance(what, int):
        return str(what)
    if isinstance(what, str):
        return "=" + _escaped(what)
    plain = all(len(label) == 1 and label.isalnum() for label in what)
    return "".join(what) if plain else "".join("." + _escaped(label) for label in what)


def _escaped(label):
    return quote(label, safe="").replace(".", "%2E")


def read_edits(text):
    """Edits of a link as a tuple; ValueError names the one that cannot be read.

    >>> read_edits("p4:ol,b5:20")[0].what
    ('o', 'l')
    """
    parts = [part for part in text.split(",") if part]
    if len(parts) > MOST_EDITS:
        raise ValueError(f"{len(parts)} edits, at most {MOST_EDITS} fit")
    return tuple(_read_edit(part) for part in parts)


def _read_edit(part):
    of = int(part[0]) if part[0] in OF else None
    return replace(_read_plain(part if of is None else part[1:]), of=of)


def _read_plain(part):
    head, _, what = part.partition(":")
    kind = {letter: kind for kind, letter in LETTERS.items()}.get(head[:1])
    if kind is None or not head[1:].isdecimal() or len(head) > 6 or int(head[1:]) < 1 or what in ("", "=", "."):
        raise ValueError(f"{part[:40]!r} is not an edit such as p4:ol, f3:=a or b5:20")
    position = int(head[1:])
    if kind == "budget":
        if not what.isdecimal() or len(what) > 9 or not 1 <= int(what) <= MAX_BUDGET:
            raise ValueError(f"{part[:40]!r}: a budget is a whole number from 1 to {MAX_BUDGET:,}")
        return Edit(kind, position, int(what))
    if what.startswith("="):
        return Edit(kind, position, unquote(what[1:]))
    return Edit(
        kind, position, tuple(unquote(label) for label in what[1:].split(".")) if what[0] == "." else tuple(what)
    )


def add_edit(edits, new):
    """The edits with one more; an edit of the same thing at the same place is replaced."""

    def same_thing(old):
        if (old.of, old.position) != (new.of, new.position) or (old.kind == "budget") != (new.kind == "budget"):
            return False
        return new.kind == "budget" or old.what == new.what

    return (*(old for old in edits if not same_thing(old)), new)


def check_edits(edits, labels, length):
    """ValueError if an edit does not fit a text of this length and these labels; it says what to do.

    >>> check_edits(read_edits("p9:ol"), "abclo", 5)
    Traceback (most recent call last):
    ValueError: pin context “*ol” at position 9: there are only 5 positions; undo this edit
    """
    for edit in edits:
        last = length - (edit.kind == "budget")
        if edit.position > last:
            which = (
                f"a budget can change at positions 1 to {last}"
                if edit.kind == "budget"
                else f"there are only {last} positions"
            )
            raise ValueError(f"{edit}: {which}; undo this edit")
        if edit.kind == "budget":
            continue
        names = (edit.what,) if isinstance(edit.what, str) else edit.what
        if unknown := [name for name in names if name not in labels]:
            raise ValueError(f"{edit}: “{unknown[0][:40]}” is not one of the labels; undo this edit")
        if len(names) > edit.position:
            raise ValueError(f"{edit}: no context is longer than {edit.position} labels there; undo this edit")


def edits_of_method(edits, number):
    """The edits that hold for a method, by its number from 1; what else they hold for is left out.

    >>> [str(edit) for edit in edits_of_method(read_edits("f3:=a,2b5:20"), 2)]
    ['forbid label “a” at position 3', 'budget 20 at position 5']
    """
    return tuple(replace(edit, of=None) for edit in edits if edit.of in (None, number))


def renumber_edits(edits, kept):
    """The edits where methods have gone or moved: ``kept`` the old numbers of those that are there now, in order."""
    now = {old: new for new, old in enumerate(kept, 1)}
    return tuple(
        edit if edit.of is None else replace(edit, of=now[edit.of]) for edit in edits if edit.of in (None, *now)
    )


def only(view, kept):
    """A view with some of its methods, given by their numbers."""
    methods = tuple(view.methods[number - 1] for number in kept)
    return replace(view, methods=methods, edits=renumber_edits(view.edits, kept))


def arguments(edits, kind):
    """(arguments of a builder, edits that the method cannot follow): exact keeps every context, beam full histories."""
    call, unused = {"pin": [], "forbid": [], "budgets": {}}, []
    for edit in edits:
        if not _can_follow(BUILDERS[kind], edit):
            unused.append(edit)
        elif edit.kind == "budget":
            call["budgets"][edit.position] = edit.what
        else:
            call[edit.kind].append((edit.position, edit.what))
    return {name: value for name, value in call.items() if value}, unused


def _can_follow(method, edit):
    if edit.kind == "budget":
        return "budgets" in method.options
    if isinstance(edit.what, str):
        return True
    return method.edits_contexts and not (method.needs_whole_histories and len(edit.what) < edit.position)
