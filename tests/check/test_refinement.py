"""Bugs planted in refine."""

import numpy as np
import pytest
from correct_problems import (
    LocalSearch,
    LocalSearchTask,
    graphs,
)
from planted_bugs import (
    FIELDS,
    Mutants,
    assert_caught,
)

MUTANTS = Mutants()
mutant = MUTANTS.register_task


@mutant(LocalSearch, graphs, "refine")
class RefinesDownhill(LocalSearchTask):
    def refine(self, w, outputs):
        triples = zip(self.X, self.Y, outputs, strict=True)
        climb, losses = self.problem.climb, self.problem.losses
        return [climb(-(x @ w + losses(y)), np.array(z)) for x, y, z in triples]


@mutant(LocalSearch, graphs, "refine")
class RefinesForgettingTheLoss(LocalSearchTask):
    def refine(self, w, outputs):
        pairs = zip(self.X, outputs, strict=True)
        return [self.problem.climb(x @ w, np.array(z)) for x, z in pairs]


@mutant(LocalSearch, graphs, "refine")
class RefinesToNothing(LocalSearchTask):
    def refine(self, w, outputs):
        return [None] * self.n


@mutant(LocalSearch, graphs, "refine")
class RefinesInPlace(LocalSearchTask):
    def refine(self, w, outputs):
        for output, refined in zip(outputs, super().refine(w, outputs), strict=True):
            output[:] = refined
        return outputs


@mutant(LocalSearch, graphs, "refine")
class RefinesToWhatIsNoOutput(LocalSearchTask):
    """The best partner of each, which several may have."""

    def refine(self, w, outputs):
        pairs = zip(self.X, self.Y, strict=True)
        return [np.argmax(x @ w + self.problem.losses(y), axis=1) for x, y in pairs]


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_a_bug_is_found_and_the_right_method_blamed(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)
