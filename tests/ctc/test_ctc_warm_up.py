"""`rcmviz warmup` compiles all kernels that decoding and viewing frames needs."""

import subprocess
import sys

USED = """
import sys
import numpy as np
import rcmviz as rv
from rcmviz.ctc_decoding import decode
from rcmviz.views.ctc.payload import build_ctc

def compiled():
    modules = [module for name, module in sys.modules.items() if name.startswith("rcmviz.kernels.")]
    kernels = {one for module in modules for one in vars(module).values() if hasattr(one, "py_func")}
    return {(one.py_func.__module__, one.__name__, signature) for one in kernels for signature in one.signatures}

lm, words = rv.train_lm(["a b a _ b"], order=3), rv.train_lm(["a ab"], order=2)
decode.warm_up()
ahead = compiled()
frames = np.log(np.random.default_rng(0).dirichlet([1.0] * 4, 6))
for options in (
    {}, {"lm": lm}, {"lm": lm, "passes": 2}, {"method": "beam", "lm": lm}, {"method": "exact"},
    {"lm": words, "separator": "_"}, {"lm": words, "separator": "_", "method": "beam"},
):
    read = rv.ctc(frames, "ab_", **options)
    read.nbest(3), read.frames, read.posterior, read.words("_"), read.confidences_of("ab"), build_ctc(read, "ab")
print(sorted(compiled() - ahead))
"""


def test_nothing_is_compiled_after_the_warm_up():
    done = subprocess.run([sys.executable, "-c", USED], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
