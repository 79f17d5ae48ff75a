"""Every compiled kernel: plain arrays in, arrays out, no validation.

Numba's on-disk cache notices a change in a kernel's own file, not in a file that it imports from. The cache folder
therefore carries a digest of all kernel sources: whatever changes, nothing stale is ever called.
"""

import hashlib
from pathlib import Path

from numba import config
from platformdirs import user_cache_dir


def _cache_folder():
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return str(Path(user_cache_dir("rcmviz")) / f"kernels-{digest.hexdigest()[:12]}")


_users_choice = config.CACHE_DIR
config.CACHE_DIR = _users_choice or _cache_folder()
try:
    from rcmviz.kernels import (
        align,
        align_cells,
        align_features,
        align_paths,
        align_train,
        arpa,
        ars,
        contexts,
        dense,
        full,
        ngrams,
        sweep,
        train,
        train_dense,
        weights,
        words,
    )
finally:
    config.CACHE_DIR = _users_choice

__all__ = [
    "align",
    "align_cells",
    "align_features",
    "align_paths",
    "align_train",
    "arpa",
    "ars",
    "contexts",
    "dense",
    "full",
    "ngrams",
    "sweep",
    "train",
    "train_dense",
    "weights",
    "words",
]
