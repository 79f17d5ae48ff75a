"""Models, lattices and their builders, inference on lattices, and problems; ``methods`` is the one registry.

Subpackages, each of which imports only those above it: ``shared``, ``models``, ``lattices``, ``inference``,
``builders``, ``problems``.
"""
