"""Oracles that contradict what they returned before are named; rounding errors are let pass."""

from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from changed_tasks import with_answer
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
from structsvm.objective.rounding import DOUBLE, Rounding, TermSizes
from structsvm.objective.surrogate import HINGE
from structsvm.planes import SoftSource
from structsvm.problems import Chain, Multiclass
from structsvm.solvers.lbfgs.descent import Point
from structsvm.solvers.lbfgs.soft_objective import require_tangents
from structsvm.solvers.shared.consistency import AGREEMENT, require_agreement, require_unbeaten

X, Y = multilabel_data()


# ---------------------------------------------------------------------- earlier outputs


def asked(slacks, quality):
    """Examples with the slacks that an oracle finds when it is asked again."""
    problem = Multilabel()
    problem.oracle_quality = quality
    return SimpleNamespace(
        problem=problem, cheap_searches=[], surrogate=HINGE, n=2, index=[4, 8],
        map=lambda *_: [slacks],
    )  # fmt: skip


def named(contradicts, message):
    """The error of a contradiction is expected, or none where only rounding is the reason."""
    return pytest.raises(ProblemError, match=message) if contradicts else nullcontext()


@pytest.mark.parametrize("beaten", [False, True])
def test_an_earlier_output_may_score_higher_by_rounding_only(beaten):
    known, slacks, magnitude = np.array([1.0, 2.0]), np.array([1.0, 1.5]), 9.0
    slacks[1] = 2.0 - AGREEMENT * magnitude * (1.01 if beaten else 0.99)
    arguments = None, np.zeros(1), known, slacks, magnitude
    with named(beaten, r"declared exact .* scores higher for example 8: v"):
        require_unbeaten(asked(slacks, "exact"), *arguments)
    require_unbeaten(asked(slacks, "undergenerating"), *arguments)


# ---------------------------------------------------------------------- dual and primal


@pytest.mark.parametrize("contradicts", [False, True])
def test_the_dual_may_be_above_the_objective_by_rounding_only(contradicts):
    C, magnitude = 10.0, 4.0
    excess = AGREEMENT * C * magnitude * (1.01 if contradicts else 0.99)
    bounds = SimpleNamespace(w=None, primal=7.0, dual=SimpleNamespace(value=7.0 + excess))
    program = SimpleNamespace(
        C=C,
        magnitude=lambda w, planes: max(planes, 0.5 * magnitude),
        examples=SimpleNamespace(problem=Multilabel()),
    )
    with named(contradicts, "soft oracle of Multilabel contradicts"):
        require_agreement(program, bounds, magnitude)


# ---------------------------------------------------------------------- values and expectations


def soft_point(w, slack, slope):
    """A point with mu = 1, this soft slack, times C, and this gradient of it."""
    w, cut = np.array([w]), SimpleNamespace(sources=[SoftSource(None, np.array([w]), 1.0)])
    return Point.of(w, 1.0, np.array([-slope]), 0.0, slack, slack, np.array([slack]), cut)


@pytest.mark.parametrize("contradicts", [False, True])
@pytest.mark.parametrize("steep", ["first", "second"])
def test_values_and_expectations_may_contradict_each_other_by_rounding_only(steep, contradicts):
    rounding = Rounding(10.0, 1, DOUBLE)
    rounding.observe(TermSizes(np.array([2.0]), 3.0, 3.0))  # terms of size 5 at w = 1
    excess = AGREEMENT * 10.0 * 5.0 * (1.01 if contradicts else 0.99)
    slopes = (4.0 + excess, 9.0) if steep == "first" else (-9.0, 4.0 - excess)
    points = soft_point(0.0, 6.0, slopes[0]), soft_point(1.0, 10.0, slopes[1])
    with named(contradicts, r"soft oracle of Multilabel .* changes by 4, where"):
        require_tangents(Multilabel(), rounding, *points)


@pytest.mark.parametrize("off", [1e-4, 1e-2])
def test_long_sums_in_single_precision_are_no_contradiction(off):
    rounding = Rounding(1e-6, 1, 2.0**-24)
    rounding.observe(TermSizes(np.array([1.0]), 1.0, 1.0))
    points = soft_point(0.0, 0.0, 1e5 * (1 + off)), soft_point(1.0, 1e5, 2e5)
    with named(off > 1e-3, r"changes by 100000, where .* allow 101000 to"):
        require_tangents(Multilabel(), rounding, *points)


# ---------------------------------------------------------------------- runs


@pytest.mark.parametrize(
    ("solver", "w0"),
    [
        (OneSlackCuttingPlane(), np.full(9, 0.1)),
        *((kind(), None) for kind in (OneSlackCuttingPlane, NSlackCuttingPlane)),
        *((kind(), None) for kind in (BlockCoordinateFrankWolfe, SmoothedCuttingPlane)),
        *((CCCP(), w0) for w0 in (None, np.full(6, 0.1))),
    ],
)
def test_an_oracle_that_always_returns_the_truth(solver, w0):
    latent = isinstance(solver, CCCP)
    base, data = (LatentTopics, (topics_data(), None)) if latent else (Multilabel, (X, Y))
    truthful = type("Truthful", (base,), {"separation_oracle": lambda self, x, y, w: y})()
    with pytest.raises(ProblemError, match=r"loss 0 for every example at w = 0.*returning the tru"):
        solver.solve(truthful, *data, w0=w0)


class Decoder(Multilabel):
    """Its oracle forgets the loss."""

    def separation_oracle(self, x, y, w):
        return self.decode(x, w) if w.any() else y


class OneForgets(Multilabel):
    """Finds nothing for example 2 but at w = 0."""

    def separation_oracle(self, x, y, w):
        if w.any() and np.array_equal(x, X[2]):
            return y
        return super().separation_oracle(x, y, w)


class Forgetful(Multilabel):
    """Finds nothing at larger weights."""

    def separation_oracle(self, x, y, w):
        return y if np.linalg.norm(w) > 1 else super().separation_oracle(x, y, w)


@pytest.mark.parametrize(
    ("solver", "problem", "message"),
    [
        (OneSlackCuttingPlane(), Decoder(), "forgetting the loss"),
        (OneSlackCuttingPlane(1e-6), ForgettingMultilabel(), "earlier scores higher"),
        (NSlackCuttingPlane(1e-6), ForgettingMultilabel(), "earlier scores higher"),
        (BlockCoordinateFrankWolfe(1e-6), ForgettingMultilabel(), "earlier scores higher"),
        (NSlackCuttingPlane(1e-6), OneForgets(), "earlier scores higher for example 2:"),
        (BlockCoordinateFrankWolfe(), Forgetful(), "earlier scores higher for example"),
        (SmoothedCuttingPlane(1e-8), Forgetful(), "earlier scores higher for example"),
    ],
)
def test_an_oracle_beaten_by_its_earlier_output_is_no_exact_one(solver, problem, message):
    with pytest.raises(ProblemError, match=message):
        solver.solve(problem, X, Y, 2.0)


@pytest.mark.parametrize("solver", [NSlackCuttingPlane, OneSlackCuttingPlane, SmoothedCuttingPlane])
def test_an_oracle_that_answers_at_random_is_not_called_inexact(solver):
    class Random(Multilabel):
        def initialize(self, X, Y):
            super().initialize(X, Y)
            self.rng_ = np.random.default_rng(0)

        def separation_oracle(self, x, y, w):
            return y if self.rng_.random() < 0.3 else super().separation_oracle(x, y, w)

    with pytest.raises(ProblemError, match=r"two calls of the oracle of Random .* differ") as error:
        solver(rtol=1e-6).solve(Random(), X, Y, 2.0)
    assert "undergenerating" not in str(error.value)


@pytest.mark.parametrize(
    "solver",
    [OneSlackCuttingPlane(), BlockCoordinateFrankWolfe(), SmoothedCuttingPlane(), SmoothedLBFGS()],
)
def test_outputs_that_constraints_determine_leave_nothing_to_learn(solver):
    chain = Chain(allowed_transitions=[(None, "a"), ("a", "b"), ("b", "a")])
    inputs = [np.eye(3), np.ones((4, 3))]
    labels = [["a", "b", "a"], ["a", "b", "a", "b"]]
    with pytest.raises(
        ProblemError, match=r"nothing to learn\. Has every example of Chain only one"
    ):
        solver.solve(chain, inputs, labels)


# ---------------------------------------------------------------------- the soft oracle


@pytest.mark.parametrize("max_iter", [40, 10_000])
def test_a_soft_oracle_whose_losses_are_too_large_is_named(max_iter):
    def loud(soft):
        return soft._replace(loss=1.1 * soft.loss)

    Loud = with_answer(Multiclass, "soft", loud)
    data, labels = load_digits(return_X_y=True)
    message = "soft oracle of WrongMulticlass contradicts its separation oracle: a dual value of"
    with pytest.raises(ProblemError, match=message):
        SmoothedLBFGS(max_iter=max_iter).solve(Loud(), data / 16, labels, 0.1 * len(labels))


@pytest.mark.parametrize(("dtype", "C"), [(np.float32, 1.0), (np.float64, 1e4)])
@pytest.mark.parametrize("field", ["joint_feature_difference", "values"])
def test_a_soft_oracle_whose_values_and_expectations_contradict_each_other_is_named(
    dtype, C, field
):
    def opposite(soft):
        return soft._replace(**{field: -getattr(soft, field)})

    Opposite = with_answer(Multiclass, "soft", opposite)
    data, labels = load_digits(return_X_y=True)
    message = "soft oracle of WrongMulticlass contradicts itself.*check_problem"
    with pytest.raises(ProblemError, match=message):
        SmoothedLBFGS(max_iter=10).solve(Opposite(), data.astype(dtype) / 16, labels, C)
