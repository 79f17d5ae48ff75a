"""`rcmviz reproduce search`: the tables of learning to search; each module ``…_tables`` makes its own part."""

from rcmviz.experiments.search.entry import cell, code_digest, effort, report, specs, warm_up

__all__ = ["cell", "code_digest", "effort", "report", "specs", "warm_up"]
