"""The application and the library use only documented interfaces of other projects: nothing private or replaced.

Remaining uses outside of compat.py are listed below. The list only shrinks.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = [ROOT / "app.py", *sorted(file for folder in ("pages", "rcmviz") for file in (ROOT / folder).rglob("*.py"))]
EXEMPT = {"pages/compat.py", "rcmviz/kernels/compat.py"}
OURS = {"rcmviz", "pages", "app"}

# Modules that their projects do not document for use by others.
PRIVATE = (
    "asyncio.base_events",
    "asyncio.selector_events",
    "numba.core",
    "numba.cpython",
    "numba.misc",
    "numba.np",
    *(f"streamlit.{name}" for name in ("config", "delta_generator", "elements", "proto", "runtime", "web")),
)
# What changes how Python works for everybody in the process.
SETTINGS = {"asyncio.set_event_loop_policy", "gc.disable", "gc.enable", "gc.set_threshold", "sys.setswitchinterval"}
DOCUMENTED = {"os._exit"}

ALLOWED = {
    "rcmviz/kernels/__init__.py": {"numba.config.CACHE_DIR", "numba.core.event"},
    "rcmviz/kernels/damaged.py": {"numba.core.event"},
    "rcmviz/kernels/lane_moves.py": {"numba.core.cgutils"},
    "rcmviz/kernels/lanes.py": {
        "numba.core.datamodel.models.PrimitiveModel",
        "numba.core.typing.templates.ConcreteTemplate",
        "numba.core.typing.templates.infer_global",
        "numba.core.typing.templates.signature",
    },
    "rcmviz/kernels/llvm.py": {"numba.core.cgutils"},
    "rcmviz/kernels/notice.py": {"numba.core.event"},
}


def found_in(source):
    """Return the undocumented names that a source uses, of modules, attributes and functions.

    >>> sorted(found_in("from streamlit import runtime\\nimport os\\nos.name = ''\\nloop.create_server = None"))
    ['loop.create_server', 'os.name', 'streamlit.runtime']
    """
    nodes = list(ast.walk(ast.parse(source)))
    modules = _modules(nodes)
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names if _is_private(name.name)}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found |= {name for name in _imported(node) if _is_private(name)}
        elif isinstance(node, ast.Attribute):
            name = _dotted(node, modules)
            if name and (_is_misused(name, node) or (_is_private(name) and not _is_counted(name, modules))):
                found.add(name)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("setattr", "delattr"):
            patched = _dotted(node.args[0], modules)
            found |= {f"{patched}: {node.func.id}"} if patched else set()
    return found


def _modules(nodes):
    """Return third-party modules and names imported from them, by their name in a source."""
    known = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for name in node.names:
                top = name.name.partition(".")[0]
                known[name.asname or top] = name.name if name.asname else top
        elif isinstance(node, ast.ImportFrom) and not node.level:
            known |= {one.asname or one.name: name for one, name in zip(node.names, _imported(node), strict=True)}
    return {name: module for name, module in known.items() if module.partition(".")[0] not in OURS}


def _is_counted(name, modules):
    """Whether an attribute belongs to a private import, which is counted itself."""
    return any(_is_private(module) and name.startswith(f"{module}.") for module in modules.values())


def _imported(node):
    return [f"{node.module}.{name.name}" for name in node.names]


def _dotted(node, modules):
    """``a.b.c`` of an expression that begins with a module of others, else None."""
    parts = []
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "loop":
        return f"loop.{node.attr}"
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in modules:
        return None
    return ".".join([modules[node.id], *reversed(parts)])


def _is_private(name):
    top, last = name.partition(".")[0], name.rpartition(".")[2]
    is_hidden = last.startswith("_") and not last.endswith("__") and name not in DOCUMENTED
    return top not in OURS and (is_hidden or any(f"{name}.".startswith(f"{module}.") for module in PRIVATE))


def _is_misused(name, node):
    """Whether an attribute of a module of others is replaced, or is a setting for everybody."""
    is_state = name.startswith(("streamlit.session_state.", "streamlit.query_params."))
    return name in SETTINGS or (isinstance(node.ctx, ast.Store | ast.Del) and not is_state)


def test_nothing_private_is_used():
    found = {}
    for file in FILES:
        name = file.relative_to(ROOT).as_posix()
        new = set() if name in EXEMPT else found_in(file.read_text(encoding="utf-8")) - ALLOWED.get(name, set())
        found |= {name: sorted(new)} if new else {}
    assert not found, "use what these projects document, or a compat.py with a fallback and its test"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import streamlit as st\nst.session_state.x = 1\nst.cache_resource(int)", set()),
        ("import streamlit.web.bootstrap", {"streamlit.web.bootstrap"}),
        ("import streamlit as st\nst.App = st.runtime", {"streamlit.App", "streamlit.runtime"}),
        ("from streamlit.proto.BackMsg_pb2 import BackMsg", {"streamlit.proto.BackMsg_pb2.BackMsg"}),
        ("from streamlit.testing.v1 import AppTest\nimport numba\nfrom numba.extending import intrinsic", set()),
        ("import numba\nnumba.core.event", {"numba.core.event", "numba.core"}),
        ("import asyncio as a\na.base_events.X", {"asyncio.base_events.X", "asyncio.base_events"}),
        (
            "import gc, sys\ngc.freeze()\ngc.collect()\ngc.set_threshold(1)\nsys.setswitchinterval(1)",
            {"gc.set_threshold", "sys.setswitchinterval"},
        ),
        ("import numpy as np\nnp._core\nnp.__version__", {"numpy._core"}),
        ("from rcmviz.core import _own\n_own._part", set()),
        ("import json\nsetattr(json, 'dumps', None)", {"json: setattr"}),
    ],
)
def test_private_names_are_detected(source, found):
    assert found_in(source) == found
