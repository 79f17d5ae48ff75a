"""Contexts, position by position: their candidates, and which of these become contexts; ``words.py`` runs over words.

A column of contexts is one integer array ``contexts (FIELDS, C)``; parents are numbered before their children. A
candidate ``(k, y)`` extends context ``k`` by label ``y``. Masses are probabilities up to a scale, or their logs where
``logs`` is set. ``address`` is a `RowAddress`, ``rule`` a `Rule` of ``state.py``.
"""

import numpy as np

from rcmviz.kernels.bare_arrays import as_in, fast_loops
from rcmviz.kernels.chain.masses import add_row, exponentiate, log_add, rescale
from rcmviz.kernels.kernel import helper, kernel
from rcmviz.kernels.rows import ZERO, copy_row, fill, fill_column
from rcmviz.kernels.search_sorted import find

# Labels remembered · the last n of them in base Y · model row · least ancestor · last label · context extended ·
# the context of the pass before that it maps to · the context that speaks for its candidates when joining equals
LENGTH, CODE, ROW, PARENT, LABEL, ORIGIN, IMAGE, TWIN, FIELDS = 0, 1, 2, 3, 4, 5, 6, 7, 8


@helper(_nrt=False)
def find_row(address, position, length, code):
    """The model row of a context: its dense address, or its place among the sparse ``keys`` (the last row is zero).

    ``code`` is below ``Y^min(length, n)``.
    """
    powers, base, keys = address.powers, address.base, address.keys
    order = powers.size - 1
    known = min(length, order)
    wanted = base[min(position, order), known] + code
    if keys.size == 0:
        return wanted
    here = find(keys, 0, keys.size, wanted)
    if here >= 0:
        return here
    # The sum over suffixes of which the longest have no weights of their own is that of a shorter one.
    while address.additive and known >= 0:
        wanted = base[order, known] + code % powers[known]
        here = find(keys, 0, keys.size, wanted)
        if here >= 0:
            return here
        known -= 1
    return keys.size


@helper(_nrt=False)
def start(address, contexts):
    """Column 0: the empty history."""
    put_root(address, ZERO, contexts)


@kernel(inline="always")
def put_root(address, position, contexts):
    """Context 0 of a column: the one that remembers nothing."""
    fill_column(contexts, 0, 0)
    contexts[PARENT, 0] = -1
    contexts[LABEL, 0] = -1
    contexts[ORIGIN, 0] = -1
    contexts[ROW, 0] = find_row(address, position, ZERO, ZERO)


@helper(_nrt=False)
def expand(contexts, count, alpha, table, emit, logs, mass):
    """``mass[k, y] = alpha[k] · table[row(k), y] · emit[y]``, sums where ``logs``."""
    fast_loops()
    width = emit.size
    for k in range(count):
        weight = table[contexts[ROW, k]]
        forward = alpha[k]
        out = mass[k]
        if logs:
            for y in range(width):
                out[y] = forward + weight[y] + emit[y]
        else:
            for y in range(width):
                out[y] = forward * weight[y] * emit[y]


@helper(_nrt=False)
def place_of(key, contexts, modulus, slot):
    """The place in ``slot`` of the context whose last n − 1 labels are ``key``, or the empty one where it would go."""
    place = (key * 2654435761) & (slot.size - 1)
    while slot[place] >= 0 and contexts[CODE, slot[place]] % modulus != key:
        place = (place + 1) & (slot.size - 1)
    return place


@helper(_nrt=False)
def fold(contexts, count, powers, root_proposes, logs, mass, slot):
    """Give candidates that no future can tell apart to the first of them: TWIN of k is the context that speaks for k.

    Contexts equal in their last n − 1 labels make candidates equal in their last n. ``slot`` is an open-addressing hash
    of a power of two of places. A twin is never an ancestor's child only: where the suffix of n − 1 labels is itself a
    context, it is the parent of the others, hence numbered first, hence speaks. A root that proposes nothing stays out.
    """
    order, twin = powers.size - 1, contexts[TWIN]
    zero = -np.inf if logs else 0.0
    fill(slot, -1)
    for k in range(count):
        twin[k] = k
        if contexts[LENGTH, k] < order - 1 or (k == 0 and not root_proposes):
            continue
        key = contexts[CODE, k] % powers[order - 1]
        place = place_of(key, contexts, powers[order - 1], slot)
        if slot[place] < 0:
            slot[place] = k
        else:
            twin[k] = slot[place]
            add_row(mass[twin[k]], mass[k], logs)
            fill(mass[k], zero)


@helper(_nrt=False)
def join_images(contexts, before, count_before, powers, root_proposes, slot):
    """IMAGE of each context that speaks for others: one of the pass before that made the same candidates, if any did.

    Its own longest suffix there may be a shorter one, from which no arc leads to contexts of n labels; all that are
    equal in their last n − 1 lead to the same ones. ``slot`` is as `fold` left it.
    """
    order = powers.size - 1
    for j in range(count_before):
        if before[LENGTH, j] < order - 1 or (j == 0 and not root_proposes):
            continue
        key = before[CODE, j] % powers[order - 1]
        place = place_of(key, contexts, powers[order - 1], slot)
        if slot[place] >= 0:
            contexts[IMAGE, slot[place]] = j


@helper(_nrt=False)
def grow(here, count, chosen, position, address, rule, there, target):
    """The next column and the total transition; ``chosen`` are the candidates that are kept, ascending.

    ``target(k, y)`` is the new context of ``(k, y)`` where it was kept, else ``target(parent(k), y)``, else the root
    (or −1 where nothing is merged); the parent of a new context is ``target(parent(k), y)``. Returns the column's size.
    """
    if rule.merging:
        put_root(address, position, there)
    size = link(here, count, chosen, rule.merging, there, target)
    describe(here, there, size - chosen.size, size, position, address, rule.cap)
    return size


@kernel(inline="always")
def link(here, count, chosen, merging, there, target):
    """Number the new contexts and let every candidate lead to one; returns the column's size."""
    width = target.shape[1]
    fallback, new = (0, 1) if merging else (-1, 0)
    j = 0
    for k in range(count):
        is_own = here[TWIN, k] == k
        own, source = target[k], here[PARENT, k] if is_own else here[TWIN, k]
        if source >= 0:
            copy_row(target[source], own)
        else:
            fill(own, fallback)
        if not is_own:
            continue
        while j < chosen.size and chosen[j] < (k + 1) * width:
            y = chosen[j] - k * width
            there[PARENT, new] = own[y]  # as inherited: where the least ancestor's extension leads
            there[LABEL, new] = y
            there[ORIGIN, new] = k
            own[y] = new
            new += 1
            j += 1
    return new


@kernel(inline="always")
def describe(here, there, first, size, position, address, cap):
    """What new contexts remember: the labels of the contexts that they extend and their own."""
    powers = address.powers
    order = powers.size - 1
    for c in range(first, size):
        k = there[ORIGIN, c]
        length = min(here[LENGTH, k] + 1, cap)
        code = here[CODE, k] * powers[1] + there[LABEL, c]
        if here[LENGTH, k] >= order:  # a division costs as much as a vectorised row, so only where it is needed
            code %= powers[order]
        there[LENGTH, c] = length
        there[CODE, c] = code
        there[ROW, c] = find_row(address, position, length, code)
        there[TWIN, c] = c


@kernel(_nrt=False)
def absorb(here, count, chosen, rule, logs, mass, alpha):
    """Forward masses of the next column: a kept candidate keeps its own, the others add up into their least ancestor.

    Rows are added children into parents, so ``mass`` is used up. Rescales to sum one and returns the log of the scale
    (0 where ``logs``); −inf where nothing is left.
    """
    merging, root_weight = rule.merging, rule.root_weight
    if logs:
        top = exponentiate(mass[:count])
        collect(here, count, chosen, merging, top == -np.inf, mass, alpha)
        if top > -np.inf:
            for k in range(alpha.size):
                alpha[k] = top + np.log(alpha[k])
    else:
        collect(here, count, chosen, merging, False, mass, alpha)
    if merging and root_weight != 0.0:
        alpha[0] = alpha[0] + root_weight if logs else alpha[0] * np.exp(root_weight)
    return 0.0 if logs else rescale(alpha)


@helper(_nrt=False)
def collect(here, count, chosen, merging, logs, mass, alpha):
    """`absorb` without the root's weight and without rescaling."""
    width = mass.shape[1]
    zero = -np.inf if logs else 0.0
    first = 1 if merging else 0
    if merging:
        alpha[0] = zero
    j = chosen.size - 1
    for k in range(count - 1, -1, -1):
        row = mass[k]
        while j >= 0 and chosen[j] >= k * width:
            y = chosen[j] - k * width
            alpha[first + j] = row[y]
            row[y] = zero
            j -= 1
        if not merging:
            continue
        parent = here[PARENT, k]
        if parent >= 0:
            add_row(mass[parent], row, logs)
        else:
            for y in range(width):
                alpha[0] = log_add(alpha[0], row[y]) if logs else alpha[0] + row[y]


@helper(_nrt=False)
def rank_by_posterior(contexts, count, previous_target, previous_beta, logs, mass, key):
    """``key[k, y]`` = forward mass × the previous pass's backward message of the context that ``(k, y)`` maps to."""
    for k in range(count):
        image = previous_target[contexts[IMAGE, k]]
        for y in range(mass.shape[1]):
            key[k, y] = mass[k, y] + previous_beta[image[y]] if logs else mass[k, y] * previous_beta[image[y]]


@helper(_nrt=False)
def map_images(here, there, size, previous_target):
    """IMAGE of each new context: the longest of its suffixes that the previous pass had kept."""
    for k in range(1, size):
        there[IMAGE, k] = previous_target[here[IMAGE, there[ORIGIN, k]], there[LABEL, k]]


@helper(_nrt=False)
def spread(contexts, count, following, size, ending, rule, logs, message, ahead):
    """``ahead[k, y]``: the message of the context that arc (k, y) leads to, of the next column or of the end.

    Rows are copied, parents into children, as in ``grow``; gathering through the transition took twice as long. Where
    the root has a weight, what enters it is worth that much more.
    """
    root_weight = rule.root_weight
    fallback, j = as_in(message, -np.inf if logs else 0.0), 0
    if ending:
        fallback, j = message[0], size
    elif rule.merging:
        fallback, j = message[0], 1
        if root_weight != 0.0:
            fallback = as_in(message, message[0] + root_weight if logs else message[0] * np.exp(root_weight))
    for k in range(count):
        row, source = ahead[k], contexts[PARENT, k] if contexts[TWIN, k] == k else contexts[TWIN, k]
        if source >= 0:
            copy_row(ahead[source], row)
        else:
            fill(row, fallback)
        while j < size and following[ORIGIN, j] == k:
            row[following[LABEL, j]] = message[j]
            j += 1


@helper(fastmath={"reassoc"}, _nrt=False)
def backward(contexts, count, table, emit, ahead, logs, beta):
    """``beta[k] = Σ_y table[row(k), y] · emit[y] · ahead[k, y]``, linear ones rescaled to a maximum of one."""
    fast_loops()
    highest = as_in(beta, 0)
    for k in range(count):
        weight, message = table[contexts[ROW, k]], ahead[k]
        if logs:
            total = -np.inf
            for y in range(emit.size):
                total = log_add(total, weight[y] + emit[y] + message[y])
            beta[k] = total
        else:
            linear = as_in(emit, 0)
            for y in range(emit.size):
                linear += weight[y] * emit[y] * message[y]
            beta[k] = linear
            highest = max(highest, beta[k])
    if not logs and highest > 0:
        for k in range(count):
            beta[k] /= highest
