"""The lattice, its builders, what is asked of it, and the models that score its arcs."""
