"""Local search of programs: what flips and swaps reach, and the oracle calls that it saves."""

import numpy as np
import pytest
from programs_data import drawn, feasible_vectors

from structsvm import NSlackCuttingPlane
from structsvm.problems import IntegerProgram
from structsvm.problems.programs.local_search import improved
from structsvm.problems.programs.program import Compiled


@pytest.mark.parametrize("seed", range(2))
def test_no_flip_and_no_swap_improves_what_is_returned(seed):
    X, _ = drawn(seed)
    rng = np.random.default_rng(seed)
    for x in X:
        program, vectors, scores = Compiled.of(x), feasible_vectors(x), rng.normal(size=6)
        for start in vectors[:: len(vectors) // 4]:
            before = start.copy()
            y = improved(program, scores, start)
            assert np.array_equal(start, before)
            near = vectors[np.abs(vectors - y).sum(axis=1) <= 2]
            assert scores @ y >= scores @ start
            assert scores @ y == pytest.approx((near @ scores).max())


@pytest.mark.filterwarnings("ignore:training ended at w = 0")
def test_refined_outputs_take_the_place_of_oracle_calls():
    class Plain(IntegerProgram):
        def task(self, X, Y=None):
            task = super().task(X, Y)
            task.refine = None
            return task

    X, Y = drawn(0, n=15)
    plain, refined = (
        NSlackCuttingPlane(rtol=1e-2).solve(kind(mip_rel_gap=0.01), X, Y, 10.0)
        for kind in (Plain, IntegerProgram)
    )
    assert refined.oracle_calls < plain.oracle_calls
    assert refined.primal == pytest.approx(plain.primal, rel=0.02)


def test_relaxed_outputs_are_left_alone():
    X, Y = drawn(0)
    problem = IntegerProgram(relaxation=True)
    problem.initialize(X, Y)
    outputs = [np.full(6, 0.5)] * len(X)
    assert problem.task(X, Y).refine(np.ones(3), outputs) is outputs
