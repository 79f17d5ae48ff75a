"""Random small problems for property tests, and texts for readers."""
