"""Planted bugs: each is an edit of the package on which the named test must fail.

They run without the compiler, on a few problems (``support/planting.py``). The unedited package must pass the same
tests, and each edit must apply: a bug that can no longer be planted is an error here, not a pass.
"""

import pytest

from support.bug_places import EXACTNESS, INVARIANTS, QUERIES, SELECTION
from support.bugs_applications import APPLICATIONS
from support.bugs_engine import ENGINE
from support.planting import Runs

pytestmark = pytest.mark.long

BUGS = [*ENGINE, *APPLICATIONS]


# Tests that no bug needs, and that show whether the kernels run alike without the compiler, which forgives some types.
WITHOUT_COMPILER = {
    EXACTNESS + "label_marginals",
    QUERIES + "kbest_lists_the_heaviest",
    QUERIES + "expected_counts_are_the_slope_of_log_z",
    SELECTION + "kept_are_the_heaviest_in_the_log_domain",
    SELECTION + "trace_log_z_so_far_is_the_forward_mass",
    INVARIANTS + "bulk_selects_the_same_contexts_bit_for_bit",
    INVARIANTS + "bulk_exact_is_the_static_chain",
    INVARIANTS + "bulk_mean_length_is_the_mass_weighted_mean",
}
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
