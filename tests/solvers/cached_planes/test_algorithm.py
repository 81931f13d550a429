"""SmoothedCuttingPlane: optima, few passes, a restricted objective, stalls, inexact oracles."""

from itertools import pairwise

import numpy as np
import pytest
from toy_problems import (
    Assignment,
    Multilabel,
    RelaxedAssignment,
    assignment_data,
    full_optimum,
    multilabel_data,
)

from structsvm import OneSlackCuttingPlane, SmoothedCuttingPlane
from structsvm.problems import Chain


def sequences():
    rng = np.random.default_rng(0)
    Y = [np.cumsum(rng.integers(2, size=length)) % 4 for length in rng.integers(2, 7, size=60)]
    return [np.eye(4, 8)[y] + 0.8 * rng.normal(size=(len(y), 8)) for y in Y], Y


def test_few_passes_suffice_for_a_chain_and_the_gap_falls():
    X, Y = sequences()
    plain = OneSlackCuttingPlane().solve(Chain(), X, Y, 20.0)
    few = SmoothedCuttingPlane().solve(Chain(), X, Y, 20.0)
    assert few.oracle_calls <= 20 * len(X) < 0.5 * plain.oracle_calls
    assert few.dual <= plain.primal and plain.dual <= few.primal
    history = SmoothedCuttingPlane(rtol=1e-5).solve(Chain(), X, Y, 200.0).history
    evaluated = [step.iteration for step in history if np.isfinite(step.primal)]
    for last, following in pairwise(evaluated):
        assert following - last <= max(3, 2 + 0.1 * last)
    gaps = [history[number - 1].gap for number in evaluated]
    assert np.all(np.diff(gaps) < 0) and len(gaps) >= 5


def test_an_overgenerating_oracle_gives_an_upper_bound():
    data = assignment_data()
    result = SmoothedCuttingPlane().solve(RelaxedAssignment(), *data, 5.0)
    optimum, _ = full_optimum(Assignment(), *data, 5.0)
    assert result.primal >= optimum * (1 - 1e-9)


@pytest.mark.parametrize("n", [2, 6])
def test_a_start_where_nothing_is_violated_and_fewer_examples_than_portions(n):
    X, Y = multilabel_data(0, n)
    far = OneSlackCuttingPlane(rtol=1e-6).solve(Multilabel(), X, Y, 1e6).w
    result = SmoothedCuttingPlane().solve(Multilabel(), X, Y, 1.0, w0=5 * far)
    optimum, _ = full_optimum(Multilabel(), X, Y, 1.0)
    assert result.primal == pytest.approx(optimum, rel=2e-3)
