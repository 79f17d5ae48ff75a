"""Reasons why a page has no answer, other than an invalid question (ValueError)."""


class NeedsInput(ValueError):
    """Something is still to be chosen, pasted or uploaded; the message names it.

    ``icon`` is that of the message on the page; None if the form says the same.
    """

    def __init__(self, message: str, icon: str | None = "arrow_upward"):
        super().__init__(message)
        self.icon = icon


class MissingData(ValueError):
    """This computer does not have the data; the message says how to get it."""
