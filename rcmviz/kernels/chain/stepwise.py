"""What happens at one position, called from Python: each kernel of ``contexts.py`` and `select` on bare arrays."""

from rcmviz.kernels.bare_arrays import bare
from rcmviz.kernels.chain import contexts, selection
from rcmviz.kernels.kernel import kernel


@kernel()
def start(address, column):
    """`contexts.start`."""
    contexts.start(*bare((address, column)))


@kernel()
def expand(column, count, alpha, table, emit, logs, mass):
    """`contexts.expand`."""
    contexts.expand(*bare((column, count, alpha, table, emit, logs, mass)))


@kernel()
def fold(column, count, powers, root_proposes, logs, mass, slot):
    """`contexts.fold`."""
    contexts.fold(*bare((column, count, powers, root_proposes, logs, mass, slot)))


@kernel()
def join_images(column, before, count_before, powers, root_proposes, slot):
    """`contexts.join_images`."""
    contexts.join_images(*bare((column, before, count_before, powers, root_proposes, slot)))


@kernel()
def rank_by_posterior(column, count, previous_target, previous_beta, logs, mass, key):
    """`contexts.rank_by_posterior`."""
    contexts.rank_by_posterior(*bare((column, count, previous_target, previous_beta, logs, mass, key)))


@kernel()
def select(key, budget, logs, chosen):
    """`selection.select`."""
    return selection.select(*bare((key, budget, logs, chosen)))


@kernel()
def grow(here, count, chosen, position, address, rule, there, target):
    """`contexts.grow`."""
    return contexts.grow(*bare((here, count, chosen, position, address, rule, there, target)))


@kernel()
def map_images(here, there, size, previous_target):
    """`contexts.map_images`."""
    contexts.map_images(*bare((here, there, size, previous_target)))


@kernel()
def absorb(here, count, chosen, rule, logs, mass, alpha):
    """`contexts.absorb`."""
    return contexts.absorb(*bare((here, count, chosen, rule, logs, mass, alpha)))


@kernel()
def spread(column, count, following, size, ending, rule, logs, message, ahead):
    """`contexts.spread`."""
    contexts.spread(*bare((column, count, following, size, ending, rule, logs, message, ahead)))


@kernel()
def backward(column, count, table, emit, ahead, logs, beta):
    """`contexts.backward`."""
    contexts.backward(*bare((column, count, table, emit, ahead, logs, beta)))
