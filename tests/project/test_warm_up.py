"""After the warm-ups of app.py nothing is left to compile or to load, whatever a first click asks for."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys

from numba.core.registry import CPUDispatcher

import rcmviz as rv
from rcmviz.ars import decode as ars
from rcmviz.core import build
from rcmviz.lm.arpa import parse_arpa
from rcmviz.lm.doctor import examine
from rcmviz.search import builders as searches
from rcmviz.tasks.tagging.shipped import load_tagger
from rcmviz.searn import classifier as learning_to_search
from rcmviz.tasks.sms import messages as sms


def loaded():
    modules = [module for name, module in sys.modules.items() if name.startswith("rcmviz.kernels.")]
    everything = [kernel for module in modules for kernel in vars(module).values() if isinstance(kernel, CPUDispatcher)]
    return {(kernel.__name__, signature) for kernel in everything for signature in kernel.signatures}


def ask(lattice):
    for question in (rv.posterior, rv.viterbi, rv.sample):
        question(lattice)
    rv.kbest(lattice, 2), rv.mass(lattice, ("?", "*"))


build.warm_up()
ars.warm_up()
searches.warm_up()
learning_to_search.warm_up()
before = loaded()

X, y = [[{"a": 1.0}, {"b": 1.0}]] * 3, [["x", "y"]] * 3
learnt = rv.SearchClassifier(iterations=3).fit(X, y)
learnt.predict(X), learnt.compounding(X, y), learnt.explain(X[0], y[0], 1)
lm, tagger = rv.load_lm("lm-english-words"), load_tagger("tagger-ewt")
message = sms.read_digits(lm, "843 66639", most=50)
problem = lm, message.candidates, message.log_obs
for strategy in ("sweep", "worst", "jump"):
    for look_ahead in (True, False):
        how = {"strategy": strategy, "look_ahead": look_ahead}
        ask(rv.ars_decode(*problem, **how)[1].lattice(1))
        rv.ars_sample(*problem, n=5, **how), rv.ars_kbest(*problem, k=2, **how)
hmm = message.hmm(lm)
ask(rv.beam(hmm, budget=5)[0])
ask(rv.astar(hmm)[0]), ask(rv.best_first(hmm)[0])
ask(rv.rcms(hmm, budget=5, passes=2, deduplicate=True)[0])
ask(rv.exact(sms.read_digits(lm, "843 66639", most=5).hmm(lm))[0])
tagger.tag(["Time", "flies"], order=3), tagger.marginals(["Time", "flies"], order=3, n=5)
lm.next_words(["the"], 3), lm.max_log_prob("the"), lm.perplexity(["the end"])
examine(parse_arpa(ars.SMALLEST.replace(b"-3 a b", b"-3\\ta b\\t-0.5"), "pasted.arpa"))
print(*sorted({name for name, _ in loaded() - before}))
"""


def test_the_first_click_compiles_nothing():
    """In a process of its own: here other tests have loaded kernels."""
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, cwd=ROOT, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == []
