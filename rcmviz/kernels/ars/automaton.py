"""The q-automaton of adaptive rejection (Carter, Dymetman, Bouchard 2012): an upper bound, refined where it lied.

A state is a context: the last words of a history, in column i after i words. Each edge (state, candidate) has a weight,
the language model's share of the bound, and an **order** o: the weight is that of a word after the last o − 1 words of
the state, maximised over what may stand before them. States of a column are closed under suffixes and their prefixes
are states of the column before, so the parent of a state has one word less, and the longest suffix of any history is
reached.

A complete history (as many words as its column has) also knows that `<s>` stands before it.

``automaton = (fields (FIELDS, S), heads (T+1,), counts (N+1,), weight, order, target (S, Y), beta (S,), best (S,),
linear (S, Y), shift (S,))``: ``counts`` are states and n-grams by order; ``linear`` has no columns where no sums are
wanted. Row s is filled up to the width of its position.

``problem = (trie, words (T, Y), emit (T, Y), scale, ahead, begin, widths (T,))``; ``path (T,)`` are columns,
``ids (T+1,)`` its words, with ``begin``, the id of `<s>`, first.

``record = (paths (R, T), orders, bounds, truths (R, T), totals (R, 3), sizes (R, N+1), flags (R, 4))`` has a row per
trial: totals are log q, log p and the log mass of q, flags whether it was accepted, refined, its number and the
position that lied most.
"""

import numpy as np
from numba import njit

from rcmviz.kernels.lm import ngrams

# Column · words remembered · last of them (its place among the candidates) · state of the column before that it extends
# · state with one word less · next state of the column · trial that made it
COLUMN, LENGTH, LABEL, ORIGIN, PARENT, NEXT, BORN, FIELDS = 0, 1, 2, 3, 4, 5, 6, 7

PROVED, GAP_REACHED, ENOUGH, FULL, IMPOSSIBLE, BROKEN = 0, 1, 2, 3, 4, 5
SWEEP, WORST, JUMP = 0, 1, 2
TOLERANCE = 1e-9  # a bound below the truth by more than this is broken (science notes)
SMALL = 1e-200  # a row whose linear sum is below is added up in logs


@njit(cache=True, nogil=True)
def start(automaton, problem, ids):
    """The roots of all columns and the end, states 0 … T; ``automaton`` has room for them."""
    fields, heads, counts, weight, order, target, beta = automaton[:7]
    words = problem[1]
    positions = len(words)
    counts[:] = 0
    fields[:, : positions + 1] = 0
    for i in range(positions + 1):
        fields[COLUMN, i] = i
        for name in (LABEL, ORIGIN, PARENT, NEXT, BORN):
            fields[name, i] = -1
        heads[i] = i
    counts[0] = positions + 1
    beta[positions], weight[positions], target[positions] = 0.0, -np.inf, -1
    order[: positions + 1] = 1
    for i in range(positions):
        target[i] = i + 1  # of padding too
        fill_first_bounds(problem, i, ids, weight[i])
        for y in range(words.shape[1]):
            counts[1] += words[i, y] >= 0


@njit(cache=True, nogil=True)
def fill_first_bounds(problem, i, ids, out):
    """What each candidate of position i weighs where nothing is known: exact at position 0, else a maximum.

    With look-ahead the maximum is over the candidates of the position before, not over all words: three times fewer
    rounds at order 5. The best word that has no n-gram with the candidate is among the first of a ranking.
    """
    trie, words, _, scale, ahead = problem[:5]
    level, word, first, log_prob, back_off, max_log, max_back = trie
    if i == 0 or not ahead or level.size == 2:
        for y in range(out.size):
            out[y] = scale * bound_of(problem, i, ids, 0, words[i, y]) if words[i, y] >= 0 else -np.inf
        return
    before = words[i - 1][words[i - 1] >= 0]
    beyond = np.empty(before.size)
    for k in range(before.size):
        beyond[k] = np.float64(back_off[before[k]]) + max_back[before[k]]
    ranked = before[np.argsort(-beyond)]
    possible = np.zeros(level[1], np.bool_)
    possible[before] = True
    for y in range(out.size):
        predicted = words[i, y]
        if predicted < 0:
            out[y] = -np.inf
            continue
        highest = -np.inf
        for row in range(first[predicted], first[predicted + 1]):
            if possible[word[row]]:
                highest = max(highest, np.float64(max_log[row]))
        for older in ranked:
            if ngrams.find_child(word, first, predicted, older) < 0:
                highest = max(highest, log_prob[predicted] + (np.float64(back_off[older]) + max_back[older]))
                break
        out[y] = scale * highest


@njit(cache=True, nogil=True)
def bound_of(problem, i, ids, known, predicted):
    """The bound on ``log p(predicted | …)`` at position i when the last ``known`` words are; unscaled."""
    trie, words = problem[:2]
    full = trie[0].size - 2
    if known >= min(full, i):
        return ngrams.log_prob_of(trie, ids, max(0, i + 1 - full), i + 1, predicted)
    if problem[4] and known > 0:
        return bound_among(trie, ids, i + 1 - known, i + 1, predicted, words[i - known - 1])
    return ngrams.max_log_prob_of(trie, ids, i + 1 - known, i + 1, predicted)


@njit(cache=True, nogil=True)
def bound_among(trie, ids, begin, stop, predicted, before):
    """As ``max_log_prob_of``, over histories whose next older word is one of ``before``."""
    _, word, first, _, back_off, max_log, max_back = trie
    own = ngrams.log_prob_of(trie, ids, begin, stop, predicted)
    context, row = ngrams.find_row(trie, ids, begin, stop), predicted
    for k in range(stop - 1, begin - 1, -1):
        row = ngrams.find_child(word, first, row, ids[k])
        if row < 0:
            break
    if context < 0 and row < 0:
        return own
    highest = -np.inf
    for older in before:
        if older < 0:
            continue
        longer = ngrams.find_child(word, first, row, older) if row >= 0 else -1
        if longer >= 0:
            highest = max(highest, np.float64(max_log[longer]))
            continue
        extended = ngrams.find_child(word, first, context, older) if context >= 0 else -1
        highest = max(highest, own + (np.float64(back_off[extended]) + max_back[extended]) if extended >= 0 else own)
    return highest


@njit(cache=True, nogil=True)
def suffix_state(fields, state, length):
    """The state of the last ``length`` words of ``state``, which has them."""
    while fields[LENGTH, state] > length:
        state = fields[PARENT, state]
    return state


@njit(cache=True, nogil=True)
def follow(automaton, path, reached):
    """``reached (T+1,)``: the states along a path."""
    target = automaton[5]
    reached[0] = 0
    for i in range(path.size):
        reached[i + 1] = target[reached[i], path[i]]


@njit(cache=True, nogil=True)
def add_state(automaton, path, column, width, reached, trial):
    """A state with one word more than ``reached[column]``: it behaves as that one did, and is reached instead."""
    fields, heads, counts, weight, order, target, beta, best, linear, shift = automaton[:10]
    parent, label = reached[column], path[column - 1]
    length = fields[LENGTH, parent] + 1
    origin = suffix_state(fields, reached[column - 1], length - 1)
    new = counts[0]
    counts[0] += 1
    fields[COLUMN, new], fields[LENGTH, new], fields[LABEL, new] = column, length, label
    fields[ORIGIN, new], fields[PARENT, new], fields[BORN, new] = origin, parent, trial
    fields[NEXT, new] = heads[column]
    heads[column] = new
    for y in range(width):
        weight[new, y], order[new, y], target[new, y] = weight[parent, y], order[parent, y], target[parent, y]
    beta[new], best[new], shift[new] = beta[parent], best[parent], shift[parent]
    for y in range(min(width, linear.shape[1])):
        linear[new, y] = linear[parent, y]
    state = heads[column - 1]
    while state >= 0:
        if fields[LENGTH, state] >= length - 1 and suffix_state(fields, state, length - 1) == origin:
            target[state, label] = new
        state = fields[NEXT, state]
    reached[column] = new


@njit(cache=True, nogil=True)
def ensure(automaton, problem, path, i, known, reached, trial):
    """Make the last ``known`` words before position i a state, its prefixes and suffixes first."""
    fields = automaton[0]
    for column in range(i - known + 1, i + 1):
        while fields[LENGTH, reached[column]] < known - (i - column):
            add_state(automaton, path, column, problem[6][column], reached, trial)


@njit(cache=True, nogil=True)
def lower(automaton, problem, path, ids, i, known, reached):
    """Weigh position i's label by its last ``known`` words, in every state that has them."""
    fields, heads, counts, weight, order, _, _, _, linear, shift = automaton[:10]
    y = path[i]
    context = suffix_state(fields, reached[i], known)
    value = problem[3] * bound_of(problem, i, ids, known, problem[1][i, y])
    counts[known + 1] += 1
    state = heads[i]
    while state >= 0:
        if fields[LENGTH, state] >= known and suffix_state(fields, state, known) == context:
            weight[state, y] = value
            order[state, y] = known + 1
            if linear.shape[1] > 0:
                linear[state, y] = np.exp(value + problem[2][i, y] - shift[state])
        state = fields[NEXT, state]


@njit(cache=True, nogil=True)
def refine(automaton, problem, path, ids, strategy, worst, reached, trial):
    """Lower the bound along a rejected path; ``worst`` is the position that lied most.

    Left to right, one order up: all invariants hold after each sweep. Straight to the highest order needs two to three
    times as many rounds (science notes); a single position needs the chain of its prefixes.
    """
    fields, order = automaton[0], automaton[4]
    highest = problem[0][0].size - 2
    follow(automaton, path, reached)
    for i in range(1, path.size):
        if strategy == WORST and i != worst:
            continue
        known = order[reached[i], path[i]]
        full = min(highest, i)
        if known > full:
            continue
        known = full if strategy == JUMP else known
        if fields[LENGTH, reached[i]] < known:
            ensure(automaton, problem, path, i, known, reached, trial)
        lower(automaton, problem, path, ids, i, known, reached)


@njit(cache=True, nogil=True)
def update_maxima(automaton, emit, widths):
    """Viterbi's backward pass, lazily: ``beta`` the best completion of each state, ``best`` its label.

    Weights and messages only fall, so a state whose best edge still has its value needs no other look: the result is
    the same and a round 5 to 12 times as fast. Returns the maximum of q.
    """
    fields, heads, _, weight, _, target, beta, best = automaton[:8]
    for i in range(len(emit) - 1, -1, -1):
        state = heads[i]
        while state >= 0:
            y = best[state]
            if weight[state, y] + emit[i, y] + beta[target[state, y]] != beta[state]:
                highest, y = -np.inf, 0
                for other in range(widths[i]):
                    value = weight[state, other] + emit[i, other] + beta[target[state, other]]
                    if value > highest:
                        highest, y = value, other
                beta[state], best[state] = highest, y
            state = fields[NEXT, state]
    return beta[0]


@njit(cache=True, nogil=True)
def fill_linear(automaton, emit, widths):
    """``linear[s, y] = exp(weight + emit − shift[s])`` with the state's maximum as shift, for ``update_sums``."""
    fields, _, counts, weight, _, _, _, _, linear, shift = automaton[:10]
    for state in range(counts[0]):
        i = fields[COLUMN, state]
        if i == len(emit):
            continue
        highest = -np.inf
        for y in range(widths[i]):
            highest = max(highest, weight[state, y] + emit[i, y])
        shift[state] = highest if highest > -np.inf else 0.0
        for y in range(widths[i]):
            linear[state, y] = np.exp(weight[state, y] + emit[i, y] - shift[state])


@njit(cache=True, nogil=True)
def update_sums(automaton, emit, widths, sums):
    """Backward sums; ``sums (3, S)``: their logs, relative to the column's largest, and each row's linear sum.

    Linear, with a shift per state and per column; a row that nearly vanishes so is added up in logs. Returns log of the
    mass of q.
    """
    fields, heads, _, weight, _, target, _, _, linear, shift = automaton[:10]
    end = heads[len(emit)]
    sums[0, end], sums[1, end] = 0.0, 1.0
    above = 0.0
    for i in range(len(emit) - 1, -1, -1):
        largest = -np.inf
        state = heads[i]
        while state >= 0:
            total = 0.0
            for y in range(widths[i]):
                total += linear[state, y] * sums[1, target[state, y]]
            sums[2, state] = total
            if total > SMALL:
                sums[0, state] = shift[state] + np.log(total) + above
            else:
                sums[0, state] = log_sum_of_row(weight[state], emit[i], widths[i], sums[0], target[state])
            largest = max(largest, sums[0, state])
            state = fields[NEXT, state]
        above = largest if largest > -np.inf else 0.0
        state = heads[i]
        while state >= 0:
            sums[1, state] = np.exp(sums[0, state] - above)
            state = fields[NEXT, state]
    return sums[0, 0]


@njit(cache=True, nogil=True)
def log_sum_of_row(weight, emit, width, log_sums, target):
    """``log Σ_y exp(weight[y] + emit[y] + log_sums[target[y]])``."""
    highest = -np.inf
    for y in range(width):
        highest = max(highest, weight[y] + emit[y] + log_sums[target[y]])
    if highest == -np.inf:
        return highest
    total = 0.0
    for y in range(width):
        total += np.exp(weight[y] + emit[y] + log_sums[target[y]] - highest)
    return highest + np.log(total)


@njit(cache=True, nogil=True)
def draw(automaton, emit, widths, sums, uniform, path):
    """One path from q: forward, each label in proportion to its edge and what follows."""
    weight, target, linear = automaton[3], automaton[5], automaton[8]
    state = 0
    for i in range(path.size):
        careful = sums[2, state] <= SMALL
        bar = uniform[i] * (1.0 if careful else sums[2, state])
        chosen = -1
        reached = 0.0
        for y in range(widths[i]):
            if careful:
                part = np.exp(weight[state, y] + emit[i, y] + sums[0, target[state, y]] - sums[0, state])
            else:
                part = linear[state, y] * sums[1, target[state, y]]
            if part > 0.0:
                chosen = y
                reached += part
                if reached > bar:
                    break
        path[i] = chosen
        state = target[state, chosen]


@njit(cache=True, nogil=True)
def evaluate(automaton, problem, path, ids, reached, orders, bounds, truths):
    """``(log_q, log_p, worst)`` of a path and, per position, the order, what q used and what the model says.

    Added from the right, as the backward pass does: equal weights give equal sums, bit for bit. ``worst`` is the
    position that lied most, −1 where none did, −2 where q was below p: the bound is broken.
    """
    weight, order = automaton[3], automaton[4]
    trie, words, emit, scale = problem[:4]
    highest = trie[0].size - 2
    follow(automaton, path, reached)
    for i in range(path.size):
        ids[i + 1] = words[i, path[i]]
    log_q, log_p, lie, worst = 0.0, 0.0, 0.0, -1
    for i in range(path.size - 1, -1, -1):
        y = path[i]
        orders[i], bounds[i] = order[reached[i], y], weight[reached[i], y]
        truths[i] = bounds[i]
        if orders[i] <= min(highest, i):
            truths[i] = scale * ngrams.log_prob_of(trie, ids, max(0, i + 1 - highest), i + 1, ids[i + 1])
        if bounds[i] < truths[i] - TOLERANCE:
            worst = -2
        if worst > -2 and bounds[i] - truths[i] > lie:
            lie, worst = bounds[i] - truths[i], i
        log_q += bounds[i] + emit[i, y]
        log_p += truths[i] + emit[i, y]
    return log_q, log_p, worst


@njit(cache=True, nogil=True)
def decode(automaton, problem, options, sums, best_path, best, record):
    """Rounds of Viterbi and refinement until the best path found is proved best; returns ``(rounds, status)``.

    ``options = (strategy, gap)`` · ``best_path (T,)`` and ``best (2,)``, its log p and the maximum of q, are carried
    from call to call · ``sums`` has no columns where the mass of q is not wanted · as many rounds as ``record`` has
    rows. FULL: the states' arrays need more room.
    """
    strategy, gap = options
    emit, counts = problem[2], automaton[2]
    paths, orders, bounds, truths, totals, sizes, flags = record
    ids, reached = np.empty(len(emit) + 1, np.int32), np.empty(len(emit) + 1, np.int64)
    ids[0] = problem[5]
    room = len(emit) * (counts.size - 1)
    for trial in range(len(paths)):
        if counts[0] + room > automaton[0].shape[1]:
            return trial, FULL
        best[1] = update_maxima(automaton, emit, problem[6])
        if best[1] == -np.inf:
            return trial, IMPOSSIBLE
        follow_best(automaton, paths[trial])
        totals[trial, 0], totals[trial, 1], worst = evaluate(
            automaton, problem, paths[trial], ids, reached, orders[trial], bounds[trial], truths[trial]
        )
        totals[trial, 2] = update_sums(automaton, emit, problem[6], sums) if sums.shape[1] > 0 else np.nan
        if totals[trial, 1] > best[0] or best[0] == -np.inf:  # an impossible one, until there is another
            best[0] = totals[trial, 1]
            best_path[:] = paths[trial]
        done = best[1] - best[0] <= gap
        flags[trial, 0] = worst == -1
        flags[trial, 1] = not done and worst >= 0
        if flags[trial, 1]:
            refine(automaton, problem, paths[trial], ids, strategy, worst, reached, flags[trial, 2])
        sizes[trial] = counts
        if worst == -2:
            return trial + 1, BROKEN
        if done:
            return trial + 1, PROVED if best[1] <= best[0] else GAP_REACHED
    return len(paths), ENOUGH


@njit(cache=True, nogil=True)
def follow_best(automaton, path):
    """The best path of q, once ``update_maxima`` is done."""
    target, best = automaton[5], automaton[7]
    state = 0
    for i in range(path.size):
        path[i] = best[state]
        state = target[state, path[i]]


@njit(cache=True, nogil=True)
def draw_batch(automaton, problem, sums, uniform, record):
    """A batch of independent draws from q, ``uniform (B, T + 1)``; accepted with probability p / q; returns a status.

    An accepted draw is an exact draw from p, whatever q was. Nothing is refined here.
    """
    emit = problem[2]
    paths, orders, bounds, truths, totals, sizes, flags = record
    ids, reached = np.empty(len(emit) + 1, np.int32), np.empty(len(emit) + 1, np.int64)
    ids[0] = problem[5]
    mass = update_sums(automaton, emit, problem[6], sums)
    if mass == -np.inf:
        return IMPOSSIBLE
    for trial in range(len(paths)):
        draw(automaton, emit, problem[6], sums, uniform[trial], paths[trial])
        totals[trial, 0], totals[trial, 1], worst = evaluate(
            automaton, problem, paths[trial], ids, reached, orders[trial], bounds[trial], truths[trial]
        )
        if worst == -2:
            return BROKEN
        totals[trial, 2] = mass
        flags[trial, 0] = np.log(uniform[trial, -1]) < totals[trial, 1] - totals[trial, 0]
        flags[trial, 1] = not flags[trial, 0] and worst >= 0
        flags[trial, 3] = worst
    return ENOUGH


@njit(cache=True, nogil=True)
def refine_batch(automaton, problem, strategy, record, begin):
    """Refine along the rejected draws of a batch from number ``begin`` on; returns the first that found no room."""
    counts, emit = automaton[2], problem[2]
    paths, _, _, _, _, sizes, flags = record
    ids, reached = np.empty(len(emit) + 1, np.int32), np.empty(len(emit) + 1, np.int64)
    ids[0] = problem[5]
    room = len(emit) * (counts.size - 1)
    for trial in range(begin, len(paths)):
        if counts[0] + room > automaton[0].shape[1]:
            return trial
        if flags[trial, 1]:
            for i in range(len(emit)):
                ids[i + 1] = problem[1][i, paths[trial, i]]
            refine(automaton, problem, paths[trial], ids, strategy, flags[trial, 3], reached, flags[trial, 2])
        sizes[trial] = counts
    return len(paths)


@njit(cache=True, nogil=True)
def best_paths(automaton, emit, widths, k, paths, log_q):
    """The k best paths of q, ``paths (k, T)`` and ``log_q (k,)``; returns how many there are.

    Every state keeps its k best completions: a value, a label, and which completion of the next state.
    """
    fields, heads, counts, weight, _, target = automaton[:6]
    value = np.full((counts[0], k), -np.inf)
    label, follower = np.zeros((counts[0], k), np.int32), np.zeros((counts[0], k), np.int32)
    value[heads[len(emit)], 0] = 0.0
    for i in range(len(emit) - 1, -1, -1):
        state = heads[i]
        while state >= 0:
            for y in range(widths[i]):
                here = weight[state, y] + emit[i, y]
                for rank in range(k):
                    reached = here + value[target[state, y], rank]
                    if not reached > value[state, k - 1]:
                        break
                    place = k - 1
                    while place > 0 and value[state, place - 1] < reached:
                        value[state, place] = value[state, place - 1]
                        label[state, place], follower[state, place] = (
                            label[state, place - 1],
                            follower[state, place - 1],
                        )
                        place -= 1
                    value[state, place], label[state, place], follower[state, place] = reached, y, rank
            state = fields[NEXT, state]
    found = 0
    while found < k and value[0, found] > -np.inf:
        state, rank = 0, found
        log_q[found] = value[0, found]
        for i in range(len(emit)):
            y = label[state, rank]
            paths[found, i] = y
            state, rank = target[state, y], follower[state, rank]
        found += 1
    return found
