"""Models, their files, and how each kind scores the arcs of a lattice."""
