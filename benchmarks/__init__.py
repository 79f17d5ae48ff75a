"""What the engine, the classifier and the application cost, compared with peers, bounds and other checkouts.

``python -m benchmarks`` measures; docs/benchmarks.md explains the cases and keeps a run.
"""
