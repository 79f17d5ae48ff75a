"""Kernels of training: examples one by one, and rows of weights that learn."""
