"""A problem whose outputs are the same for all examples, and which pools them."""

import numpy as np

from structsvm import Problem, Task

#: The sets of four items that may be chosen.
SETS = [(0, 1), (1, 2), (2, 3), (0, 3), (0, 2, 3)]


def choices(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(12, 3)), [SETS[i] for i in rng.integers(len(SETS), size=12)]


class ChoiceTask(Task):
    def pool_outputs(self, outputs, pool=None):
        return sorted({*(pool or ()), *map(tuple, outputs)})

    def search_pool(self, w, pool):
        return [self.problem.best(x, y, w, pool) for x, y in zip(self.X, self.Y, strict=True)]


class Choice(Problem):
    """A set of items, with weights of each item."""

    oracle_cost = "expensive"

    def task(self, X, Y=None):
        return ChoiceTask(self, X, Y)

    def _scores(self, x, w):
        return w.reshape(4, 3) @ x

    def joint_feature(self, x, y):
        return np.outer(np.isin(range(4), y), x).ravel()

    def loss(self, y, y_hat):
        return float(len(set(y) ^ set(y_hat)))

    def separation_oracle(self, x, y, w):
        return self.best(x, y, w, SETS)

    def decode(self, x, w):
        scores = self._scores(x, w)
        return max(SETS, key=lambda s: scores[list(s)].sum())

    def outputs(self, x):
        return SETS

    def best(self, x, y, w, sets):
        scores = self._scores(x, w)
        return max(sets, key=lambda s: self.loss(y, s) + scores[list(s)].sum())


class WithoutPool(Choice):
    """The same without a pool."""

    task = Problem.task
