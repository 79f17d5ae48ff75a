"""Every compiled kernel: plain arrays in, arrays out, no validation.

Numba's on-disk cache notices a change in a kernel's own file, not in a file that it imports from. The cache folder
therefore carries a digest of all kernel sources: whatever changes, nothing stale is ever called.
"""

import hashlib
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

from numba import config
from platformdirs import user_cache_dir


def _cache_folder():
    digest, here = hashlib.sha256(), Path(__file__).parent
    for source in sorted(here.rglob("*.py")):
        digest.update(source.read_bytes())
    return str(Path(user_cache_dir("rcmviz")) / f"kernels-{digest.hexdigest()[:12]}")


def _import_all():
    """Numba reads its cache folder where a kernel is defined, so all are defined while that folder is ours."""
    users_choice = config.CACHE_DIR
    config.CACHE_DIR = users_choice or _cache_folder()
    try:
        for module in walk_packages(__path__, f"{__name__}."):
            import_module(module.name)
    finally:
        config.CACHE_DIR = users_choice


_import_all()
