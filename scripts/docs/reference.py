"""The reference: every public name with its docstring, a page for each package of the library."""

import inspect

import rcmviz as rv

PACKAGES = {
    "core": "Models, lattices, questions",
    "views": "Showing and saving",
    "plot": "Figures",
    "sequences": "Sequences",
    "learn": "Learning",
    "evaluation": "Evaluation",
    "lm": "Language models",
    "ctc_decoding": "CTC",
    "ars": "Adaptive rejection",
    "proposal": "Proposals and bounds",
    "search": "Best-first search",
    "searn": "Learning to search",
    "mrf": "Markov fields",
    "tasks": "Tasks",
}


def reference():
    """``{name of the page: its Markdown}``, the index with them."""
    pages = {package: f"# {title}\n\n" for package, title in PACKAGES.items()}
    for name in sorted(set(rv.__all__) - {"__version__", "plot"}):
        value = getattr(rv, name)
        pages[value.__module__.split(".")[1]] += _entry(name, value)
    for name in rv.plot.__all__:
        pages["plot"] += _entry(f"plot.{name}", getattr(rv.plot, name))
    listed = "\n".join(pages)
    pages["index"] = (
        "# Every name\n\n`import rcmviz as rv` has them all. Each page is a part of the library.\n\n"
        f"```{{toctree}}\n{listed}\n```\n"
    )
    return pages


def _entry(name, value):
    kind, members = ("autoclass", "\n   :members:") if inspect.isclass(value) else ("autofunction", "")
    return f"## {name}\n\n```{{eval-rst}}\n.. {kind}:: rcmviz.{name}{members}\n```\n\n"
