"""The learning view: curves, checkpoints, what was learned."""
