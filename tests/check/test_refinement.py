"""Bugs planted in refine."""

import numpy as np
import pytest
from correct_problems import (
    LocalSearch,
    graphs,
)
from planted_bugs import (
    FIELDS,
    Mutants,
    assert_caught,
)

MUTANTS = Mutants()
mutant = MUTANTS.register


@mutant(graphs, "refine")
class RefinesDownhill(LocalSearch):
    def refine(self, x, y, w, y_hat):
        wrong = (np.arange(len(y)) != y[:, None]) / len(y)
        return self.climb(-(x @ w + wrong), np.array(y_hat))


@mutant(graphs, "refine")
class RefinesForgettingTheLoss(LocalSearch):
    def refine(self, x, y, w, y_hat):
        return self.climb(x @ w, np.array(y_hat))


@mutant(graphs, "refine")
class RefinesToNothing(LocalSearch):
    def refine(self, x, y, w, y_hat):
        return None


@mutant(graphs, "refine")
class RefinesInPlace(LocalSearch):
    def refine(self, x, y, w, y_hat):
        y_hat[:] = super().refine(x, y, w, y_hat)
        return y_hat


@mutant(graphs, "refine")
class RefinesToWhatIsNoOutput(LocalSearch):
    """The best partner of each, which several may have."""

    def refine(self, x, y, w, y_hat):
        return np.argmax(x @ w + (np.arange(len(y)) != y[:, None]) / len(y), axis=1)


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_a_bug_is_found_and_the_right_method_blamed(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)
