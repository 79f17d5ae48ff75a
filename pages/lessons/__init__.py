"""Lessons beside the live pages: the list of them, what the engine says of a view, and whether a task is done."""

from pages.shell.nav import NavEntry

NAV = NavEntry("Lessons", "school", "Begin", 20, "Take the course", kind="function")
