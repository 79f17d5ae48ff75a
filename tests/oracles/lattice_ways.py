"""All outputs of a small lattice with their paths, by enumeration of its arcs."""

import itertools
import math


def ways_of(lattice):
    """``[(label indices, contexts of the columns 0 … T, probability)]``; nothing where no output is possible."""
    found = []
    for indices in itertools.product(range(lattice.width), repeat=lattice.T):
        contexts, log_mass = [0], 0.0
        for y in indices:
            log_mass += lattice.score[contexts[-1], y]
            contexts.append(int(lattice.target[contexts[-1], y]))
            if contexts[-1] < 0:
                break
        else:
            found.append((indices, contexts, math.exp(log_mass)))
    total = sum(weight for *_, weight in found)
    return [(indices, contexts, weight / total) for indices, contexts, weight in found] if total else []
