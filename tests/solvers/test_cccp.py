"""CCCP: labels and w in turn, an objective that never rises in the descent, and bad starts."""

from itertools import pairwise

import numpy as np
import pytest
from changed_tasks import with_task
from toy_problems import (
    CountedTopics,
    LatentTopics,
    Multilabel,
    full_objective,
    multilabel_data,
    topics_data,
)

from structsvm import CCCP, LatentProblem, Status
from structsvm.problems import MMCProblem
from structsvm.solvers import cccp


@pytest.mark.parametrize(("C", "seed"), [(10.0, 0), (100.0, 1)])
def test_no_relabelling_raises_the_restricted_objective(C, seed, monkeypatch):
    changes = []

    class Recorded(cccp.ConcaveConvex):
        def _hold_unless_worse(self, labels):
            w = self.planes.solution.w
            before = self.planes.slacks(w)[0]
            super()._hold_unless_worse(labels)
            changes.append((self.planes.slacks(w)[0] - before, before, self.labels is labels))

    monkeypatch.setattr(cccp, "ConcaveConvex", Recorded)
    CCCP(random_state=seed).solve(LatentTopics(), topics_data(seed), C=C)
    assert all(C * rise <= 1e-6 * (1 + C * before) for rise, before, _ in changes)
    assert not all(accepted for *_, accepted in changes), "on these data some are refused"


@pytest.mark.parametrize("search", [True, False])
@pytest.mark.parametrize("rtol", [0, 1e-3])
@pytest.mark.parametrize(("C", "seed"), [(1.0, 0), (10.0, 1), (100.0, 2)])
def test_the_result_is_a_local_optimum_with_a_certificate(C, seed, rtol, search):
    X, problem = topics_data(seed), LatentTopics()
    Y = [(None, 0), (None, None), (2, 1), *[(None, None)] * 3]
    w0 = np.random.default_rng(seed).normal(size=6)
    result = CCCP(search=search, rtol=rtol).solve(problem, X, Y, C, w0=w0)
    assert result.status in ((Status.CONVERGED,) if rtol else (Status.NUMERICAL, Status.CONVERGED))
    assert abs(result.gap) <= max(1e-8, rtol) * result.primal
    expected = full_objective(problem, X, result.labels, result.w, C)
    assert result.primal == pytest.approx(expected, rel=1e-9)
    assert result.verify(problem, X, Y).matches
    # The annotations are kept, and no labels imputed at w are better, to the tolerance.
    for label, annotation in zip(result.labels, Y, strict=True):
        assert all(b is None or a == b for a, b in zip(label, annotation, strict=True))
    imputed = [problem.impute(x, y, result.w) for x, y in zip(X, Y, strict=True)]
    assert full_objective(problem, X, imputed, result.w, C) >= result.primal * (1 - 2e-4)
    if not search:  # the descent never rises, but for its rounding errors, measured now and then
        best = [step.best_primal for step in result.history]
        assert all(b <= a * (1 + 1e-12) for a, b in pairwise(best))


@pytest.mark.parametrize("search", [True, False])
@pytest.mark.parametrize("seed", [0, 1])
def test_infeasible_start_ends_feasible(search, seed):
    class Nonnegative(LatentTopics):
        def constraints(self):
            return -np.eye(6), np.zeros(6)

    X, w0 = topics_data(seed), np.random.default_rng(seed).normal(size=6)
    assert w0.min() < -0.1
    result = CCCP(search=search).solve(Nonnegative(), X, C=10.0, w0=w0)
    assert result.status is Status.CONVERGED
    assert result.w.min() > -1e-6
    assert np.isfinite(result.history[0].primal), "the start is projected"
    assert result.verify(Nonnegative(), X).matches


def test_the_start_depends_on_random_state():
    X, problem = topics_data(0), LatentTopics()
    starts = []
    for seed in (0, 0, 1):
        CCCP(max_iter=1, random_state=seed).solve(
            problem, X, callback=lambda step, w: starts.append(w.copy())
        )
    np.testing.assert_array_equal(starts[0], starts[1])
    assert not np.array_equal(starts[0], starts[2])
    assert np.linalg.norm(starts[0]) == pytest.approx(1e-3)


def test_flip_sets_and_the_generic_relabelling_agree():
    """Without the task's own ``relabelled`` the run is the same."""
    Generic = with_task(MMCProblem, relabelled=None)
    rng = np.random.default_rng(0)
    X = [np.vstack([rng.normal(-1, 1, (20, 3)), rng.normal(1, 1, (20, 3))])]
    for balance in (0.0, 0.3):
        ours = CCCP().solve(MMCProblem(balance), X, C=10.0)
        theirs = CCCP().solve(Generic(balance), X, C=10.0)
        assert ours.primal == pytest.approx(theirs.primal, rel=1e-9)
        assert ours.iterations == theirs.iterations
        np.testing.assert_array_equal(ours.labels[0], theirs.labels[0])
        assert ours.verify(MMCProblem(balance), X).matches


class Topics(tuple):
    """A type that the engine does not compare."""


class Same(CountedTopics):
    """Equal labels are the same object, of a type that is not compared."""

    def initialize(self, X, Y=None):
        super().initialize(X, Y)
        self.known = {}

    def label(self, label):
        return self.known.setdefault(label, Topics(label))


def test_joint_features_grow_with_passes_and_labellings_not_with_planes():
    """Equal labels that are plain values need not be one object."""
    problems = CountedTopics(), Same()
    one, other = (CCCP().solve(p, topics_data(), None, 100.0, copy=False) for p in problems)
    np.testing.assert_allclose(one.w, other.w, rtol=1e-12, atol=1e-12)
    calls, n = problems[0].calls, 6
    # In passes 1, 2, 4, ... the sizes of terms are measured.
    measured = n * (1 + 2 * (1 + np.log2(one.iterations)))
    assert calls["joint_feature"] <= 2 * one.oracle_calls + calls["impute"] + measured


class Known(LatentProblem, Multilabel):
    """Some outputs are known."""


class Copies(Known):
    """They are copies at every call, such as another process, or a file, makes."""

    def complete(self, x, y, w):
        return Topics(y)


def test_bits_do_not_depend_on_whether_labels_are_copies():
    inputs, outputs = multilabel_data(n=5)
    known = [Topics(y) if i % 3 else None for i, y in enumerate(outputs)]
    one, other = (CCCP().solve(kind(), inputs, known, 10.0) for kind in (Known, Copies))
    np.testing.assert_array_equal(one.w, other.w)
    assert one.iterations == other.iterations


def test_unusable_problems_and_starts_are_named():
    with pytest.raises(TypeError, match="CCCP needs a SelfLabelledProblem; Multilabel has known"):
        CCCP().solve(Multilabel(), *multilabel_data())
    with pytest.raises(ValueError, match="w0 must not be zero"):
        CCCP().solve(LatentTopics(), topics_data(), w0=np.zeros(6))
    for start in (np.ones(5), np.full(6, np.nan), "text", None):
        odd = type("Odd", (LatentTopics,), {"initial_w": lambda self, X, rng, w=start: w})()
        with pytest.raises(ValueError, match=r"initial_w .*finite.* shape \(6,\)"):
            CCCP().solve(odd, topics_data())
