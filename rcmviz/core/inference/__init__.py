"""Inference on lattices: posteriors, best outputs, draws, shares of mass; for one word or many at once."""
