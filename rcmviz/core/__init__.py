"""Models, lattices and their builders, what is asked of a lattice, and problems; ``methods`` is the one registry.

Subpackages, each of which imports only those above it: ``shared``, ``models``, ``lattices``, ``inference``,
``builders``, ``problems``.
"""
