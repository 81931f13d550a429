"""Bugs planted in the axes along which curvature is measured."""

import numpy as np
import pytest
from planted_bugs import FIELDS, Mutants, assert_caught, with_task

from structsvm import Axes, ProblemError, SmoothedLBFGS, check_problem
from structsvm.problems import Chain, Multiclass
from structsvm.problems.classification.multiclass.task import MulticlassTask

MUTANTS = Mutants()
mutant = MUTANTS.register_task


class Wrapped(Axes):
    """Axes with a bug in one of the methods."""

    def __init__(self, axes, along=None, times=None):
        self.axes, self.bugs = axes, {"along": along, "times": times}

    def along(self, curvature):
        bug = self.bugs["along"]
        return bug(self.axes, curvature) if bug else self.axes.along(curvature)

    def times(self, factors, w):
        bug = self.bugs["times"]
        return bug(self.axes, factors, w) if bug else self.axes.times(factors, w)


def with_bug(**bugs):
    class Buggy(MulticlassTask):
        def axes(self):
            return Wrapped(super().axes(), **bugs)

    return Buggy


def data(seed=0):
    return Multiclass.example_data()


def skewed(axes, factors, w):
    return axes.times(factors, w) + 0.1 * np.roll(w, 1, axis=-1)


def sheared(axes, factors, w):
    stretched = np.array(axes.times(factors, w))
    stretched[..., 0] += (factors[0] - 1) * w[..., 1]
    return stretched


BUGS = {
    "skewed": with_bug(times=skewed),
    "sheared": with_bug(times=sheared),
    "one vector only": with_bug(times=lambda axes, f, w: axes.times(f, w.reshape(-1)[: len(w)])),
    "first of several": with_bug(
        times=lambda axes, f, w: axes.times(f, 0 * w + np.atleast_2d(w)[0])
    ),
    "reciprocal": with_bug(times=lambda axes, factors, w: axes.times(1 / factors, w)),
    "negative": with_bug(along=lambda axes, h: -axes.along(h)),
    "a matrix": with_bug(along=lambda axes, h: np.outer(h, h)),
    "nothing": with_bug(along=lambda axes, h: None),
    "changes its argument": with_bug(times=lambda axes, f, w: np.multiply(w, 2, out=w)),
}
for name, bug in BUGS.items():
    bug.__name__ = bug.__qualname__ = name.title().replace(" ", "")
    mutant(Multiclass, data, "axes")(bug)


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_planted_bugs_are_found(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


@pytest.mark.parametrize("problem", [Multiclass(), Chain()])
def test_correct_ones_pass(problem):
    assert (
        "curvature_axes_are_orthonormal" in check_problem(problem, *problem.example_data()).checks
    )


def test_axes_of_another_type_are_refused():
    class Matrix(MulticlassTask):
        def axes(self):
            return np.eye(self.size)

    with pytest.raises(ProblemError, match=r"Matrix.axes must return structsvm.Axes or None"):
        SmoothedLBFGS().solve(with_task(Multiclass, Matrix)(), *data(), C=10.0)


@pytest.mark.parametrize("bug", ["negative", "a matrix", "nothing", "too many"])
def test_training_names_the_method_of_wrong_curvatures(bug):
    kind = BUGS.get(bug) or with_bug(along=lambda axes, h: np.append(axes.along(h), 1.0))
    with pytest.raises(ProblemError, match="axes"):
        SmoothedLBFGS().solve(with_task(Multiclass, kind)(), *data(), 10.0)
