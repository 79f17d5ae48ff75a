"""Slow definitions, straight from the equations: standard library only."""
