"""After the warm-ups of app.py no first view or click compiles or loads kernels."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOADED = """
import sys

from numba.core.registry import CPUDispatcher


def loaded():
    modules = [module for name, module in sys.modules.items() if name.startswith("rcmviz.kernels.")]
    everything = [kernel for module in modules for kernel in vars(module).values() if isinstance(kernel, CPUDispatcher)]
    return {(kernel.__name__, signature) for kernel in everything for signature in kernel.signatures}


"""
CLICKS = """
import rcmviz as rv
from rcmviz.ars import decode as ars
from rcmviz.core.builders import build
from rcmviz.lm.arpa import parse_arpa
from rcmviz.lm.doctor import examine
from rcmviz.search import builders as searches
from rcmviz.tasks.tagging.shipped import load_tagger
from rcmviz.searn import classifier as learning_to_search
from rcmviz.tasks.sms import messages as sms


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


# Before the server reports healthy only these are warmed: what a first view compiles waits behind all the others.
FIRST_VIEWS = """
from pages.home.examples import LOST, SMALL
from pages.word import blame, runs, trust
from pages.word.question import WordQuestion
from rcmviz.core.builders import build
from rcmviz.views.word import trust as panel

build.warm_up()
panel.warm_up()
before = loaded()

for settings in (WordQuestion(), WordQuestion(LOST, SMALL, compares=True)):
    runs.word_payload(settings.subject, settings.methods, settings.options, settings.edits)
    trust.trust_of(settings)
    blame.found_strips(settings)
print(*sorted({name for name, _ in loaded() - before}))
"""


# After the parts of `rcmviz warmup` that a classifier needs, whatever its settings and how many labels it has.
FITS = """
from itertools import product

from rcmviz import SequenceClassifier
from rcmviz.core.inference import batch
from rcmviz.core.methods import TRAINABLE
from rcmviz.learn import first_calls

first_calls.warm_up()
batch.warm_up()
before = loaded()

X = [[{"x": 1.5, "y": "z"}] * 4, [["u", "v"]] * 2, [{"x": "y"}]]
Y = [list("abca"), list("ab"), ["c"]]
MANY = [[f"label {i}" for i in range(40)], [["u"]] * 40]
for method, mode, average in product((*TRAINABLE, "two passes"), ("single", "additive"), (True, False)):
    kind = {"passes": 2} if method == "two passes" else {"method": method}
    how = {**kind, "mode": mode, "average": average, "order": 1, "epochs": 1}
    for X_, Y_ in ((X, Y), (MANY[1:], MANY[:1])):
        learner = SequenceClassifier(**how).fit(X_, Y_)
        learner.predict(X_), learner.predict_proba(X_), learner.score(X_, Y_)
SequenceClassifier(early_stopping=True, epochs=2).fit(X, Y).partial_fit(X, Y).predict(X)
SequenceClassifier(budget=40, order=3, epochs=1, l2=0.1).fit(MANY[1:] * 3, MANY[:1] * 3).predict(MANY[1:])
print(*sorted({name for name, _ in loaded() - before}))
"""


# After the parts that decipher and that read language models: letters take double precision, words single.
CIPHERS = """
import rcmviz as rv
from rcmviz.ars import decode as ars
from rcmviz.core.inference import batch
from rcmviz.core.methods import OF_EM
from rcmviz.experiments import decipherments
from rcmviz.tasks.decipher.letters import Solver, read_cryptogram
from rcmviz.tasks.decipher.symbols import Decipherment
from rcmviz.tasks.decipher.words import encipher

ars.warm_up(), batch.warm_up()
decipherments.warm_up()
before = loaded()

solver = Solver(read_cryptogram("Wkh fdw vdw rq wkh pdw, dqg wkh grj vohsw."), rv.load_lm("lm-english-characters"))
while solver.advance().stage != "swaps":
    pass
for method in OF_EM:
    Decipherment(encipher([("a", "b"), ("b", "a", "a"), ("a",)], lines=2), method, 3, order=2).advance()
print(*sorted({name for name, _ in loaded() - before}))
"""


@pytest.mark.parametrize(
    "script",
    [CLICKS, FIRST_VIEWS, FITS, CIPHERS],
    ids=["first click", "first view", "first fit", "first cryptogram"],
)
def test_nothing_is_left_to_compile(script):
    """In a process of its own: here other tests have loaded kernels."""
    run = subprocess.run([sys.executable, "-c", LOADED + script], capture_output=True, text=True, cwd=ROOT, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == []
