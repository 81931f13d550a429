"""Every solver, with the options that lead to other code, and a small task that it can train."""

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp
from toy_problems import LatentTopics, all_differences, full_optimum, topics_data

import structsvm.solvers
from structsvm import (
    CCCP,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    Plan,
    SmoothedCCCP,
    SmoothedLBFGS,
)
from structsvm.problems import Multiclass

KINDS = [getattr(structsvm.solvers, name) for name in structsvm.solvers.__all__]
KINDS = [kind for kind in KINDS if kind is not Plan]
SUPERVISED = [kind for kind in KINDS if kind.requires.known_outputs]


class Case(NamedTuple):
    """A solver with options; called with further parameters it makes one."""

    kind: Any
    options: Any = {}  # noqa: RUF012

    def __call__(self, **parameters):
        return self.kind(**self.options, **parameters)

    @property
    def name(self):
        return ", ".join([self.kind.__name__, *self.options.values()])

    @property
    def knows_outputs(self):
        return self.kind.requires.known_outputs

    def task(self):
        """A problem that the solver can train, X, Y and C."""
        if self.knows_outputs:
            return Multiclass(), *blobs(), 20.0
        return LatentTopics(), topics_data(), None, 20.0

    def optimum(self, problem, X, Y, C, prior=0.0):
        """The optimal objective and w by cvxopt or SciPy, from all outputs."""
        loss, rescaling = self.options.get("loss"), self.options.get("rescaling", "margin")
        if loss is None:
            return full_optimum(problem, X, Y, C, rescaling, prior)
        problem.initialize(X, Y)
        rows, offsets, examples = all_differences(problem, X, Y)
        offsets = offsets * (loss == "softmax_margin")
        parts = [examples == i for i in range(len(Y))]

        def objective(w):
            scores = offsets - rows @ w
            slacks = np.array([logsumexp(scores[part]) for part in parts])
            p = np.exp(scores - slacks[examples])
            value = np.sum((w - prior) ** 2) / 2 + C * slacks.mean()
            return value, w - prior - C / len(Y) * p @ rows

        start = np.zeros(rows.shape[1])
        best = minimize(objective, start, jac=True, options={"gtol": 1e-7})
        return best.fun, best.x


SOLVERS = {
    case.name: case
    for case in (
        *map(Case, KINDS),
        Case(OneSlackCuttingPlane, {"rescaling": "slack"}),
        Case(NSlackCuttingPlane, {"rescaling": "slack"}),
        Case(OneSlackCuttingPlane, {"loss": "softmax_margin"}),
        Case(SmoothedLBFGS, {"loss": "softmax_margin"}),
        Case(SmoothedLBFGS, {"loss": "log_loss"}),
    )
}
#: Those that search for labels too, and descend alone where ``search`` is False.
DESCENTS = [Case(kind, {"search": False}) for kind in (CCCP, SmoothedCCCP)]


def blobs(n=24, d=5, k=3, seed=0):
    """Rows with classes that overlap."""
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return np.eye(k, d)[y] + 0.6 * rng.normal(size=(n, d)), y


def assert_same(result, expected):
    """All but the times is the same, to the last bit."""
    np.testing.assert_array_equal(result.w, expected.w)
    for name in ("primal", "dual", "gap", "rounding", "tolerance", "status", "iterations",
                 "oracle_calls", "best_iteration", "message"):  # fmt: skip
        assert getattr(result, name) == getattr(expected, name), name
    histories = ([repr(s._replace(seconds=0.0)) for s in r.history] for r in (result, expected))
    assert next(histories) == next(histories)
    alphas = ([plane.alpha for plane in r.support] for r in (result, expected))
    assert next(alphas) == next(alphas)
