"""Links of pages with plausible values: within the limits of each field, at them, a step outside, and other pages' own.

All of it is derived from the declarations of the pages: a new page or field is fuzzed without a line here.
"""

from __future__ import annotations

import json
from functools import cache
from random import Random
from typing import Any
from urllib.parse import parse_qsl

from fuzz.damage import NUMBERS
from fuzz.files import FIXTURES
from pages.shell import registry
from pages.shell.link import EVERYWHERE, Link, Parameter
from pages.shell.text_store import PREFIX
from rcmviz.lessons.shelf import course

Query = dict[str, Any]  # values are texts; a list is a parameter that stands there several times
TEXTS = (
    "",
    " ",
    "a",
    "on it",
    "exactly",
    "naïve",
    "Ωμέγα",
    "字",
    "\u2603",
    "\u202eabc",
    "a\u0301",
    "'\"<b>&amp;",
    "*ol",
    "^",
)
ODD = (*TEXTS, *NUMBERS, PREFIX + "A" * 32, PREFIX + "../../x", "null", "None", "true", "[]", "{}", "a,b:c@d;e")
MOST_CHANGED = 6


def plausible_link(page: str, random: Random) -> Query:
    """A link of a page: one of its own, in which a few parameters have other values."""
    query: Query = dict(random.choice(known_links(page)))
    parameters = parameters_of(page)
    for parameter in random.sample(parameters, min(random.choice((0, 1, 1, 2, 3, MOST_CHANGED)), len(parameters))):
        value = plausible_value(parameter, page, random)
        if value is not None:
            query[parameter.name] = value
    if random.random() < 0.1:  # a parameter of another page
        name = random.choice(sorted(known_values()))
        query[name] = random.choice(known_values()[name])
    if random.random() < 0.1:
        query["lesson"] = random.choice((*ODD, *(lesson.name for lesson in course())))
        query |= {name: random.choice(("0", "1", "2", *ODD)) for name in EVERYWHERE if name not in query}
    if random.random() < 0.1 and query:
        name = random.choice(list(query))
        query[name] = [query[name], random.choice(ODD)]
    return query


def plausible_value(parameter: Parameter, page: str, random: Random) -> str | None:
    """A value of a parameter, as a link writes it; None if no link can carry the one that was chosen."""
    kind, limits = random.random(), parameter.limits
    if kind < 0.1:
        return random.choice(ODD)
    if kind < 0.25 and parameter.name in known_values():
        return random.choice(known_values()[parameter.name])
    if "options" in limits:
        return parameter.encode(random.choice(limits["options"]))
    if "max_chars" in limits:
        longest = limits["max_chars"]
        return random.choice((*TEXTS, "a" * longest, "é" * longest, "a b " * (longest // 4), "a" * (longest + 1)))
    if "min_value" in limits:
        return parameter.encode(_number(limits, page, random))
    return random.choice((*known_values().get(parameter.name, ()), "0", "1", *TEXTS))


def _number(limits: dict[str, Any], page: str, random: Random) -> float:
    """A number within limits, at them, or a step outside."""
    low, high = limits["min_value"], limits["max_value"]
    high = high(_default(page).place()) if callable(high) else high
    step = (high - low) / 1_000 if isinstance(low, float) else 1
    kind = random.random()
    if kind < 0.3:
        return random.choice((low, high))
    if kind < 0.4:
        return random.choice((low - step, high + step))
    if kind < 0.7:  # small ones, which cost little
        return min(low + step * random.randrange(20), high)
    return random.uniform(low, high) if isinstance(low, float) else random.randint(low, high)


@cache
def parameters_of(page: str) -> list[Parameter]:
    """The parameters of a page's link, of the links within it, and of where its view stands."""
    if page not in registry.names():
        return []
    place = _default(page).place()
    return [*_parameters(_default(page)), *(_parameters(place) if place else ())]


def _default(page: str) -> Any:
    return registry.page_named(page).default


def _parameters(link: Any) -> list[Parameter]:
    own = [one for one in link.parameters().values() if isinstance(one, Parameter)]
    own += [Parameter(name, str, str) for one in link.parameters().values() for name in one.names if one not in own]
    inner = [value for name in link.parameters() if isinstance(value := getattr(link, name), Link)]
    return own + [parameter for each in inner for parameter in _parameters(each)]


@cache
def known_links(page: str) -> list[Query]:
    """The links that a page opens with, its examples, those of lessons, and those of earlier versions."""
    found: list[Query] = [{}]
    if page in registry.names():
        declared = registry.page_named(page)
        found += [question.write() for question in declared.openings().values()]
        found += [example.question.write() for example in declared.examples]
    views = [step.view for lesson in course() for step in lesson.steps]
    found += [dict(view.query) for view in views if view and view.page == page]
    old = json.loads((FIXTURES / "links-0.2.json").read_text(encoding="utf-8"))
    found += [dict(parse_qsl(link["query"], keep_blank_values=True)) for link in old if link["page"] == page]
    return found


@cache
def known_values() -> dict[str, list[str]]:
    """The values of each parameter in the links of all pages, by its name."""
    found: dict[str, dict[str, None]] = {}
    for entry in registry.nav_entries():
        for query in known_links(entry.name):
            for name, value in query.items():
                found.setdefault(name, {})[value] = None
    return {name: list(values) for name, values in found.items()}
