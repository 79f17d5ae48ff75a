"""Lessons beside the live pages: the list of them, what the engine says of a view, and whether a task is done."""
