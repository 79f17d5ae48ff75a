"""CPU time and memory of the engine, the classifier and the application, compared with peers and other checkouts.

``python -m benchmarks`` measures; docs/benchmarks.md explains the cases and keeps a run.
"""
