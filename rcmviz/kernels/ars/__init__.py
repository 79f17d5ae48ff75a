"""Kernels of adaptive rejection: the automaton that grows, and the full one to compare with."""
