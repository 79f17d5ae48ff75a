"""Bounds for best-first search."""
