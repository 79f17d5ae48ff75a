"""Labelled sequences: as numbered tables, from files, from features, and back."""
