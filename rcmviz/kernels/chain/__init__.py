"""Kernels of chains: one position, many words, exact inference, sums over a lattice."""
