"""Numbers in sentences that a person reads."""


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun, which takes an s in the plural or is ``plural`` then.

    >>> counted(1, "word"), counted(1_200, "word"), counted(2, "hypothesis", "hypotheses")
    ('1 word', '1,200 words', '2 hypotheses')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
