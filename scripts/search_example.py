"""Write what the Search page opens with, so that its first views wait for no kernel and no training.

To be run again when the pen, its model, the searches, trainings or payloads change; tests/pages/test_search_page.py
tells. With ``find`` it prints words of the lexicon on which the searches of the first tab differ in a telling way: a
short queue, a greedy search and a beam of ten go wrong where A* proves the right word in a few dozen expansions.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import rcmviz as rv
from pages.search import runs
from pages.search.link import TABS, SearchQuestion
from pages.search.searches import subject_of
from rcmviz.core.whole_file import write_text
from rcmviz.tasks.handwriting.lexicon import LEXICON

SHOWN = range(20, 60)  # expansions of A* that fill a picture
BEAM = 10


def write():
    """The payload of every tab, as it is without any settings."""
    payloads = {tab: runs.computed(SearchQuestion(tab=tab)) for tab in TABS}
    text = json.dumps(payloads, separators=(",", ":"), ensure_ascii=False)
    write_text(runs.EXAMPLE, text + "\n")
    print(f"{runs.EXAMPLE.stat().st_size:,} bytes in {runs.EXAMPLE}")


def find():
    """Print words and writers, with what each search reads."""
    usual = SearchQuestion()
    for word in (word for word in LEXICON if 6 <= len(word) <= 9):
        for seed in range(3):
            subject = subject_of(SearchQuestion(word=word, seed=seed).only("subject", "word"))
            best = rv.search_best(subject.problem(usual.bound), most=SHOWN.stop)
            if best.pops not in SHOWN or not best.answers or "".join(best.best.steps) != word:
                continue
            others = [rv.search_best(subject.problem(), queue=queue) for queue in (1, usual.queue)]
            read = ["".join(other.best.steps) if other.answers else "" for other in others]
            read.append("".join(rv.viterbi(subject.run("beam", budget=BEAM)).labels))
            if word not in read:
                print(word, seed, best.pops, *read)


find() if sys.argv[1:] == ["find"] else write()
