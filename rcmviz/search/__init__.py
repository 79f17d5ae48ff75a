"""Best-first search of any problem that can be extended step by step, with a trace of every pop."""
