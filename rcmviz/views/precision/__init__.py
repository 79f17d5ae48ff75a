"""The precision view: what a confidence is worth."""
