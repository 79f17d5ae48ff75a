"""All tables of learning to search as one reproduction: a part per module, each with its own specs, cells and text.

A part is a module with ``specs(plan)``, the dicts that its ``cell(spec)`` is run with; ``effort(spec)``, how long a
cell takes (1 is about a second); ``sections(plan, results)``, its tables in Markdown, from
its own results; and ``SOURCES``, what decides an outcome, as in ``trainings.py``. A change of these sources runs the
cells of that part again, and no others.
"""

from dataclasses import asdict
from importlib import import_module
from types import ModuleType

from rcmviz.experiments import trainings
from rcmviz.experiments.report import Plan, Report
from rcmviz.learn import trainer

SEEDS = 3
PARTS = ("perceptron_tables", "decoding_tables", "searn_tables")


def part(name: str) -> ModuleType:
    """The module of a part."""
    return import_module(f"rcmviz.experiments.search.{name}")


def specs(plan: Plan) -> list[dict]:
    """The specs of all parts; each says its part and the digest of what decides its outcome."""
    return [
        {"part": name, "code": trainings.code_digest(part(name).SOURCES)} | spec
        for name in PARTS
        for spec in part(name).specs(plan)
    ]


def cell(spec: dict) -> dict:
    """The outcome of a spec, by its part."""
    return part(spec["part"]).cell(spec)


def effort(spec: dict) -> float:
    """Work of a cell, for the progress bar."""
    return part(spec["part"]).effort(spec)


def code_digest() -> str:
    """The same always: each spec carries the digest of its own part."""
    return ""


def warm_up() -> None:
    """Compile or load the kernels of trainings."""
    trainer.warm_up()


def report(plan: Plan, results: list[dict]) -> Report:
    """The tables of all parts, one after the other."""
    asked = specs(plan)
    texts = [
        part(name).sections(plan, [one for spec, one in zip(asked, results, strict=True) if spec["part"] == name])
        for name in PARTS
    ]
    words = "# Learning to search\n\n" + "\n\n".join(texts) + "\n"
    document = {
        "name": "search",
        "plan": asdict(plan),
        "runs": [spec | one for spec, one in zip(asked, results, strict=True)],
    }
    return Report("search", words, document)
