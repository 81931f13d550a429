"""Oracles that contradict what they returned before are named; rounding errors are let pass."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_digits
from toy_problems import (
    ForgettingMultilabel,
    LatentTopics,
    Multilabel,
    multilabel_data,
    topics_data,
)

from structsvm import (
    CCCP,
    BlockCoordinateFrankWolfe,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    ProblemError,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
)
from structsvm.planes import SoftSource
from structsvm.problems import Multiclass
from structsvm.rounding import DOUBLE, Rounding, TermSizes
from structsvm.solvers.consistency import (
    DISAGREEMENT,
    UNBEATEN,
    require_agreement,
    require_any_loss,
    require_tangents,
    require_unbeaten,
)
from structsvm.solvers.descent import Point

SOLVERS = [OneSlackCuttingPlane, NSlackCuttingPlane]
X, Y = multilabel_data()


# ---------------------------------------------------------------------- some loss


def test_some_loss_is_required_at_zero_only():
    require_any_loss(np.zeros(2), True)
    require_any_loss(np.array([0.0, 1e-9]), False)
    with pytest.raises(ProblemError, match=r"loss 0 for every example at w = 0"):
        require_any_loss(np.zeros(2), False)


# ---------------------------------------------------------------------- earlier outputs


@pytest.mark.parametrize("beaten", [False, True])
def test_an_earlier_output_may_score_higher_by_rounding_only(beaten):
    known, slacks, magnitude = np.array([1.0, 2.0]), np.array([1.0, 1.5]), 9.0
    allowed = UNBEATEN * (1 + magnitude)
    slacks[1] = 2.0 - allowed * (1.01 if beaten else 0.99)
    arguments = known, slacks, magnitude, [4, 8]
    if beaten:
        with pytest.raises(ProblemError, match=r"declared exact .* scores higher for example 8: v"):
            require_unbeaten(Multilabel(), *arguments)
        problem = Multilabel()
        problem.oracle_quality = "undergenerating"
        require_unbeaten(problem, *arguments)
    else:
        require_unbeaten(Multilabel(), *arguments)


@pytest.mark.parametrize(
    ("known", "examples", "where"),
    [([3.0], None, "higher: v"), ([0.0, 3.0], None, "higher for example 1: v"),
     ([3.0], [7], "higher for example 7: v")],
)  # fmt: skip
def test_the_example_is_named_where_it_has_a_slack_of_its_own(known, examples, where):
    with pytest.raises(ProblemError, match=f"{where}iolation 3 against 0"):
        require_unbeaten(Multilabel(), np.array(known), np.zeros(len(known)), 1.0, examples)


# ---------------------------------------------------------------------- dual and primal


@pytest.mark.parametrize("contradicts", [False, True])
def test_the_dual_may_be_above_the_objective_by_rounding_only(contradicts):
    C, magnitude = 10.0, 4.0
    excess = DISAGREEMENT * C * (1 + magnitude) * (1.01 if contradicts else 0.99)
    state = SimpleNamespace(
        C=C,
        best=SimpleNamespace(w=None, primal=7.0, dual=SimpleNamespace(value=7.0 + excess)),
        magnitude=lambda w: magnitude,
        examples=SimpleNamespace(problem=Multilabel()),
    )
    if contradicts:
        with pytest.raises(ProblemError, match=r"soft oracle of Multilabel contradicts"):
            require_agreement(state)
    else:
        require_agreement(state)


# ---------------------------------------------------------------------- values and expectations


def soft_point(w, slack, slope):
    """A point of temperature 1 with this soft slack, times C, and this gradient of it."""
    w, cut = np.array([w]), SimpleNamespace(sources=[SoftSource(None, np.array([w]), 1.0)])
    return Point.of(w, np.array([-slope]), 0.0, slack, slack, np.array([slack]), cut)


@pytest.mark.parametrize("contradicts", [False, True])
@pytest.mark.parametrize("steep", ["first", "second"])
def test_values_and_expectations_may_contradict_each_other_by_rounding_only(steep, contradicts):
    rounding = Rounding(10.0, 1, DOUBLE)
    rounding.observe(TermSizes(np.array([2.0]), 3.0))  # terms of size 5 at w = 1
    excess = DISAGREEMENT * 10.0 * (1 + 5.0) * (1.01 if contradicts else 0.99)
    slopes = (4.0 + excess, 9.0) if steep == "first" else (-9.0, 4.0 - excess)
    points = soft_point(0.0, 6.0, slopes[0]), soft_point(1.0, 10.0, slopes[1])
    if contradicts:
        with pytest.raises(ProblemError, match=r"soft oracle of Multilabel .* changes by 4, where"):
            require_tangents(Multilabel(), rounding, *points)
    else:
        require_tangents(Multilabel(), rounding, *points)


@pytest.mark.parametrize("off", [1e-4, 1e-2])
def test_long_sums_in_single_precision_are_no_contradiction(off):
    rounding = Rounding(1e-6, 1, 2.0**-24)
    rounding.observe(TermSizes(np.array([1.0]), 1.0))
    points = soft_point(0.0, 0.0, 1e5 * (1 + off)), soft_point(1.0, 1e5, 2e5)
    if off > 1e-3:
        with pytest.raises(ProblemError, match=r"changes by 100000, where .* allow 101000 to"):
            require_tangents(Multilabel(), rounding, *points)
    else:
        require_tangents(Multilabel(), rounding, *points)


# ---------------------------------------------------------------------- runs


@pytest.mark.parametrize("solver", [*SOLVERS, CCCP])
@pytest.mark.parametrize("start", [None, 0.1])
def test_an_oracle_that_always_returns_the_truth(solver, start):
    base, data = (LatentTopics, (topics_data(), None)) if solver is CCCP else (Multilabel, (X, Y))
    truthful = type("Truthful", (base,), {"separation_oracle": lambda self, x, y, w: y})()
    size = 6 if solver is CCCP else 9
    w0 = None if start is None else np.full(size, start)
    with pytest.raises(ProblemError, match=r"loss 0 for every example at w = 0.*returning the tru"):
        solver().solve(truthful, *data, w0=w0)


def test_an_oracle_that_forgets_the_loss():
    class Decoder(Multilabel):
        def separation_oracle(self, x, y, w):
            return self.decode(x, w) if w.any() else y

    with pytest.raises(ProblemError, match="forgetting the loss"):
        OneSlackCuttingPlane().solve(Decoder(), X, Y)


@pytest.mark.parametrize("solver", [NSlackCuttingPlane, OneSlackCuttingPlane])
def test_an_oracle_beaten_by_its_earlier_output_is_no_exact_one(solver):
    with pytest.raises(ProblemError, match=r"declared exact but .* earlier scores higher"):
        solver(rtol=1e-6).solve(ForgettingMultilabel(), X, Y, 0.5)


@pytest.mark.parametrize("culprit", [0, 2, 5])
def test_the_example_that_is_beaten_is_named(culprit):
    class OneForgets(Multilabel):
        def separation_oracle(self, x, y, w):
            if w.any() and np.array_equal(x, X[culprit]):
                return y
            return super().separation_oracle(x, y, w)

    with pytest.raises(ProblemError, match=f"earlier scores higher for example {culprit}:"):
        NSlackCuttingPlane(rtol=1e-6).solve(OneForgets(), X, Y, 0.5)


@pytest.mark.parametrize("solver", [BlockCoordinateFrankWolfe(), SmoothedCuttingPlane(rtol=1e-8)])
def test_the_example_whose_output_is_forgotten_is_named(solver):
    class Forgetful(Multilabel):
        def separation_oracle(self, x, y, w):
            return y if w.any() else super().separation_oracle(x, y, w)

    with pytest.raises(ProblemError, match="returned earlier scores higher for example"):
        solver.solve(Forgetful(), X, Y, 2.0)


@pytest.mark.parametrize("solver", [BlockCoordinateFrankWolfe(), SmoothedCuttingPlane()])
def test_an_oracle_without_losses_is_named(solver):
    class Truth(Multilabel):
        def separation_oracle(self, x, y, w):
            return y

    with pytest.raises(ProblemError, match="loss 0 for every example at w = 0"):
        solver.solve(Truth(), X, Y)


# ---------------------------------------------------------------------- the soft oracle


@pytest.mark.parametrize("factor", [1.1, 2.0])
@pytest.mark.parametrize("max_iter", [40, 10_000])
def test_a_soft_oracle_whose_losses_are_too_large_is_named(factor, max_iter):
    class Loud(Multiclass):
        def sum_soft_oracle(self, X, Y, w, mu, weights):
            soft = super().sum_soft_oracle(X, Y, w, mu, weights)
            return soft._replace(loss=factor * soft.loss)

    data, labels = load_digits(return_X_y=True)
    message = "soft oracle of Loud contradicts its separation oracle: a dual value of"
    with pytest.raises(ProblemError, match=message):
        SmoothedLBFGS(max_iter=max_iter).solve(Loud(), data / 16, labels, 0.1 * len(labels))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("C", [1.0, 1e4])
@pytest.mark.parametrize("field", ["joint_feature_difference", "values"])
def test_a_soft_oracle_whose_values_and_expectations_contradict_each_other_is_named(
    dtype, C, field
):
    class Opposite(Multiclass):
        def sum_soft_oracle(self, X, Y, w, mu, weights):
            soft = super().sum_soft_oracle(X, Y, w, mu, weights)
            return soft._replace(**{field: -getattr(soft, field)})

    data, labels = load_digits(return_X_y=True)
    message = "soft oracle of Opposite contradicts itself.*check_problem"
    with pytest.raises(ProblemError, match=message):
        SmoothedLBFGS(max_iter=10).solve(Opposite(), data.astype(dtype) / 16, labels, C)
