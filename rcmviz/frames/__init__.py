"""The former name of ``rcmviz.ctc_decoding``, until the next release."""

import sys
import warnings
from importlib import import_module

warnings.warn("rcmviz.frames is called rcmviz.ctc_decoding", DeprecationWarning, stacklevel=2)
for _name in ("decode", "file", "transcript"):
    sys.modules[f"{__name__}.{_name}"] = globals()[_name] = import_module(f"rcmviz.ctc_decoding.{_name}")
