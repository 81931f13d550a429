"""CP-SAT as oracle: its searches against all rosters, and its refusals."""

import numpy as np
import pytest

pytest.importorskip("ortools", reason="ortools is not installed")

from enumeration import assert_oracles_are_those_of_all_outputs
from rosters import Roster, best_roster

from structsvm import StructuredSVM


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("seed", range(5))
def test_the_searches_find_the_best_of_all_rosters(seed, scale):
    rng = np.random.default_rng(seed)
    X, _ = Roster.example_data(1, people=[3, 4][seed % 2], days=2, random_state=seed)
    problem, x, w = Roster(), X[0], scale * rng.normal(size=4)
    every = list(problem.outputs(x))
    y = every[rng.integers(len(every))]
    problem.initialize([x], [y])
    assert_oracles_are_those_of_all_outputs(problem, [x], [y], w)
    violated = problem.separation_oracle(x, y, w)
    assert any(np.array_equal(violated, z) for z in every)


def test_rosters_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="CP-SAT found no best roster: INFEASIBLE"):
        best_roster(np.zeros((2, 2, 3)))  # no one is left for the day after a night


def test_learned_wishes_make_better_rosters_than_equal_ones():
    svm = StructuredSVM(Roster(), C=10.0).fit(*Roster.example_data(people=4, days=5))
    X, Y = Roster.example_data(people=4, days=5, random_state=1)
    equal = [svm.problem_.decode(x, np.ones(4)) for x in X]
    assert svm.score(X, Y) > 0.1 + np.mean(np.equal(equal, Y))
    assert np.argmax(svm.w_) == 0
