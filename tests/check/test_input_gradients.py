"""Bugs planted in input_gradient."""

import numpy as np
import pytest
from planted_bugs import FIELDS, Mutants, assert_caught, eight_classes

from structsvm import check_problem
from structsvm.problems import Assignment, Multiclass

MUTANTS = Mutants()
mutant = MUTANTS.register


class Differentiable(Multiclass):
    def input_gradient(self, x, y, w):
        return self.class_weights(w)[int(y)]


@mutant(eight_classes, "input_gradient")
class OfTheNegativeScore(Differentiable):
    def input_gradient(self, x, y, w):
        return -super().input_gradient(x, y, w)


@mutant(eight_classes, "input_gradient")
class OfAnotherOutput(Differentiable):
    def input_gradient(self, x, y, w):
        return super().input_gradient(x, (y + 1) % 3, w)


@mutant(eight_classes, "input_gradient")
class OfAnotherShape(Differentiable):
    def input_gradient(self, x, y, w):
        return w


@mutant(eight_classes, "input_gradient")
class Clipped(Differentiable):
    """As networks' gradients are; at small w nothing is cut off."""

    def input_gradient(self, x, y, w):
        return np.clip(super().input_gradient(x, y, w), -2, 2)


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_a_bug_is_found_and_the_right_method_blamed(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


def test_right_gradients_pass():
    X, Y = Assignment.example_data()
    sides = [x[:2] for x in X], [y[:2] for y in Y]  # fewer rows than columns
    tall = [x.transpose(1, 0, 2) for x in X], [rows_of(y, len(y) + 1) for y in Y]
    for problem, data in (
        (Differentiable(), eight_classes(0)),
        (Assignment(), (X, Y)),
        (Assignment(unmatched=True), sides),
        (Assignment(), tall),
    ):
        assert "input_gradients_are_slopes" in check_problem(problem, *data).checks


def rows_of(y, n):
    """The partners of the columns, -1 for none."""
    found = np.full(n, -1)
    found[y] = np.arange(len(y))
    return found
