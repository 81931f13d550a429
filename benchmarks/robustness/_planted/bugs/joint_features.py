"""Bugs in joint features and their differences."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchmarks.robustness._planted.correct.grid import Grid
from benchmarks.robustness._planted.correct.labels import (
    ONE_HOT,
    Documents,
    K,
    Labels,
    many_labels,
)
from benchmarks.robustness._planted.correct.pairing import ListPairing, Pairing
from benchmarks.robustness._planted.correct.tagging import Tagging
from benchmarks.robustness._planted.correct.topics import Topics
from benchmarks.robustness._planted.register import answers, bug, bugs, memory, silent

# ------------------------------------------------------------------ what is no vector

answers(Labels, "joint_feature", {
    "a dictionary": lambda psi: dict(enumerate(psi)),
    "nothing but zeros": np.zeros_like,
})  # fmt: skip
answers(silent(Labels), "joint_feature", {
    "complex": lambda psi: psi + 0j,
    "a sparse column": lambda psi: sparse.csr_matrix(psi[:, None]),
})  # fmt: skip
answers(Documents, "joint_feature", {"every word counts once": lambda psi: psi.sign()})
answers(silent(Grid), "joint_feature", {"whole numbers": lambda psi: psi.astype(int)})


def longer_for_one(right, problem, x, y):
    psi = right(x, y)
    return np.append(psi, 1.0) if x[0] == many_labels()[0][:, 0].max() else psi


def as_long_as_its_last_entry(right, problem, x, y):
    return sparse.csr_matrix((x.data, y * x.shape[1] + x.indices, [0, x.nnz]))


bugs(
    silent(Labels), "joint_feature", {"longer for one of sixteen": longer_for_one}, data=many_labels
)
bugs(Documents, "joint_feature", {"as long as its last entry": as_long_as_its_last_entry})


# ------------------------------------------------------------------ what is another vector

bugs(Labels, "joint_feature", {
    "a sparse row for one label": lambda right, problem, x, y: (
        sparse.csr_array(right(x, y)[None]) if y == 2 else right(x, y)
    ),
    "of the first input with the output": lambda right, problem, x, y: (
        memory(problem).setdefault(y, right(x, y))
    ),
    "larger for integers of Python": lambda right, problem, x, y: (
        right(x, y) * (1.0 if isinstance(y, np.integer) else 1.5)
    ),
})  # fmt: skip
bugs(Grid, "joint_feature", {
    "NaN at the origin": lambda right, problem, x, y: right(x, y) * np.hypot(*y) / np.hypot(*y),
})  # fmt: skip


def joined_ends(right, problem, x, y):
    """At the first position y[t - 1] is the last tag."""
    psi = right(x, y)
    psi[-9 + 3 * y[-1] + y[0]] += 1
    return psi


bugs(Tagging, "joint_feature", {
    "transitions are transposed": lambda right, problem, x, y: (
        np.r_[right(x, y)[:-9], right(x, y)[-9:].reshape(3, 3).T.ravel()]
    ),
})  # fmt: skip
bugs(silent(Tagging), "joint_feature", {"the last tag is joined to the first": joined_ends})
bugs(silent(Pairing), "joint_feature", {
    "divided by the longest length": lambda right, problem, x, y: right(x, y) * len(x) / 4,
})  # fmt: skip

# ------------------------------------------------------------------ what changes


def in_a_buffer(right, problem, x, y):
    psi = right(x, y)
    buffer = memory(problem).setdefault("buffer", psi)
    buffer[:] = psi
    return buffer


def larger_every_seventh_time(right, problem, x, y):
    calls = memory(problem)["calls"] = memory(problem).get("calls", 0) + 1
    return right(x, y) * (1 + (calls % 7 == 0))


bugs(Labels, "joint_feature", {"in a buffer": in_a_buffer})
bugs(silent(Topics), "joint_feature", {"larger every seventh time": larger_every_seventh_time})


@bug("joint_feature")
class PsiIsScaledByTheLastW(silent(Labels)):
    norm = 1.0

    def joint_feature(self, x, y):
        return super().joint_feature(x, y) / self.norm

    def separation_oracle(self, x, y, w):
        self.norm = max(1.0, float(np.linalg.norm(w)))
        return super().separation_oracle(x, y, w)


# ------------------------------------------------------------------ what changes its arguments


def sorts_its_output(right, problem, x, y):
    psi = right(x, y)
    y.sort()
    return psi


bugs(ListPairing, "joint_feature", {"sorts its output": sorts_its_output})


@bug("joint_feature", data=many_labels)
class PsiNormalisesItsInput(Labels):
    """Called by initialize, to know the size."""

    def initialize(self, X, Y):
        self.size_joint_feature = len(self.joint_feature(X[0], Y[0]))

    def joint_feature(self, x, y):
        x /= np.linalg.norm(x)
        return np.outer(np.eye(K)[y], x).ravel()


# ------------------------------------------------------------------ joint_feature_difference

DIFFERENCE = "joint_feature_difference"


def of_the_first_truth(right, problem, x, y, y_hat):
    psi = memory(problem).setdefault((len(x), y), problem.joint_feature(x, y))
    return psi - problem.joint_feature(x, y_hat)


answers(Labels, DIFFERENCE, {"NaN at the truth": lambda psi: psi if psi.any() else psi / 0.0})
answers(silent(Labels), DIFFERENCE, {"backwards": lambda psi: -psi})
answers(silent(Grid), DIFFERENCE, {"in half precision": lambda psi: psi.astype(np.float16)})
bugs(Grid, DIFFERENCE, {
    "of the difference of outputs": lambda right, problem, x, y, z: (
        problem.joint_feature(x, (y[0] - z[0], y[1] - z[1]))
    ),
})  # fmt: skip
bugs(silent(Tagging), DIFFERENCE, {
    "stops before the last position": lambda right, problem, x, y, z: right(x[:-1], y[:-1], z[:-1]),
})  # fmt: skip
bugs(silent(Pairing), DIFFERENCE, {"of the first truth": of_the_first_truth})


@bug(DIFFERENCE, "joint_feature")
class DifferenceSubtractsFromTheCache(Labels):
    def initialize(self, X, Y):
        super().initialize(X, Y)
        self.cache = {}

    def joint_feature(self, x, y):
        return self.cache.setdefault((x.tobytes(), y), np.outer(ONE_HOT[y], x).ravel())

    def joint_feature_difference(self, x, y, y_hat):
        psi = self.joint_feature(x, y)
        psi -= np.outer(ONE_HOT[y_hat], x).ravel()
        return psi
