"""RCMS as a proposal: outputs drawn from its lattice and weighted to the full model, which it only approximates."""
