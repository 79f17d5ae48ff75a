"""Figures of finished tables; every function returns a plotly figure and changes nothing.

>>> import rcmviz as rv
>>> lattice, trace = rv.rcms(rv.NgramModel.from_windows("ab", 1, {}), [[0.1, 0.0]] * 3, budget=1)
>>> type(rv.plot.heatmap(lattice)).__name__
'Figure'
"""

from rcmviz.plot.compare import compare, label_posteriors
from rcmviz.plot.heatmap import heatmap
from rcmviz.plot.mass_flow import mass_flow
from rcmviz.plot.precision import precision_recall, reliability, risk_coverage
from rcmviz.plot.strip import strip
from rcmviz.plot.tree import context_tree

__all__ = [
    "compare",
    "context_tree",
    "heatmap",
    "label_posteriors",
    "mass_flow",
    "precision_recall",
    "reliability",
    "risk_coverage",
    "strip",
]
