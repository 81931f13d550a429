"""projective='auto': mostly projective treebanks, whose other trees are trained on too."""

import numpy as np
import pytest
from cases.problems import parsed
from scipy.special import logsumexp

from structsvm import SmoothedLBFGS, Status, check_problem
from structsvm.problems import DependencyParser, DependencyTree

#: Two pairs of arcs that cross.
CROSSING = [3, 4, 0, 3]
PLAIN = [[2, 0, 2, 3], [0, 1, 1], [2, 0], [0, 1, 2, 3], [0], [2, 3, 0], [0, 1]]


def treebank(crossing=1, names=None, seed=0):
    rng = np.random.default_rng(seed)
    Y = [*PLAIN, *[CROSSING] * crossing]
    X = [rng.normal(size=(len(y), len(y) + 1, 3)) for y in Y]
    if names is not None:
        Y = [[(h, names[j % len(names)]) for j, h in enumerate(y)] for y in Y]
    return X, Y


@pytest.mark.parametrize("names", [None, ["a", "b"]])
def test_the_oracles_search_projective_trees_and_the_true_one(names):
    X, Y = treebank(names=names)
    problem = DependencyTree(projective="auto")
    problem.initialize(X, Y)
    assert problem.projective_
    rng = np.random.default_rng(1)
    task = problem.task(X, Y)
    for scale in (0.3, 3.0):
        w = scale * rng.normal(size=problem.size_joint_feature)
        found = task.search(w)
        for mu in (0.5, 2.0):
            soft = task.soft(w, mu, np.ones(len(X)))
            difference = np.zeros(len(w))
            for i, (x, y) in enumerate(zip(X, Y, strict=True)):
                y = np.array(y) if names is None else y
                every = [*problem.outputs(x)]
                if i == len(X) - 1:
                    every.append(y)  # else it is one of them
                rows = np.array([problem.joint_feature_difference(x, y, z) for z in every])
                scores = np.array([problem.loss(y, z) for z in every]) - rows @ w
                own = problem.joint_feature_difference(x, y, found[i])
                assert problem.loss(y, found[i]) - own @ w == pytest.approx(scores.max())
                value = mu * logsumexp(scores / mu)
                assert soft.values[i] == pytest.approx(value)
                difference += np.exp((scores - value) / mu) @ rows
            np.testing.assert_allclose(soft.joint_feature_difference, difference, atol=1e-8)


def test_training_keeps_them_and_is_certified():
    X, Y = treebank()
    result = SmoothedLBFGS(rtol=1e-6).solve(DependencyTree(projective="auto"), X, Y, 20.0)
    assert result.status is Status.CONVERGED
    assert result.verify(DependencyTree(projective="auto"), X, Y).matches
    without = SmoothedLBFGS(rtol=1e-6).solve(DependencyTree(projective=True), X[:-1], Y[:-1], 20.0)
    assert abs(result.w - without.w).max() > 1e-3


@pytest.mark.filterwarnings("ignore:training ended at w = 0")
def test_the_fraction_decides():
    X, Y = treebank(crossing=1)
    assert DependencyParser(C=100.0).fit(X, Y).problem_.projective_
    X, Y = treebank(crossing=2)
    parser = DependencyParser(C=100.0).fit(X, Y)
    assert not parser.problem_.projective_
    with pytest.raises(ValueError, match="set projective=False or 'auto'"):
        DependencyParser(projective=True).fit(X, Y)
    with pytest.raises((TypeError, ValueError), match="projective, if not 'auto', must be"):
        DependencyParser(projective="sometimes").fit(X, Y)
    with pytest.raises((TypeError, ValueError), match="projective, if not 'auto', must be"):
        DependencyTree(projective="sometimes").initialize(X, Y)


def test_the_checker_finds_no_fault_in_projective_data():
    X, Y = parsed(0)
    report = check_problem(DependencyTree(projective="auto"), X, Y)
    assert report.checks and not report.notes


@pytest.mark.parametrize("scale", [1.0, 30.0, 1000.0])
def test_variances_are_never_negative(scale):
    X, Y = treebank()
    problem = DependencyTree(projective="auto")
    problem.initialize(X, Y)
    w = scale * np.random.default_rng(0).normal(size=problem.size_joint_feature)
    for mu in (1.0, 0.01):
        found = problem.task(X, Y).curvature(w, mu, np.ones(len(X)))
        assert found.min() >= 0


def test_nobody_is_told_that_projective_parses_miss_crossing_trees(recwarn):
    X = [[("a", "A"), ("b", "B"), ("c", "C"), ("d", "D")]] + [[("x", "X"), ("y", "Y")]] * 9
    Y = [[3, 4, 0, 3]] + [[2, 0]] * 9
    parser = DependencyParser().fit(X, Y)
    assert parser.problem_.projective_ and parser.problem_.decode_may_miss
    assert not [w for w in recwarn if "misses outputs" in str(w.message)]
    assert not DependencyParser().fit(X[1:], Y[1:]).problem_.decode_may_miss
