"""Warm starts: the planes of an earlier result are valid, and spare passes."""

from dataclasses import replace

import numpy as np
import pytest
from cases.solvers import blobs
from sklearn.exceptions import ConvergenceWarning

from structsvm import (
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
    Status,
    StructuredSVM,
)
from structsvm.planes.plane import SoftSource
from structsvm.problems import AttractiveLabelSet, Multiclass, MulticlassSVM

X, Y = blobs(n=60, d=8, k=4)


@pytest.mark.parametrize(
    ("before", "solver"),
    [
        (SmoothedLBFGS(), SmoothedLBFGS()),
        (SmoothedLBFGS(), OneSlackCuttingPlane()),
        (OneSlackCuttingPlane(), NSlackCuttingPlane()),
        (NSlackCuttingPlane(), OneSlackCuttingPlane()),
    ],
)
def test_only_w_is_used_of_planes_of_another_kind(before, solver):
    start = before.solve(Multiclass(), X, Y, 50.0)
    if isinstance(before, SmoothedLBFGS):  # the last steps may have been those of one slack
        soft = tuple(plane for plane in start.support if isinstance(plane.source, SoftSource))
        start = replace(start, support=soft)
    warm = solver.solve(Multiclass(), X, Y, 60.0, warm_start=start)
    np.testing.assert_array_equal(warm.w, solver.solve(Multiclass(), X, Y, 60.0, w0=start.w).w)


@pytest.mark.parametrize(
    ("before", "solver", "problem", "data"),
    [
        (None, OneSlackCuttingPlane(), Multiclass(), (X, Y)),
        (None, OneSlackCuttingPlane(rescaling="slack"), Multiclass(), (X, Y)),
        (None, OneSlackCuttingPlane(), AttractiveLabelSet(), AttractiveLabelSet.example_data()),
        (None, NSlackCuttingPlane(), Multiclass(), (X, Y)),
        (None, SmoothedCuttingPlane(), Multiclass(), (X, Y)),
        (NSlackCuttingPlane(), SmoothedCuttingPlane(), Multiclass(), (X, Y)),
    ],
)
def test_a_run_from_the_planes_of_its_solution_ends_soon(before, solver, problem, data):
    cold = (before or solver).solve(problem, *data, 50.0)
    warm = solver.solve(problem, *data, 50.0, warm_start=cold)
    assert warm.iterations <= 3 < cold.iterations
    assert warm.history[0].dual >= (1 - 1e-9) * cold.dual - 1e-3 * cold.primal
    assert warm.verify(problem, *data).matches


def test_bad_warm_starts():
    solver = OneSlackCuttingPlane()
    result = solver.solve(Multiclass(), X, Y)
    with pytest.raises(TypeError, match="must be a Result of solve"):
        solver.solve(Multiclass(), X, Y, warm_start=result.w)
    with pytest.raises(ValueError, match="two starts"):
        solver.solve(Multiclass(), X, Y, w0=result.w, warm_start=result)
    with pytest.raises(ValueError, match=r"60 examples .* here are 40 examples"):
        solver.solve(Multiclass(), X[:40], Y[:40], warm_start=result)
    with pytest.raises(ValueError, match=r"margin rescaling .* here are 60 .* slack rescaling"):
        OneSlackCuttingPlane(rescaling="slack").solve(Multiclass(), X, Y, warm_start=result)
    with pytest.raises(ValueError, match="the w of warm_start must be finite and of shape"):
        solver.solve(Multiclass(), X[:, :1], Y, warm_start=result)


def test_estimators_use_planes_where_only_C_is_another():
    svm = StructuredSVM(Multiclass(), solver=NSlackCuttingPlane(), warm_start=True).fit(X, Y)
    again = svm.fit(X, Y).n_iter_
    assert again == 1
    svm.set_params(C=120.0).fit(X, Y)
    assert svm.verify(X, Y).matches
    other = svm.fit(X[::-1], Y[::-1])  # only w is used
    assert other.result_.history[0].dual == 0 and other.verify(X[::-1], Y[::-1]).matches
    svm.set_params(problem=Multiclass(cost=2 * (1 - np.eye(4)))).fit(X, Y)
    assert svm.result_.history[0].dual == 0


def test_another_loss_begins_at_w():
    svm = MulticlassSVM(warm_start=True, max_iter=3, loss="log_loss")
    with pytest.warns(ConvergenceWarning):
        svm.fit(X, Y)
    start = svm.w_
    svm.set_params(loss="hinge", max_iter=None, callback=lambda _, w: np.array_equal(w, start))
    assert svm.fit(X, Y).n_iter_ == 1 and svm.result_.status is Status.STOPPED


def test_a_fit_that_failed_leaves_the_planes_of_the_last_one():
    class Failing(Exception):
        pass

    def fail(iteration, w):
        raise Failing

    svm = StructuredSVM(Multiclass(), solver=NSlackCuttingPlane(), warm_start=True)
    svm.fit(X[:30], Y[:30]).set_params(callback=fail)
    with pytest.raises(Failing):
        svm.fit(X, Y)
    svm.set_params(callback=None).fit(X, Y)
    assert svm.verify(X, Y).matches
