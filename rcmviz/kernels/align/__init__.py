"""Kernels of alignments: features, one cell, all cells, best paths, training."""
