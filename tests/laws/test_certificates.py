"""Bounds that are never wrong, at any scale: compared with exact arithmetic."""

import warnings
from fractions import Fraction
from functools import cache, partial

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import structsvm.solvers
from benchmarks.robustness._cancelling_cases import cancelling_case
from benchmarks.robustness._exact import Exact, as_float, objective
from benchmarks.robustness._problems import Table
from benchmarks.robustness._random_cases import random_case
from benchmarks.robustness.certificates import FAULTS, NOT_OFFERED, SOLVERS, examined
from structsvm import (
    CCCP,
    BlockCoordinateFrankWolfe,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    Plan,
    SmoothedCCCP,
    SmoothedCuttingPlane,
    Status,
)
from structsvm.objective import rounding
from structsvm.problems import Multiclass, MulticlassSVM

pytestmark = pytest.mark.slow

ALL = {getattr(structsvm.solvers, name) for name in structsvm.solvers.__all__} - {
    CCCP,
    SmoothedCCCP,
    Plan,
}
ALL = sorted(ALL, key=lambda kind: kind.__name__)
#: Solvers for problems without mini-batches and inner products.
GENERAL = [kind for kind in ALL if "products" not in kind.requires.task]


def exact_objective(X, y, w, C):
    """P(w) of a multiclass problem with 0/1 loss, as a fraction."""
    exact, k = Exact.of(X), len(np.unique(y))
    table = []
    for x, true in zip(exact.numbers, y, strict=True):
        rows = np.zeros((k, k, len(x)), dtype=object)
        rows[:, true] += x
        rows[np.arange(k), np.arange(k)] -= x
        losses = [Fraction(int(j != true)) for j in range(k)]
        table.append((Exact(rows.reshape(k, -1), exact.shift), losses))
    return objective(table, w, C, slack=False)


@cache
def lowest_objective(make, C):
    """P at the best w of several solvers, each also a little longer."""
    X, y = make()
    X = X.astype(float)
    points = [
        solver(max_iter=300).solve(Multiclass(), X, y, C).w
        for solver in (OneSlackCuttingPlane, NSlackCuttingPlane, SmoothedCuttingPlane)
    ]
    return min(
        exact_objective(X, y, w * (1 + longer), C)
        for w in points
        for longer in (0, 1e-14, 1e-12, 1e-10, 1e-8)
    )


def separable(seed, scale):
    """Twenty rows of large features, one of which is of the second class."""
    X = scale * np.random.default_rng(seed).normal(size=(20, 15))
    return X, (np.arange(20) == 0).astype(int)


# ---------------------------------------------------------------------- exact arithmetic


def test_floats_become_exact_numbers():
    values = [0.1, -3.0, 1e-300, 2.0**70]
    exact = Exact.of(values)
    assert [exact.scaled(number) for number in exact.numbers] == [Fraction(v) for v in values]
    assert as_float(Fraction(10) ** 400) == np.inf


def test_the_exact_objective_is_the_objective():
    X, y = separable(0, 1.0)
    result = OneSlackCuttingPlane(rtol=1e-9).solve(Multiclass(), X, y, C=2.0)
    assert float(exact_objective(X, y, result.w, 2.0)) == pytest.approx(result.primal, rel=1e-12)


# ---------------------------------------------------------------------- random problems


CANCELLING = (
    *(("ROC area", 0), ("ROC area", 117), ("pairs of grades", 1), ("error", 2), ("paths", 113)),
    *(("average precision", 3), ("average precision", 111), ("top k", 4), ("top k", 22)),
)


@pytest.mark.parametrize(
    ("seed", "case"),
    [*((seed, random_case) for seed in (0, 1, 3, 4, 6, 7, 8, 1328))]  # the last of large rows
    + [(seed, partial(cancelling_case, kind)) for kind, seed in CANCELLING],
)
def test_no_claim_is_wrong(seed, case):
    for run in examined(seed, case):
        assert not run.faults, run
        assert hasattr(Status, run.outcome) or run.outcome == NOT_OFFERED, run


def test_wrong_claims_are_seen(monkeypatch):
    monkeypatch.setattr(rounding, "MULTIPLE", 0.0)
    faults = {fault for seed in (1, 3) for run in examined(seed) for fault in run.faults}
    assert {"wrong primal", "wrong dual"} <= faults <= set(FAULTS)


# ---------------------------------------------------------------------- scales


def large():
    return separable(0, 1e7)


def decades():
    """Features over fourteen decades in single precision."""
    X = np.random.default_rng(0).normal(size=(15, 8)) * 10.0 ** np.linspace(-7, 7, 8)
    return X.astype(np.float32), np.arange(15) % 3


@pytest.mark.parametrize("solver", ALL)
def test_a_tiny_objective_beside_a_large_C(solver):
    X, y = large()
    result = solver(max_iter=300).solve(Multiclass(), X, y, C=12.3)
    assert Fraction(result.dual) <= lowest_objective(large, 12.3)
    assert Fraction(result.primal) >= exact_objective(X, y, result.w, 12.3)
    assert result.status is not Status.CONVERGED
    assert result.verify(Multiclass(), X, y).matches


def test_features_near_the_largest_integer():
    rng = np.random.default_rng(0)
    X = rng.integers(2**62, 2**63 - 1, size=(12, 3))
    y = np.arange(12) % 2
    for solver in ALL:
        result = solver(max_iter=300).solve(Multiclass(), X, y)
        assert Fraction(result.primal) >= exact_objective(X, y, result.w, 1.0)
        assert result.dual <= result.primal
        assert result.status is not Status.CONVERGED


@pytest.mark.parametrize("solver", ALL)
def test_features_over_fourteen_decades_in_single_precision(solver):
    X, y = decades()
    result = solver(max_iter=300).solve(Multiclass(), X, y, C=1e4)
    assert Fraction(result.dual) <= lowest_objective(decades, 1e4)
    assert Fraction(result.primal) >= exact_objective(X, y, result.w, 1e4)
    assert result.verify(Multiclass(), X, y).matches


def test_the_advice_names_the_features_and_a_factor_that_does():
    X, y = separable(1, 1e7)
    result = OneSlackCuttingPlane().solve(Multiclass(), X, y, C=12.3)
    assert result.status is Status.NUMERICAL
    assert "joint features are of size" in result.message
    assert result.message in str(result)
    factor = float(result.message.split("a factor of ")[1].split(" ")[0])
    assert factor == 1e-7
    again = OneSlackCuttingPlane().solve(Multiclass(), factor * X, y, C=12.3)
    assert again.status is Status.CONVERGED


@pytest.mark.parametrize("solver", GENERAL)
def test_joint_features_whose_squares_overflow_are_refused(solver):
    x = np.random.default_rng(0).normal(size=(12, 3, 4)) * 1e200
    with pytest.raises(ValueError, match=r"joint features are as large as .*Scale the features"):
        solver().solve(Table(1 - np.eye(3)), list(x), (np.arange(12) % 3).tolist())


def test_where_features_are_small_the_advice_is_a_lower_C():
    X, y = separable(1, 1.0)
    result = OneSlackCuttingPlane().solve(Multiclass(), X, y, C=1e16)
    assert result.status is Status.NUMERICAL
    assert "a lower C would do" in result.message
    assert OneSlackCuttingPlane().solve(Multiclass(), X, y, C=1e8).status is Status.CONVERGED


# ---------------------------------------------------------------------- time stamps


def with_time(spread, seed=0):
    """Standard normal features of three classes, and a column of seconds since 1970."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=200)
    X = rng.normal(size=(200, 6))
    X[:, :3] += 2 * np.eye(3)[y]
    return np.hstack([X, 1e9 + spread * rng.normal(size=(200, 1))]), y


@pytest.mark.parametrize("spread", [0.0, 1e5])
def test_a_column_of_time_stamps_trains(spread):
    X, y = with_time(spread)
    svm = MulticlassSVM(C=1.0, fit_intercept=False).fit(X, y)
    assert svm.result_.status is Status.CONVERGED
    without = MulticlassSVM(C=1.0, fit_intercept=False).fit(X[:, :6], y)
    assert svm.score(X, y) > without.score(X[:, :6], y) - 0.03
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        svm = MulticlassSVM().fit(X, y)
    assert svm.result_.gap < 0.02 * svm.result_.primal
    assert svm.score(X, y) > MulticlassSVM().fit(X[:, :6], y).score(X[:, :6], y) - 0.03


def test_milliseconds_leave_a_gap_and_a_message_that_names_them():
    X, y = with_time(1.0)
    X[:, 6] = 1000 * X[:, 6] + 1e9 * np.random.default_rng(0).normal(size=len(X))
    with pytest.warns(ConvergenceWarning, match="joint features are of size"):
        result = MulticlassSVM(C=100.0, scale=None).fit(X, y).result_
    assert result.status is Status.NUMERICAL
    assert result.tolerance < result.gap < 0.1 * result.primal
    index = int(result.message.split("at index ")[1].split(" ")[0])
    assert index % 7 == 6


@pytest.mark.parametrize("size", [1.0, 1e6])
def test_a_run_that_ends_early_names_features_that_are_huge(size):
    X, y = separable(1, size)
    result = NSlackCuttingPlane(max_iter=1).solve(Multiclass(), X, y)
    assert result.status is Status.MAX_ITER
    assert ("joint features are of size 2e+06" in result.message) == (size > 1)


# ---------------------------------------------------------------------- Frank-Wolfe


@pytest.mark.parametrize("seed", range(2))
def test_frank_wolfe_makes_progress_at_a_large_C(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(3, 4)), [0, 1, 2] if seed % 2 else [0, 1, 1]
    result = BlockCoordinateFrankWolfe(max_iter=500).solve(Multiclass(), X, y, C=7e4)
    assert result.status is Status.CONVERGED


def test_one_slack_goes_on_where_frank_wolfe_makes_none():
    case = random_case(67)  # columns of many scales
    result = BlockCoordinateFrankWolfe().solve(case.problem, case.X, case.Y, case.C)
    assert result.status is Status.CONVERGED
    assert result.iterations < 400


def test_the_solvers_examined_are_all():
    assert {type(solver) for solver in SOLVERS.values()} == {*ALL, CCCP, SmoothedCCCP}
