"""Every compiled kernel: plain arrays in, arrays out, no validation.

Numba's on-disk cache notices a change in a kernel's own file, not in a file that it imports from. The cache folder of
each module therefore carries a digest of its source and of all that it imports from here: nothing stale is ever
called, and an edit recompiles only the code that depends on it.

What a kernel calls is optimised once for itself and once more within each kernel that calls it. A function that Python
never calls is a ``helper`` or ``part`` (``kernel.py``); a few lines that are called from one place are
``inline="always"``: they become part of their caller before types are inferred, and take on its flags.

What Python calls makes its arrays bare first (``bare_arrays.py``), so that all behind it compiles in less time, and it
gets the arrays that it works in from Python; if they are many, packed (``packed.py``). No index may be negative there,
also not by the data.

Numba counts the references to every array that is taken out of a tuple. What makes no array needs no count: in the
families ``align`` and ``ars`` it has ``_nrt=False``; such a kernel cannot return an array, which would have no owner.
"""

import hashlib
import re
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

from numba import config
from numba.core import event

from rcmviz.cache_folders import choose_code_folder
from rcmviz.kernels.damaged import CODE_FILES
from rcmviz.kernels.notice import NOTICE

IMPORT = re.compile(r"^ *from +(\S+) +import +(\([^)]*\)|.*)", re.MULTILINE)  # to parse all kernels takes .1 s


def _read_sources():
    """``{module: source}`` of all kernels: in the folders of their families, and here what several families share."""
    here = Path(__file__).parent
    files = sorted(here.rglob("[!_]*.py"))
    return {".".join((__name__, *file.relative_to(here).with_suffix("").parts)): file.read_bytes() for file in files}


def _imported(source, modules):
    """Those of the modules that a source imports, or imports names from."""
    imports = IMPORT.findall(source.decode())
    names = {
        name for module, listed in imports for name in (module, *(f"{module}.{x}" for x in re.findall(r"\w+", listed)))
    }
    return sorted(names & set(modules))


def _cache_digests(sources):
    """``{module: digest}`` of each source and all that it imports from, in an order in which they can be imported."""
    needs = {name: _imported(source, sources) for name, source in sources.items()}
    digests = {}
    for name in TopologicalSorter(needs).static_order():
        known = [sources[name], *(digests[other].encode() for other in needs[name])]
        digests[name] = hashlib.sha256(b"\0".join(known)).hexdigest()[:12]
    return digests


def _import_all():
    """Numba reads its cache folder where a kernel is defined, so each is defined while that folder is its own."""
    users_choice = config.CACHE_DIR
    folder, fault = choose_code_folder(users_choice)
    if fault:
        NOTICE.say_folder(folder, fault)
    try:
        for name, digest in _cache_digests(_read_sources()).items():
            config.CACHE_DIR = "" if folder is None else str(folder / digest)
            import_module(name)
    finally:
        config.CACHE_DIR = users_choice


_import_all()
event.register("numba:compile", NOTICE)
event.register("numba:compile", CODE_FILES)
