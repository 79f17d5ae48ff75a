"""Planted bugs: each is edited into the package, and the named test must fail on it.

They run without the compiler, on a few problems (``support/planting.py``). The unedited package must pass the same
tests, and each edit must apply: a bug that can no longer be planted is an error here, not a pass. docs/testing.md lists
them.
"""

import pytest

from support.planting import Bug, Runs

pytestmark = pytest.mark.long

SELECTION, EXACTNESS, QUERIES, INVARIANTS, LEARN, TRAINER, CHECKPOINT = (
    f"test_{name}.py::test_"
    for name in ("selection", "exactness", "queries", "invariants", "learn", "trainer", "checkpoint")
)
MODEL, SMOOTHING, ARPA, HMM, REJECTION, TRIALS = (
    f"test_{name}.py::test_" for name in ("language_model", "lm_train", "arpa", "hmm", "ars", "ars_trace")
)
ALIGN, DECIPHER = (f"test_{name}.py::test_" for name in ("align", "decipher"))
FIELD_BOUNDS, FIELD, FIELD_DECODING, FIELD_RIVALS, FIELD_TAGGER = (
    f"test_{name}.py::test_" for name in ("bounds", "field", "decoding", "rivals", "tagger")
)
PERCEPTRON = "test_perceptron.py::test_"
UPDATE = PERCEPTRON + "a_step_is_its_definition_also_where_outputs_tie"
GRADIENT = LEARN + "the_gradient_is_observed_minus_expected"
PATHS = ALIGN + "whatever_contexts_are_chosen_all_sums_are_over_paths_through_them"
BOUND = MODEL + "eq_7_of_the_table_as_given_and_its_largest_over_all_longer_histories"
KERNEL, CHOICE, WORDS, SWEEP, TRAIN, TRAIN_DENSE, TRAIN_FEATURES, WEIGHTS, NGRAMS = (
    f"rcmviz.kernels.{name}"
    for name in (
        "chain.contexts", "chain.selection", "chain.words", "chain.sweep", "learn.train", "learn.train_dense",
        "learn.train_features", "learn.weights", "lm.ngrams",
    )
)  # fmt: skip
STATES, BOUNDS, PASSES, DRAWS = (f"rcmviz.kernels.ars.{name}" for name in ("automaton", "bounds", "passes", "trials"))
EDGES, CELLS, ALIKE, FEATURES = (f"rcmviz.kernels.align.{name}" for name in ("grid", "cells", "groups", "features"))
CTC, FRAMES = "test_ctc.py::test_", "rcmviz.kernels.frames."
PERCEPTRONS = "rcmviz.kernels.learn.perceptron"
SEARN, ROLL_OUTS = "test_searn.py::test_", "rcmviz.kernels.searn.rollouts"
SEARCH = "test_search.py::test_"
DISCOUNTING, EM, CIPHERS = "rcmviz.learn.discounting", "rcmviz.learn.em", "rcmviz.tasks.decipher.words"

BUGS = [
    Bug(
        "what is not kept falls to the root, past its least ancestor", KERNEL,
        "source = target[k], here[PARENT, k] if is_own else here[TWIN, k]",
        "source = target[k], -1 if is_own else here[TWIN, k]",
        SELECTION + "transition_is_the_longest_suffix",
    ),
    Bug(
        "the transition merges into the least ancestor, the mass into the root", KERNEL,
        "            add_row(mass[parent], row, logs)", "            add_row(mass[0], row, logs)",
        SELECTION + "merging_in_deep_hierarchies",
    ),
    Bug(
        "the heaviest history is the context's own, whatever was merged into it", "rcmviz.core.passes",
        "    arc[into[heaviest]] = heaviest", "    arc[into[heaviest[:0]]] = heaviest[:0]",
        "test_scorer.py::test_a_merged_context_is_scored_by_its_heaviest_history",
    ),
    Bug(
        "the budget counts the root", "rcmviz.core.passes",
        "selection.select(order.ravel(), budget,", "selection.select(order.ravel(), max(budget - 1, 1),",
        SELECTION + "kept_are_the_heaviest",
    ),
    Bug(
        "ties go to the higher label", CHOICE,
        "        if key[chosen[j]] < key[chosen[worst]]:", "        if key[chosen[j]] <= key[chosen[worst]]:",
        SELECTION + "ties_go_to_the_lower_context_then_the_lower_label",
    ),
    Bug(
        "candidates without mass are kept", CHOICE,
        "if logs else key.dtype.type(0.0)\n    above_low", "if logs else key.dtype.type(-1.0)\n    above_low",
        SELECTION + "kept_are_the_heaviest",
    ),
    Bug(
        "ranked by nested mass: a context counts what its descendants hold", "rcmviz.core.passes",
        "    if i > 0 and not rule[1]:\n        key[0] = zero",
        "    for k in range(count - 1, 0, -1):\n"
        "        kernel.add_row(key[here[kernel.PARENT, k]], key[k], logs)\n"
        "    if i > 0 and not rule[1]:\n        key[0] = zero",
        SELECTION + "kept_are_the_heaviest",
    ),
    Bug(
        "merged mass is forgotten at the next expansion", KERNEL,
        "                alpha[0] = log_add(alpha[0], row[y]) if logs else alpha[0] + row[y]", "                pass",
        SELECTION + "kept_are_the_heaviest",
    ),
    Bug(
        "a context scores with its complete window although its beginning is forgotten", KERNEL,
        "wanted = base[min(position, order), known] + code\n    if keys.size",
        "wanted = base[min(length, order), known] + code\n    if keys.size",
        EXACTNESS + "every_arc_has_the_score_of_its_window",
    ),
    Bug(
        "the window is one label too short", KERNEL,
        "    known = min(length, order)\n    wanted",
        "    known = min(length, order - 1)\n    code %= powers[known]\n    wanted",
        EXACTNESS + "every_arc_has_the_score_of_its_window",
    ),
    Bug(
        "additive weights of complete histories lose their begin window", "rcmviz.core.model_tables",
        "    for i in range(n):\n        table[base[i, i] : base[i, i] + powers[i]] +=",
        "    for i in range(n):\n        table[base[i, i] : base[i, i] + powers[i]] =",
        EXACTNESS + "every_arc_has_the_score_of_its_window",
    ),
    Bug(
        "the root weight is paid at the end as well", "rcmviz.core.passes",
        "if rule[3] != 0.0 and i < length - 1:", "if rule[3] != 0.0:",
        EXACTNESS + "log_z",
    ),
    Bug(
        "a pinned context does not pin its beginnings", "rcmviz.core.edits",
        "for known in range(len(what), 0, -1):", "for known in [len(what)]:",
        SELECTION + "kept_are_the_heaviest",
    ),
    Bug(
        "the second pass ranks by the future alone", KERNEL,
        "mass[k, y] + previous_beta[image[y]] if logs else mass[k, y] * previous_beta[image[y]]",
        "previous_beta[image[y]]",
        SELECTION + "second_pass_ranks_by_the_first_pass_future",
    ),
    Bug(
        "joined contexts leave their mass behind", KERNEL,
        "            add_row(mass[twin[k]], mass[k], logs)\n            mass[k, :] = zero",
        "            mass[k, :] = zero",
        SELECTION + "kept_are_the_heaviest",
    ),
    Bug(
        "a joined context looks ahead by its own suffix alone", KERNEL,
        "contexts[IMAGE, slot[place]] = j", "pass",
        HMM + "the_second_pass_over_joined_contexts",
    ),
    Bug(
        "the last label is left out of the backward pass", SWEEP,
        "        highest = -np.inf\n        for y in range(width):\n            if target[c, y] >= 0:\n"
        "                highest = max(highest, score[c, y] + backward[target[c, y]])\n",
        "        width = max(score.shape[1] - 1, 1)\n        highest = -np.inf\n        for y in range(width):\n"
        "            if target[c, y] >= 0:\n"
        "                highest = max(highest, score[c, y] + backward[target[c, y]])\n",
        EXACTNESS + "log_z",
    ),
    Bug(
        "draws follow forward scores only", SWEEP,
        "share = np.exp(score[c, y] + backward[target[c, y]] - backward[c])",
        "share = np.exp(score[c, y]) / np.exp(score[c]).sum()",
        QUERIES + "samples_are_as_frequent_as_they_are_probable",
    ),
    Bug(
        "* in a pattern needs at least one label", "rcmviz.core.infer",
        'while place < len(tokens) and tokens[place] == "*":', 'while False and tokens[place] == "*":',
        QUERIES + "pattern_mass",
    ),
    Bug(
        "the compiled loop forgets the root weight of its messages", WORDS,
        "count[i + 1], ending, rule, logs,", "count[i + 1], ending, (rule[0], rule[1], rule[2], 0.0), logs,",
        INVARIANTS + "bulk_answers_are_the_stepwise_ones_in_double_precision",
    ),
    Bug(
        "the gradient is that of the first pass", TRAIN,
        "space, arcs = spaces[now], both_arcs[now]", "space, arcs = spaces[0], both_arcs[0]",
        GRADIENT + "[rcms-additive]",
    ),
    Bug(
        "a lost gold is scored by its last label alone", TRAIN,
        "code = (code * powers[1] + gold[i]) % powers[-1]", "code = gold[i]",
        GRADIENT + "[beam-single]",
    ),
    Bug(
        "an early update ends one label after the gold fell off", TRAIN,
        "return lost + 1", "return lost + 2",
        LEARN + "what_a_lost_gold_does_by_hand[early]",
    ),
    Bug(
        "a lost gold in both numerator and normaliser is discounted by its own share", TRAIN,
        "discount = 1.0 / (1.0 + np.exp(score - log_z))", "discount = 1.0 / (1.0 + np.exp(log_z - score))",
        GRADIENT + "[beam-additive]",
    ),
    Bug(
        "a lost gold remembers what earlier ones counted", TRAIN,
        "            gradient[way[i]] = 0\n", "            pass\n",
        TRAINER + "how_often_states_are_asked_for_changes_nothing[beam]",
    ),
    Bug(
        "the gold's entries into the root are not counted", TRAIN,
        "            entered += k == 0\n", "            pass\n",
        GRADIENT + "[repaired-single]",
    ),
    Bug(
        "the end counts as an entry into the root", TRAIN,
        "if not root_proposes and i < positions - 1:", "if not root_proposes:",
        GRADIENT + "[repaired-additive]",
    ),
    Bug(
        "a feature counts once, whatever its value", TRAIN_FEATURES,
        "target[size], source[size], amount[size] = feature[entry], i, value_at(value, entry)",
        "target[size], source[size], amount[size] = feature[entry], i, 1.0",
        GRADIENT + "[rcms-single]",
    ),
    Bug(
        "additive exact training forgets the windows that know their beginning", TRAIN_DENSE,
        "            add_rows(row, gradient[base[i, i] + code], row)\n", "            pass\n",
        GRADIENT + "[exact-additive]",
    ),
    Bug(
        "exact training shrinks rows that the example does not reach", TRAIN_DENSE,
        "for i in range(min(order + 1, positions)):", "for i in range(order + 1):",
        GRADIENT + "[exact-single]",
    ),
    Bug(
        "AdaGrad divides by the squares before the present gradient", WEIGHTS,
        "gradient[j, y] = eta * slope / np.sqrt(delta + total)",
        "gradient[j, y] = eta * slope / np.sqrt(delta + total - slope * slope)",
        LEARN + "adagrad_divides_by_the_root_of_all_squares_so_far",
    ),
    Bug(
        "the average counts a step's change one step late", WEIGHTS,
        "drift[row, y] += step * gradient[j, y]", "drift[row, y] += (step + 1) * gradient[j, y]",
        TRAINER + "the_average_is_the_mean_of_the_weights_after_every_step[rcms]",
    ),
    Bug(
        "a growing table forgets AdaGrad's squares", "rcmviz.learn.tables",
        "self.windows = tuple(windows)",
        "self.windows = (windows[0], *map(np.zeros_like, windows[1:]))",
        TRAINER + "a_hashed_table_grows_as_it_fills",
    ),
    Bug(
        "a checkpoint comes back without AdaGrad's squares", "rcmviz.learn.tables",
        "for into, values in zip(tables.windows, windows, strict=True):",
        "for into, values in zip(tables.windows[:1], windows[:1], strict=True):",
        CHECKPOINT + "a_resumed_training_is_the_uninterrupted_one[rcms]",
    ),
    Bug(
        "a checkpoint is written over the old one", "rcmviz.core.whole_file",
        'beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")', "beside = target",
        CHECKPOINT + "a_write_that_fails_leaves_the_old_checkpoint",
    ),
    Bug(
        "Ctrl-C loses what was trained since the last checkpoint", "rcmviz.learn.trainer",
        "except (KeyboardInterrupt, GeneratorExit):", "except GeneratorExit:",
        CHECKPOINT + "ctrl_c_leaves_a_checkpoint_that_continues[within a stretch]",
    ),
    Bug(
        "the largest back-off forgets histories that no n-gram continues", NGRAMS,
        "        if extensions < histories:\n            highest = max(highest, 0.0)",
        "        if extensions < 0:\n            highest = max(highest, 0.0)",
        BOUND,
    ),
    Bug(
        "a blank forgets the back-off of its context", NGRAMS,
        "log_prob[row] = log_prob[shorter] + ahead", "log_prob[row] = log_prob[shorter]",
        BOUND,
    ),
    Bug(
        "a bound is rounded to the nearest float32, perhaps down", NGRAMS,
        "return nearest if nearest >= value else np.nextafter(nearest, np.float32(np.inf))", "return nearest",
        MODEL + "no_longer_history_gets_above_the_bound_by_rounding",
    ),
    Bug(
        "Kneser-Ney: n-grams that start with <s> have continuation counts, all 0", "rcmviz.lm.smoothing",
        "return np.where(before > 0, before, ngrams.count)", "return before",
        SMOOTHING + "every_probability_is_that_of_the_formulas",
    ),
    Bug(
        "what is cut off does not give its mass away", "rcmviz.lm.train",
        "np.where(listed, given, kept + given)", "given",
        SMOOTHING + "every_probability_is_that_of_the_formulas",
    ),
    Bug(
        "n-grams reach into the next sentence", "rcmviz.lm.counts",
        "at[left[at] >= k]", "at[left[at] >= k - 1]",
        SMOOTHING + "counts",
    ),
    Bug(
        "blanks are written as n-grams of the file", "rcmviz.lm.arpa_write",
        "listed[trie.blanks] = False", "listed[trie.blanks] = True",
        ARPA + "a_model_that_was_written_is_read_as_it_was",
    ),
    Bug(
        "a complete history of an HMM forgets <s>", "rcmviz.core.suffix_scores",
        "        if i < n:\n            suffixes[here", "        if False:\n            suffixes[here",
        HMM + "every_arc_leads_to_the_longest_suffix_and_scores_by_what_is_known",
    ),
    Bug(
        "the bound of rejection forgets <s>", BOUNDS,
        "return ngrams.log_prob_of(trie, ids, max(0, i + 1 - full), i + 1, predicted)",
        "return ngrams.log_prob_of(trie, ids, max(1, i + 1 - full), i + 1, predicted)",
        REJECTION + "decoding_is_brute_force_whatever_the_options",
    ),
    Bug(
        "look-ahead takes a listed continuation for one that is not", BOUNDS,
        "            if listed[before[k]] != y + 1:\n", "            if True:\n",
        TRIALS + "every_automaton_keeps_the_invariants",
    ),
    Bug(
        "a new state is reached from its origin only, not from longer ones", STATES,
        "if fields[LENGTH, state] >= length - 1 and suffix_state(fields, state, length - 1) == origin:",
        "if state == origin:",
        TRIALS + "every_automaton_keeps_the_invariants",
    ),
    Bug(
        "a state is made without the prefixes that lead to it", STATES,
        "for column in range(i - known + 1, i + 1):", "for column in range(i, i + 1):",
        TRIALS + "every_automaton_keeps_the_invariants",
    ),
    Bug(
        "lazy Viterbi overlooks that the best edge has been lowered", PASSES,
        "if highest != beta[state]:", "if highest > beta[state]:",
        REJECTION + "decoding_is_brute_force_whatever_the_options",
    ),
    Bug(
        "lazy Viterbi keeps a best edge that another one has overtaken", PASSES,
        "if not highest > rival[state]:", "if beta[state] == np.inf:",
        REJECTION + "decoding_is_brute_force_whatever_the_options",
    ),
    Bug(
        "a sequence is called proved while q is above it", DRAWS,
        "done = best[BOUND] - best[FOUND] <= gap", "done = best[BOUND] - best[FOUND] <= gap + 0.1",
        REJECTION + "decoding_is_brute_force_whatever_the_options",
    ),
    Bug(
        "draws are accepted by the root of p / q", DRAWS,
        "np.log(uniform[trial, -1]) < log_p - log_q", "np.log(uniform[trial, -1]) < 0.5 * (log_p - log_q)",
        REJECTION + "acceptance_is_the_ratio_of_the_masses[10]",
    ),
    Bug(
        "the end is open to beginnings of the observed letters", EDGES,
        "    ends = a == x.size and i == gold.size", "    ends = a == x.size",
        PATHS,
    ),
    Bug(
        "candidates that are alike are weighed one by one", ALIKE,
        "    if table[at, STAMP] == now:\n        return table[at, VALUE]\n    group", "    group",
        ALIGN + "rcms_keeps_the_heaviest_candidates_and_a_root_for_every_mode",
    ),
    Bug(
        "observed letters that are forgotten fall to the root of another mode", CELLS,
        "hit = groups[G_HIT, parent] if parent >= 0 else roots[cell, groups[G_MODE, group]]",
        "hit = groups[G_HIT, parent] if parent >= 0 else roots[cell].max()",
        PATHS,
    ),
    Bug(
        "an example finds the features of the one before it", EDGES,
        "    counters[NOW] += 1\n", "    counters[NOW] = 1\n",
        ALIGN + "an_example_is_the_same_whatever_the_workspace_saw_before",
    ),
    Bug(
        "P from a root remembers a letter", ALIKE,
        "    if move == P and length == 0:\n        return np.int64(0), 0\n", "",
        ALIGN + "rcms_keeps_the_heaviest_candidates_and_a_root_for_every_mode",
    ),
    Bug(
        "a hybrid beam keeps what both beams keep", CELLS,
        "    return join(chosen, kept, by_gold, also)",
        "    both = [one for one in chosen[:kept] if one in by_gold[:also]]\n"
        "    chosen[: len(both)] = both\n    return len(both)",
        ALIGN + "a_beam_keeps_the_heaviest_of_its_own_and_a_hybrid_those_of_both",
    ),
    Bug(
        "the pass before is asked about shorter contexts than it kept", ALIKE,
        "            image = target_of(source, move, groups[G_IMAGE, group], contexts[LETTER_OF, k], before)",
        "            image = before[ROOTS][cell, contexts[MODE, k]]",
        ALIGN + "a_second_pass_ranks_by_mass_times_what_the_first_found_ahead",
    ),
    Bug(
        "the gradient of P is expected minus observed", FEATURES,
        "slope[nodes[profile, BY_P], nodes[profile, COLUMN]] += own[2 * letters]",
        "slope[nodes[profile, BY_P], nodes[profile, COLUMN]] -= own[2 * letters]",
        ALIGN + "the_gradient_is_the_slope_of_the_log_likelihood_with_the_contexts_held",
    ),
    Bug(
        "every history backs off to single words at once", DISCOUNTING,
        "tables[k - 1], shape.powers[k - 1], discount))", "tables[0], 1, discount))",
        DECIPHER + "the_rows_are_the_formula",
    ),
    Bug(
        "an early update looks at the whole sequence", PERCEPTRONS,
        "if k < 0 and update == EARLY:", "if k < 0 and update == EARLY and i < 0:",
        UPDATE,
    ),
    Bug(
        "of prefixes that are equally far behind the shortest counts", PERCEPTRONS,
        "            cut = i + 1\n", "            cut = min(cut, i + 1)\n",
        UPDATE,
    ),
    Bug(
        "of equally heavy histories the last is predicted", PERCEPTRONS,
        "if values[j] > values[winner]:", "if values[j] >= values[winner]:",
        UPDATE,
    ),
    Bug(
        "a passive-aggressive step does not mind how many labels are wrong", "rcmviz.kernels.learn.perceptron_step",
        "step_size(most, lead + wrong, norm)", "step_size(most, lead, norm)",
        UPDATE,
    ),
    Bug(
        "the weights before the first step are no part of a perceptron's average", "rcmviz.learn.trainer",
        'self.step + (self.settings.objective == "perceptron")', "self.step",
        PERCEPTRON + "the_average_is_the_mean_of_all_weights_bit_for_bit",
    ),
    Bug(
        "the start of a sentence counts as a word", DISCOUNTING,
        "(counts.sum() + smoothing * len(labels))", "(counts.sum() + len(sentences) + smoothing * len(labels))",
        DECIPHER + "the_rows_are_the_formula",
    ),
    Bug(
        "EM cuts contexts at the order", EM,
        "Search(self.method, self.budget)", "Search(self.method, self.budget, deduplicate=True)",
        DECIPHER + "an_e_step_is_the_sum_over_all_outputs",
    ),
    Bug(
        "the word of a pinned symbol may be written as others too", EM,
        "emission[symbol], emission[:, label] = 0.0, 0.0", "emission[symbol] = 0.0",
        DECIPHER + "a_pinned_symbol_and_its_word_are_for_each_other_only",
    ),
    Bug(
        "emissions are smoothed twice", EM,
        "self._free = self._maximised(counts[:-1, :-1])",
        "self._free = self._maximised(counts[:-1, :-1] + self.smoothing)",
        DECIPHER + "an_e_step_is_the_sum_over_all_outputs",
    ),
    Bug(
        "an assignment may give a word twice", "rcmviz.tasks.decipher.symbols",
        "return linear_sum_assignment(counts, maximize=True)[1]", "return counts.argmax(axis=1)",
        DECIPHER + "the_readings_are_their_definitions",
    ),
    Bug(
        "the language is also learnt from what is enciphered", CIPHERS,
        "_cipher(vocabulary, chosen[lines:], written", "_cipher(vocabulary, chosen, written",
        DECIPHER + "enciphering_changes_words_into_symbols_one_to_one_and_nothing_else",
    ),
    Bug(
        "the centre of a star keeps its messages", "rcmviz.mrf.star",
        "self.centre = node - self.delta.sum(axis=0)", "self.centre = node",
        FIELD_BOUNDS + "star_is_the_sum_over_centres_and_leaves",
    ),
    Bug(
        "θ⁰ has the gradient of tight messages", "rcmviz.mrf.star",
        'gradient = {"node": nodes.sum(axis=0) / arms.c}', 'gradient = {"node": nodes[0]}',
        FIELD_BOUNDS + "gradients_are_finite_differences",
    ),
    Bug(
        "sums by rows forget a heavier centre", "rcmviz.mrf.star",
        "            self.over_centres *= np.exp(self.top - top)\n", "",
        FIELD_BOUNDS + "gradients_are_finite_differences",
    ),
    Bug(
        "positions that are l apart form one cycle, whatever N", "rcmviz.mrf.chain_bound",
        "cycles = gcd(self.tokens, back)", "cycles = 1",
        FIELD_BOUNDS + "the_ring_is_enumerated",
    ),
    Bug(
        "the text is a line, not a ring", "rcmviz.mrf.moments",
        "    if tokens:\n        _add_pairs(pairs, before, beginning)\n", "",
        FIELD + "moments_are_counts_of_the_ring",
    ),
    Bug(
        "separators on both sides of a short sentence are tied", "rcmviz.mrf.reference",
        "            of_word[0] = 0.0  # two separators are no part of a sentence\n", "",
        FIELD + "sentences_are_enumerated",
    ),
    Bug(
        "a drawn word forgets the edge to the furthest word behind it", "rcmviz.mrf.draws",
        "weights = weights * np.exp(", "weights = weights + 0 * np.exp(",
        FIELD + "draws_are_of_the_field",
    ),
    Bug(
        "the penalty's gradient is half of it", "rcmviz.mrf.training",
        "slope += self.l2 * part", "slope += 0.5 * self.l2 * part",
        FIELD + "the_objective_has_this_gradient",
    ),
    Bug(
        "what a forgotten word weighs is left out", "rcmviz.mrf.decoding",
        "average[known:].sum(axis=0)", "average[known + 1 :].sum(axis=0)",
        FIELD_DECODING + "a_forgotten_word_weighs_what_it_does_on_average",
    ),
    Bug(
        "rows on demand forget where a sentence begins", "rcmviz.mrf.decoding",
        "begun |= here == self.begin", "begun &= here == self.begin",
        FIELD_DECODING + "rows_are_those_of_the_table",
    ),
    Bug(
        "an edge keeps what it has given away", "rcmviz.mrf.reach",
        "self._edge(i, j) - self.messages[i, j] - self.messages[j, i][:, None]", "self._edge(i, j)",
        FIELD_DECODING + "what_a_candidate_can_reach_is_bounded_and_the_bound_falls",
    ),
    Bug(
        "a token's neighbours are those on its left", "rcmviz.mrf.pseudo",
        "behind = [line[(places + back)", "behind = [line[(places - back)",
        FIELD_RIVALS + "pseudo_likelihood_is_of_every_token_given_the_ring",
    ),
    Bug(
        "messages of a tagger do not cancel", "rcmviz.mrf.tag_bound",
        "    delta, epsilon = delta - delta.mean(axis=0), epsilon - epsilon.mean(axis=0)\n", "",
        FIELD_TAGGER + "the_bound_is_above_all_rings_and_exact_for_one_word",
    ),
    Bug(
        "a roll-out joins the path at the first equal label, whatever came before", ROLL_OUTS,
        "a != path[i] and code != states[j]:", "a != path[i] and (j == i + 1 or way[a, j - 1] != path[j - 1]):",
        SEARN + "shared_roll_outs_cost_what_full_ones_do",
    ),
    Bug(
        "the roll-in goes on where another policy rolls out", ROLL_OUTS,
        "if oracle_in[first + i + 1] != oracle_out[first + i + 1]:", "if False:",
        SEARN + "shared_roll_outs_cost_what_full_ones_do",
    ),
    Bug(
        "errors before an action are forgotten", ROLL_OUTS,
        "errors = before + wrong[joined[a]]", "errors = wrong[joined[a]]",
        SEARN + "shared_roll_outs_cost_what_full_ones_do",
    ),
    Bug(
        "a pair is split among the actions that cost less and one more", "rcmviz.kernels.searn.costs",
        "- row[order[j - 1]]) / j", "- row[order[j - 1]]) / (j + 1)",
        SEARN + "weighted_all_pairs_integrate_over_the_costs",
    ),
    Bug(
        "I of another type goes on with the chunk", "rcmviz.kernels.searn.losses",
        "return kinds[before, 0] == OUTSIDE or kinds[before, 1] != kinds[labels[i], 1]",
        "return kinds[before, 0] == OUTSIDE",
        SEARN + "the_losses_are_those_of_their_definitions",
    ),
    Bug(
        "the oracle keeps its weight in the mixture", "rcmviz.searn.policies",
        "(*(weight * (1 - beta) for weight in self.weights), beta)",
        "(self.weights[0], *(weight * (1 - beta) for weight in self.weights[1:]), beta)",
        SEARN + "the_mixture_has_the_weights_of_its_recursion",
    ),
    Bug(
        "the bound on the rest is the mean over what stands before", "rcmviz.search.bounds",
        "width**known, width).max(axis=0)", "width**known, width).mean(axis=0)",
        SEARCH + "astar_finds_the_best_and_proves_it",
    ),
    Bug(
        "the bound on the rest begins one position too late", "rcmviz.search.sequences",
        "self._rest[i + 1][first", "self._rest[min(i + 2, self.T)][first",
        SEARCH + "astar_finds_the_best_and_proves_it",
    ),
    Bug(
        "what a full queue dropped counts for nothing in the proof", "rcmviz.search.engine",
        "self.highest_dropped = max(", "max(",
        SEARCH + "what_is_lost_is_named",
    ),
    Bug(
        "ties go to the shorter hypothesis", "rcmviz.search.queue",
        "-float(totals[rank]), -depth,", "-float(totals[rank]), depth,",
        SEARCH + "it_pops_and_drops_what_the_notes_say",
    ),
    Bug(
        "prefixes are joined that are equal in their last label only", "rcmviz.search.sequences",
        "return len(hypothesis.labels), hypothesis.labels[-self.order :]",
        "return len(hypothesis.labels), hypothesis.labels[-1:]",
        SEARCH + "astar_finds_the_best_and_proves_it",
    ),
    Bug(
        "CTC: the same label again is new without a blank", FRAMES + "sweeps",
        "                if a == last[c]:", "                if a == -1:",
        CTC + "a_repeat_needs_a_blank_between",
    ),
    Bug(
        "CTC: what is merged forgets all but the last label", FRAMES + "columns",
        "key, is_shortest = keys[j], False", "key, is_shortest = keys[j] % shape[1].size, False",
        CTC + "merging_in_deep_hierarchies",
    ),
]  # fmt: skip


# Tests that no bug needs, and that show whether the kernels run alike without the compiler, which forgives some types.
WITHOUT_COMPILER = {
    EXACTNESS + "label_marginals", QUERIES + "kbest_lists_the_heaviest",
    QUERIES + "expected_counts_are_the_slope_of_log_z",
    SELECTION + "kept_are_the_heaviest_in_the_log_domain", SELECTION + "trace_log_z_so_far_is_the_forward_mass",
    INVARIANTS + "bulk_selects_the_same_contexts_bit_for_bit", INVARIANTS + "bulk_exact_is_the_static_chain",
    INVARIANTS + "bulk_mean_length_is_the_mass_weighted_mean",
}  # fmt: skip
UNEDITED = WITHOUT_COMPILER | {bug.test for bug in BUGS}
FILES = sorted({test.partition("::")[0] for test in UNEDITED})


@pytest.fixture(scope="module")
def runs():
    running = Runs(FILES, {bug.module for bug in BUGS})
    yield running
    running.close()


@pytest.mark.parametrize("file", FILES)
def test_the_unedited_package_passes(file, runs):
    """Else the failures below would prove nothing."""
    tests = sorted(test for test in UNEDITED if test.startswith(f"{file}::"))
    code, printed = runs.outcome(tests)
    assert code == 0, printed[-3000:]


@pytest.mark.parametrize("bug", BUGS, ids=[bug.name for bug in BUGS])
def test_planted_bug_is_caught(bug, runs):
    code, printed = runs.outcome([bug.test], bug)
    assert code == 1 and "1 failed" in printed, printed[-3000:]
