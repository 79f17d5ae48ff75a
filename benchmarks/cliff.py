"""Whether some inputs take much longer per arc than others: long ones, extreme scores, many labels.

RCMS 10 and 50 and beam 10 of order 3, exact inference of order 1, through ``infer_batch`` with posteriors on one
thread; random weights. *N(0, s)* are random log emissions; *+10* and *+30* are N(0, 1), with one label of each
position higher by that much. Each cell has 4,000 positions in words of length T. Ratios are to the least time per arc
of the same method.
"""

from functools import partial

from benchmarks.case import Case
from benchmarks.random_models import peaked_emissions, random_emissions, random_model
from benchmarks.timing import cpu_ms

POSITIONS, QUICK = 4_000, 40
LENGTHS, WIDTHS = (20, 200, 2_000), (17, 26, 100)
EMISSIONS = {f"N(0, {deviation})": partial(random_emissions, deviation=deviation) for deviation in (1, 3, 10)} | {
    f"+{height}": partial(peaked_emissions, height=height) for height in (10, 30)
}
METHODS = {"RCMS 10": ("rcms", 10), "RCMS 50": ("rcms", 50), "beam 10": ("beam", 10), "exact 1": ("exact", 1)}


def arcs(method, budget, width, length):
    """Arcs of a word: each kept context has one for each label."""
    kept = [min(width if method == "exact" else budget, width**i) for i in range(length)]
    return sum(kept) * width


def time_per_arc(method, budget, width, emissions, quick):
    """Nanoseconds per arc at each length."""
    import rcmviz as rv

    model, calls = random_model(width, 1 if method == "exact" else 3), {}
    for length in LENGTHS[:1] if quick else LENGTHS:
        count = max(1, (QUICK if quick else POSITIONS) // length)
        words = [EMISSIONS[emissions](length, width, seed=seed) for seed in range(count)]
        task = partial(rv.infer_batch, model, words, method, budget, threads=1, posterior=True)
        calls[f"T {length}, ns per arc"] = cpu_ms(task), count * arcs(method, budget, width, length)
    return lambda: {name: 1e6 * measure()["CPU ms"] / size for name, (measure, size) in calls.items()}


CASE = Case(
    "time per arc",
    {
        f"{name}, V {width}, {emissions}": partial(time_per_arc, *method, width, emissions)
        for name, method in METHODS.items()
        for width in WIDTHS
        for emissions in EMISSIONS
    },
    repeats=3,
    group=lambda row: row.partition(",")[0],
)
