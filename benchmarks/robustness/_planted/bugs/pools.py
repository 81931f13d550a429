"""Bugs in pools of outputs."""

from __future__ import annotations

import threading

from benchmarks.robustness._planted.correct.pools import SETS, Choices, choices
from benchmarks.robustness._planted.register import bug, bugs, memory, silent


class Bag:
    """A pool with its own list."""

    def __init__(self):
        self._kept = []

    def __len__(self):
        return len(self._kept)

    def __iter__(self):
        return iter(self._kept)


class Locked(list):
    def __init__(self, items):
        super().__init__(items)
        self.lock = threading.Lock()


def in_place(right, task, outputs, pool=None):
    pool = [] if pool is None else pool
    pool.extend(z for z in dict.fromkeys(outputs) if z not in pool)
    return pool


def in_a_bag(right, task, outputs, pool=None):
    pool = Bag() if pool is None else pool
    pool._kept += [z for z in dict.fromkeys(outputs) if z not in pool._kept]
    return pool


bugs(Choices, ".pool_outputs", {
    "extends the pool": in_place,
    "forgets the earlier pool": lambda right, task, outputs, pool=None: right(outputs),
    "keeps duplicates": lambda right, task, outputs, pool=None: [*(pool or ()), *outputs],
    "cannot be pickled": lambda right, task, outputs, pool=None: Locked(right(outputs, pool)),
    "adds what is no output": lambda right, task, outputs, pool=None: (
        [*right(outputs, pool), (2, 3, 5)]
    ),
    "raises": lambda right, task, outputs, pool=None: {*map(list, outputs)},
})  # fmt: skip
bugs(silent(Choices), ".pool_outputs", {"is an object that grows": in_a_bag})
bugs(Choices, ".search_pool", {
    "keeps its first pool": lambda right, task, w, pool: (
        right(w, memory(task).setdefault("pool", list(pool)))
    ),
    "forgets the loss": lambda right, task, w, pool: [
        max(pool, key=lambda z: w @ task.problem.joint_feature(x, z)) for x in task.X
    ],
    "returns too few": lambda right, task, w, pool: right(w, pool)[1:],
    "returns positions": lambda right, task, w, pool: [pool.index(z) for z in right(w, pool)],
})  # fmt: skip


class WithoutThePool(Choices.batches):
    pool_outputs = None


class WithoutTheSearch(Choices.batches):
    search_pool = None


@bug(".pool_outputs")
class ThePoolIsMissing(Choices):
    batches = WithoutThePool


@bug(".search_pool")
class TheSearchIsMissing(Choices):
    batches = WithoutTheSearch


# ------------------------------------------------------------------ what the measures read too


class ReadsZeros(Choices):
    """Its measures read a number too, but its joint feature is too short then."""

    def joint_feature(self, x, y):
        return 0 * x if y == 0 else super().joint_feature(x, y)

    def loss(self, y, y_hat):
        return 1.0 if y_hat == 0 else super().loss(y, y_hat)


class ReadsNothing(Choices):
    def loss(self, y, y_hat):
        return -1.0 if y_hat == () else super().loss(y, y_hat)


for kind, output in ((ReadsZeros, 0), (silent(ReadsZeros), 0), (ReadsNothing, ())):
    bugs(kind, ".search_pool", {
        f"returns {output}": lambda right, task, w, pool, output=output: [output for x in task.X],
    })  # fmt: skip


def choices_by_sign():
    """Examples of two kinds, each with its own sets."""
    X, _ = choices()
    return X, [SetsOfOneKind().outputs(x)[0] for x in X]


class SearchesOneKind(Choices.batches):
    def pool_outputs(self, outputs, pool=None):
        return super().pool_outputs(outputs, pool)

    def search_pool(self, w, pool):
        best, outputs = self.problem.best, self.problem.outputs
        pairs = zip(self.X, self.Y, strict=True)
        return [best(x, y, w, [s for s in pool if s in outputs(x)]) for x, y in pairs]


@bug(".pool_outputs", data=choices_by_sign)
class SetsOfOneKind(Choices):
    """Its joint feature is too short for sets of the other kind, which the pool holds."""

    batches = SearchesOneKind

    def outputs(self, x):
        return SETS[:2] if x[0] > 0 else SETS[2:]

    def joint_feature(self, x, y):
        return super().joint_feature(x, y) if y in self.outputs(x) else x

    def separation_oracle(self, x, y, w):
        return self.best(x, y, w, self.outputs(x))

    def decode(self, x, w):
        return max(
            self.outputs(x), key=lambda z: w @ super(SetsOfOneKind, self).joint_feature(x, z)
        )
