"""Why candidates were kept or not: sentences of the trace, each once, with gaps for what differs between candidates."""

from rcmviz.core.lattices.trace import ordinal

MERGED, JOINED = 1, 2  # of the fates: mass has gone to the context that the sentence ends with


class Sentences:
    """Sentences with gaps, each once, in the order in which they were first needed.

    >>> sentences = Sentences()
    >>> sentences.place("`ab` is 2nd of 4, so its 0.38 joined `*`", "ab", 2, "0.38", "*")
    0
    >>> sentences.all
    ['`{name}` is {rank} of 4, so its {mass} joined `{into}`']
    """

    def __init__(self):
        self._places = {}

    @property
    def all(self):
        """The sentences that were placed."""
        return list(self._places)

    def place(self, sentence, name, rank, mass, carrier=None, key=None):
        """The number of a sentence that begins with a name in backticks and ends with that of the ``carrier``; ``key``
        is in it in parentheses.
        """
        text = "`{name}`" + sentence.removeprefix(f"`{name}`")
        if carrier is not None:
            text = text.removesuffix(f"`{carrier}`") + "`{into}`"
        text = text.replace(f" is {ordinal(rank)} of ", " is {rank} of ", 1)
        if key is not None:
            text = text.replace(f" ({key})", " ({key})", 1)
        before, found, after = text.rpartition(f" {mass}")
        if found:
            text = before + " {mass}" + after
        return self._places.setdefault(text, len(self._places))
