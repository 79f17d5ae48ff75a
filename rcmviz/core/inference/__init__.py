"""What is asked of a lattice: posteriors, best outputs, draws, shares of mass; and the same for many words at once."""
