"""The pages of the application, found by their folders.

``NAV`` in a folder's ``__init__.py`` lists a page in the navigation, ``PAGE`` in its ``page.py`` declares it. A
declaration is imported when its page is opened, linked to or tested: importing all of them takes seconds.
"""

import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pages as package
from pages.shell.capability import Capability
from pages.shell.nav import GROUPS, NavEntry


@cache
def nav_entries() -> tuple[NavEntry, ...]:
    """Return the entries of all pages, in the order of the navigation."""
    found = []
    for module in iter_modules(package.__path__):
        entry = getattr(import_module(f"pages.{module.name}"), "NAV", None) if module.ispkg else None
        if entry is not None:
            found.append(entry.in_folder(module.name))
    return tuple(sorted(found, key=lambda entry: (GROUPS.index(entry.group), entry.order, entry.name)))


@cache
def entry_named(name: str) -> NavEntry:
    """Return the entry of a page; ValueError if there is no such page."""
    found = next((entry for entry in nav_entries() if entry.name == name), None)
    if found is None:
        raise ValueError(f"there is no page {name!r}; there are {', '.join(entry.name for entry in nav_entries())}")
    return found


def view_at(path: str) -> str:
    """Return the name of the view that the page at a path of the address opens with; "" if it has none."""
    name = path.rpartition("/")[2]
    return next((entry.view for entry in nav_entries() if entry.name == name), "")


@cache
def names() -> tuple[str, ...]:
    """Return the names of the declared pages."""
    return tuple(entry.name for entry in nav_entries() if entry.kind == "capability")


@cache
def page_named(name: str) -> Capability[Any, Any]:
    """Return the declaration of a page."""
    module = import_module(_module_of(name))
    page: Capability[Any, Any] = module.PAGE
    if page.name != name:
        raise ValueError(f"{module.__file__} declares the page {page.name!r}; its address is {name!r}")
    return page


def pages() -> dict[str, Capability[Any, Any]]:
    """Return all declarations by name."""
    return {name: page_named(name) for name in names()}


def pages_in_use() -> dict[str, Capability[Any, Any]]:
    """Return the declarations that this process has already imported, by name."""
    return {name: page_named(name) for name in names() if _module_of(name) in sys.modules}


def folder_of(name: str) -> Path:
    """Return the folder of a page."""
    return Path(str(import_module(f"pages.{entry_named(name).folder}").__file__)).parent


def _module_of(name: str) -> str:
    return f"pages.{entry_named(name).folder}.page"
