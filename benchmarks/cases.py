"""The cases by name."""

from importlib import import_module

MODULES = {
    "inference": "inference",
    "cliff": "cliff",
    "scale": "scale",
    "training": "training",
    "tasks": "tasks",
    "classifier": "classifier",
    "compile": "compiling",
    "first-view": "first_view",
    "step": "step",
    "mass-flow": "mass_flow",
    "class": "classroom",
}


def load_case(name):
    """The ``Case`` of a name."""
    return import_module(f"benchmarks.{MODULES[name]}").CASE
