"""The alignment of the examples: its searches against all alignments, and its learned weights."""

import numpy as np
import pytest
from alignment import Alignment

from structsvm import StructuredSVM, check_problem


@pytest.mark.parametrize("seed", range(20))
def test_the_searches_find_the_best_of_all_alignments(seed):
    rng = np.random.default_rng(seed)
    problem = Alignment("AC")
    x = tuple("".join(rng.choice(list("AC"), size=rng.integers(0, 5))) for _ in range(2))
    every = list(problem.outputs(x))
    y, w = np.array(every[rng.integers(len(every))], dtype=int), rng.normal(size=5)
    scores = np.array([w @ problem.joint_feature(x, np.array(z, dtype=int)) for z in every])
    losses = np.array([problem.loss(y, z) for z in every])
    found = problem.separation_oracle(x, y, w)
    assert w @ problem.joint_feature(x, found) + problem.loss(y, found) == pytest.approx(
        (scores + losses).max()
    )
    assert w @ problem.joint_feature(x, problem.decode(x, w)) == pytest.approx(scores.max())


def test_the_checker_finds_no_fault():
    X, Y = Alignment.example_data(n=8)
    assert check_problem(Alignment(), [(a[:4], b[:4]) for a, b in X], [
        np.where(y[:4] < min(4, len(b)), y[:4], -1) for y, (_, b) in zip(Y, X, strict=True)
    ]).checks  # fmt: skip


def test_learned_costs_align_better_than_equal_ones():
    svm = StructuredSVM(Alignment(), C=100.0).fit(*Alignment.example_data())
    X, Y = Alignment.example_data(random_state=1)
    equal = np.append(np.where(np.eye(4), 1.0, -1.0).ravel(), -1.0)
    problem, letters = svm.problem_, sum(map(len, Y))
    wrong = sum(problem.loss(y, problem.decode(x, equal)) for x, y in zip(X, Y, strict=True))
    assert (1 - svm.score(X, Y)) * len(X) < 0.8 * wrong < letters
    substitutions = svm.w_[:-1].reshape(4, 4)
    assert substitutions[0, 2] > max(substitutions[0, 1], substitutions[0, 3])
    assert svm.w_[-1] < 0
