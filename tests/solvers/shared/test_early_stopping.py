"""Early stopping: which points are scored, when a run ends, and which w it returns."""

from itertools import pairwise

import numpy as np
import pytest
from changed_tasks import with_answer
from engine_parts import run_of
from toy_problems import (
    ConstrainedMultilabel,
    LatentTopics,
    LocalSearchMultilabel,
    multilabel_data,
    topics_data,
)

from structsvm import (
    CCCP,
    BlockCoordinateFrankWolfe,
    EarlyStopping,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    ProblemError,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
    Status,
)
from structsvm.oracle.workers import Workers
from structsvm.problems import Multiclass
from structsvm.solvers.shared.early_stopping import SPACING, Watch

C = 300.0
NOISE = np.random.default_rng(0)
#: Labels at random: the longer the training, the worse the score.
X, Y = NOISE.normal(size=(100, 12)), NOISE.integers(5, size=100)
TRAIN, HELD_OUT = (X[:90], Y[:90]), (X[90:], Y[90:])
#: Solvers, and the number of scores after which they stop.
SOLVERS = {
    "SmoothedLBFGS": (SmoothedLBFGS(rtol=1e-6), 2),
    "SmoothedCuttingPlane": (SmoothedCuttingPlane(rtol=1e-6), 1),
    "OneSlackCuttingPlane": (OneSlackCuttingPlane(rtol=1e-6), 2),
    "slack rescaling": (OneSlackCuttingPlane(rtol=1e-6, rescaling="slack"), 2),
    "NSlackCuttingPlane": (NSlackCuttingPlane(rtol=1e-9), 1),
    "BlockCoordinateFrankWolfe": (BlockCoordinateFrankWolfe(rtol=1e-6), 2),
}


def rule(patience=2, data=HELD_OUT):
    return EarlyStopping(*data, n_iter_no_change=patience)


def score(problem, w, data=HELD_OUT, train=TRAIN):
    problem.initialize(*train)
    losses = [problem.loss(y, problem.decode(x, w)) for x, y in zip(*data, strict=True)]
    return 1 - np.mean(losses) / (problem.max_loss or 1)


@pytest.mark.parametrize("name", SOLVERS)
def test_the_point_of_the_highest_score_is_returned_with_a_certificate_of_its_own(name):
    (solver, patience), queried = SOLVERS[name], {}

    def note(iteration, w):
        queried[iteration.iteration] = w

    stopping = rule(patience)
    result = solver.solve(Multiclass(), *TRAIN, C, callback=note, early_stopping=stopping)
    assert result.status is Status.EARLY_STOPPED
    scored = [step for step in result.history if step.validation_score is not None]
    taken = [step.validation_score for step in scored]
    for step in scored:
        assert score(Multiclass(), queried[step.iteration]) == pytest.approx(step.validation_score)
    best = max(scored, key=lambda step: (step.validation_score, step.iteration)).iteration
    assert result.best_iteration == best
    np.testing.assert_array_equal(result.w, queried[best])
    assert result.verify(Multiclass(), *TRAIN).matches and result.gap > 1e-6 * result.primal
    # It ends after so many scores that are no higher,
    rises = [j for j, s in enumerate(taken) if s > max(taken[:j], default=-np.inf)]
    assert len(taken) - 1 - rises[-1] == patience and scored[-1] is result.history[-1]
    assert all(later - rise <= patience for rise, later in pairwise(rises))
    # which are spaced by the calls of the oracle.
    calls = [step.oracle_calls for step in scored]
    assert len(calls) > 1 and min(np.diff(calls)) >= SPACING * len(HELD_OUT[0])


def test_points_above_the_lowest_objective_and_zero_are_not_scored():
    result = OneSlackCuttingPlane().solve(Multiclass(), *TRAIN, C, early_stopping=rule(100))
    higher = [step for step in result.history if step.best_primal < step.primal]
    assert higher and all(step.validation_score is None for step in higher)
    assert result.history[0].validation_score is None


def test_a_run_that_converges_first_returns_its_optimum():
    solver = SmoothedCuttingPlane()
    plain = solver.solve(Multiclass(), *TRAIN, 10.0)
    result = solver.solve(Multiclass(), *TRAIN, 10.0, early_stopping=rule(1000))
    assert result.status is Status.CONVERGED
    np.testing.assert_array_equal(result.w, plain.w)
    assert result.best_iteration < result.iterations and plain.best_iteration is None
    assert all(step.validation_score is None for step in plain.history)


@pytest.mark.parametrize(
    ("options", "how", "status"),
    [
        ({"max_iter": 80}, {}, Status.MAX_ITER),
        ({}, {"callback": lambda step, w: step.iteration == 80}, Status.STOPPED),
    ],
)
def test_other_limits_return_the_highest_score_too(options, how, status):
    solver = SmoothedLBFGS(rtol=1e-9, **options)
    result = solver.solve(Multiclass(), *TRAIN, C, early_stopping=rule(1000), **how)
    best = result.history[result.best_iteration - 1]
    assert result.status is status and result.best_iteration < result.iterations
    assert score(Multiclass(), result.w) == pytest.approx(best.validation_score)
    assert result.verify(Multiclass(), *TRAIN).matches


def test_ctrl_c_while_scoring_ends_the_run():
    decoded = []

    def second_is_interrupted(predictions):
        decoded.extend([1] * (len(predictions) == len(HELD_OUT[0])))
        if len(decoded) == 2:
            decoded.append(1)
            raise KeyboardInterrupt
        return predictions

    interrupting = with_answer(Multiclass, "decode", second_is_interrupted)
    result = OneSlackCuttingPlane().solve(interrupting(), *TRAIN, C, early_stopping=rule())
    assert result.status is Status.INTERRUPTED
    assert result.verify(Multiclass(), *TRAIN).matches


def test_a_point_that_breaks_the_constraints_is_not_scored():
    X, Y = multilabel_data(n=40)
    problem = ConstrainedMultilabel("nonnegative")
    problem.initialize(X, Y)
    watch = Watch(EarlyStopping(X, Y), problem, Workers())
    for point, unscored in ((-np.ones(9), True), (np.ones(9), False)):
        run = run_of(OneSlackCuttingPlane(), problem, X, Y, watch=watch)
        run.algorithm.query = point
        assert (run.step().iteration.validation_score is None) == unscored


@pytest.mark.parametrize(
    ("solver", "problem"),
    [
        (OneSlackCuttingPlane(), ConstrainedMultilabel("floor")),
        (OneSlackCuttingPlane(), LocalSearchMultilabel()),
        (NSlackCuttingPlane(), LocalSearchMultilabel()),
    ],
)
def test_constraints_are_kept_and_outputs_may_be_missed(solver, problem):
    X, Y = multilabel_data(n=40)
    stopping = EarlyStopping(X[:4], Y[:4], 1)
    result = solver.solve(problem, X, Y, 100.0, early_stopping=stopping)
    assert result.status is Status.EARLY_STOPPED and np.isfinite(result.primal)
    assert result.verify(problem, X, Y).matches


def test_latent_variables_are_scored_by_the_annotations():
    data = topics_data()
    problem, w = LatentTopics(), np.random.default_rng(0).normal(size=6)
    problem.initialize(data, None)
    known = [problem.decode(x, w) for x in data]
    stopping = EarlyStopping(data, known, n_iter_no_change=1)
    result = CCCP(rtol=1e-9).solve(LatentTopics(), data, None, 50.0, early_stopping=stopping)
    assert result.status is Status.EARLY_STOPPED
    assert result.best_iteration == 1, "the labels were others then, and so is the dual solution"
    assert result.verify(LatentTopics(), data).matches


@pytest.mark.parametrize(
    ("stopping", "error", "message"),
    [
        (rule(0), ValueError, "n_iter_no_change must be an integer >= 1; got 0"),
        (rule(data=(X, None)), ValueError, "the held-out examples need their outputs Y; it is"),
        (rule(data=(X[:0], Y[:0])), ValueError, "X is empty"),
        (rule(data=(X[:3], [0, 1, 99])), ProblemError, "held-out .*unknown label 99.*must occur"),
        (rule(data=(X[:3, :2], Y[:3])), ProblemError, "held-out .*inputs must be like those"),
    ],
)
def test_what_is_refused(stopping, error, message):
    with pytest.raises(error, match=f"(?s){message}"):
        OneSlackCuttingPlane().solve(Multiclass(), *TRAIN, C, early_stopping=stopping)
