"""Data sets that are fetched, not shipped: what they are (``registry``) and how they come here (``download``)."""
