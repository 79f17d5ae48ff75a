"""L-BFGS step by step: it can be watched, stopped, saved and continued as if it had never stopped.

Liu and Nocedal (1989), with the line search of scipy (strong Wolfe conditions).
"""

import warnings

import numpy as np

MEMORY = 10
TRIALS = 20  # of a line search


class LBFGS:
    """Minimises ``function(x) → (value, gradient)`` from ``x`` on.

    >>> optimiser = LBFGS(lambda x: (float(x @ x), 2 * x), np.array([3.0, 4.0]))
    >>> while optimiser.step():
    ...     pass
    >>> np.abs(optimiser.x).max() < 1e-6
    np.True_
    """

    def __init__(self, function, x, memory=MEMORY):
        self.function, self.memory, self.evaluations = function, memory, 0
        self.x, self.steps, self.changes = np.array(x, np.float64), [], []
        self._asked = (None, None, None)
        self.value, self.gradient = self._evaluate(self.x)

    def _evaluate(self, x):
        """Value and gradient, computed once if requested one after the other."""
        if self._asked[0] is None or not np.array_equal(self._asked[0], x):
            self.evaluations += 1
            self._asked = (np.array(x), *self.function(x))
        return self._asked[1:]

    def step(self):
        """One step; False where none was found, along the curvature seen so far or against the gradient."""
        for direction in (self._direction(), self._descent_direction()):
            taken = self._search(direction)
            if taken is not None:
                self._move_to(taken)
                return True
            self.steps, self.changes = [], []
        return False

    def _descent_direction(self):
        length = np.linalg.norm(self.gradient)
        return -self.gradient / max(length, 1e-300)

    def _direction(self):
        """Minus the inverse Hessian, as far as the last steps show it, times the gradient."""
        if not self.steps:
            return self._descent_direction()
        found, shares = -self.gradient, []
        for step, change in zip(reversed(self.steps), reversed(self.changes), strict=True):
            shares.append(step @ found / (change @ step))
            found -= shares[-1] * change
        step, change = self.steps[-1], self.changes[-1]
        found *= (step @ change) / (change @ change)
        for step, change, share in zip(self.steps, self.changes, reversed(shares), strict=True):
            found += (share - change @ found / (change @ step)) * step
        return found

    def _search(self, direction):
        """The next point along a direction, or None."""
        if not np.isfinite(direction).all() or self.gradient @ direction >= 0:
            return None
        from scipy.optimize import line_search  # not at every start of the application (chain_bound.py)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a line search that fails is answered here
            length, *_ = line_search(
                lambda x: self._evaluate(x)[0],
                lambda x: self._evaluate(x)[1],
                self.x,
                direction,
                self.gradient,
                self.value,
                maxiter=TRIALS,
            )
        return None if length is None else self.x + length * direction

    def _move_to(self, x):
        value, gradient = self._evaluate(x)
        step, change = x - self.x, gradient - self.gradient
        if step @ change > 0:
            self.steps, self.changes = [*self.steps, step][-self.memory :], [*self.changes, change][-self.memory :]
        self.x, self.value, self.gradient = x, value, gradient

    @property
    def state(self):
        """Arrays that ``restore`` continues from: x, and the steps with their changes of gradient."""
        none = np.zeros((0, len(self.x)))
        return {"x": self.x, "steps": np.array(self.steps or none), "changes": np.array(self.changes or none)}

    def restore(self, state):
        """Continue from a ``state``."""
        self.x, self.steps, self.changes = state["x"], list(state["steps"]), list(state["changes"])
        self.value, self.gradient = self._evaluate(self.x)
