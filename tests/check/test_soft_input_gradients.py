"""Bugs planted in soft_input_gradient."""

import numpy as np
import pytest
from planted_bugs import FIELDS, Mutants, assert_caught, eight_classes

from structsvm import check_problem
from structsvm.problems import DependencyTree, LabelSet, Multiclass, Segments

MUTANTS = Mutants()
mutant = MUTANTS.register
BUNDLED = (LabelSet, DependencyTree, Segments)


class Differentiable(Multiclass):
    @staticmethod
    def example_data():
        return eight_classes(0)

    def soft_input_gradient(self, x, y, w, mu):
        weights = self.class_weights(w)
        scores = (self.task(x[None], [y]).score_outputs(w) / mu)[0]
        p = np.exp(scores - scores.max())
        return p @ weights / p.sum() - weights[int(y)]


@mutant(eight_classes, "soft_input_gradient", seeds=3)
class TwiceTheGradient(Differentiable):
    def soft_input_gradient(self, x, y, w, mu):
        return 2 * super().soft_input_gradient(x, y, w, mu)


@mutant(eight_classes, "soft_input_gradient", seeds=3)
class WithoutTheTruth(Differentiable):
    def soft_input_gradient(self, x, y, w, mu):
        return super().soft_input_gradient(x, y, w, mu) + self.class_weights(w)[int(y)]


@mutant(eight_classes, "soft_input_gradient", seeds=3)
class AtMu1(Differentiable):
    def soft_input_gradient(self, x, y, w, mu):
        return super().soft_input_gradient(x, y, w, 1.0)


@mutant(eight_classes, "soft_input_gradient", seeds=3)
class OfTheHinge(Differentiable):
    def soft_input_gradient(self, x, y, w, mu):
        weights = self.class_weights(w)
        return weights[int(self.separation_oracle(x, y, w))] - weights[int(y)]


@mutant(eight_classes, "soft_input_gradient")
class OfAnotherShape(Differentiable):
    def soft_input_gradient(self, x, y, w, mu):
        return w


@mutant(eight_classes, "soft_input_gradient")
class ChangesItsInput(Differentiable):
    def soft_input_gradient(self, x, y, w, mu):
        gradient = super().soft_input_gradient(x, y, w, mu)
        x -= gradient
        return gradient


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_a_bug_is_found_and_the_right_method_blamed(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


@pytest.mark.parametrize("problem", [cls() for cls in BUNDLED], ids=str)
def test_a_bug_in_a_larger_problem_is_found(problem):
    class AtTwiceTheTemperature(type(problem)):
        def soft_input_gradient(self, x, y, w, mu):
            return super().soft_input_gradient(x, y, w, 2 * mu)

    X, Y = problem.example_data()
    assert_caught(AtTwiceTheTemperature, lambda _: (X, Y), "soft_input_gradient", None, 1, True)


@pytest.mark.sampled(11)
@pytest.mark.parametrize("cls", [Differentiable, *BUNDLED])
@pytest.mark.parametrize(("dtype", "size"), [(np.float32, 1e3), (np.float64, 1.0)])
def test_right_gradients_pass(cls, dtype, size):
    X, Y = cls.example_data()
    listed = isinstance(X, list)
    X = [(size * x).astype(dtype) for x in X] if listed else (size * X).astype(dtype)
    assert "input_gradients_are_slopes" in check_problem(cls(), X, Y).checks


def test_without_a_soft_oracle_for_one_example_a_note_says_that_nothing_was_compared():
    class Summed(Differentiable):
        soft_oracle = None

    report = check_problem(Summed(), *eight_classes(0))
    assert any("soft_input_gradient was compared with nothing" in note for note in report.notes)
