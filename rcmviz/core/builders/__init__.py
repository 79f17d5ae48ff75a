"""Builders of lattices, and what builds lattices to judge an output: its loss, its blame, the budget it needs."""
