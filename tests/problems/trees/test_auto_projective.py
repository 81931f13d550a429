"""projective='auto': mostly projective treebanks, whose other trees are trained on too."""

import numpy as np
import pytest
from enumeration import assert_oracles_are_those_of_all_outputs, drawn_w

from structsvm import SmoothedLBFGS, Status
from structsvm.problems import DependencyParser, DependencyTree

#: Two pairs of arcs that cross.
CROSSING = [3, 4, 0, 3]
PLAIN = [[2, 0, 2, 3], [0, 1, 1], [2, 0], [0, 1, 2, 3], [0], [2, 3, 0], [0, 1]]


def treebank(crossing=1, names=None):
    rng = np.random.default_rng(0)
    Y = [np.array(heads) for heads in [*PLAIN, *[CROSSING] * crossing]]
    X = [rng.normal(size=(len(y), len(y) + 1, 3)) for y in Y]
    if names is not None:
        Y = [[(int(h), names[j % len(names)]) for j, h in enumerate(y)] for y in Y]
    return X, Y


def prepared(names=None):
    X, Y = treebank(names=names)
    problem = DependencyTree(projective="auto")
    problem.initialize(X, Y)
    return problem, X, Y


@pytest.mark.parametrize("names", [None, ["a", "b"]])
def test_the_oracles_search_projective_trees_and_the_true_one(names):
    problem, X, Y = prepared(names)
    assert problem.projective_
    others = {len(X) - 1: [Y[-1]]}
    assert_oracles_are_those_of_all_outputs(problem, X, Y, drawn_w(problem), 0.5, others)


def test_training_keeps_them_and_is_certified():
    X, Y = treebank()
    result = SmoothedLBFGS(rtol=1e-4).solve(DependencyTree(projective="auto"), X, Y, 20.0)
    assert result.status is Status.CONVERGED
    assert result.verify(DependencyTree(projective="auto"), X, Y).matches
    without = SmoothedLBFGS(rtol=1e-4).solve(DependencyTree(projective=True), X[:-1], Y[:-1], 20.0)
    assert abs(result.w - without.w).max() > 0.1


@pytest.mark.filterwarnings("ignore:training ended at w = 0")
def test_the_fraction_decides():
    assert DependencyParser(C=100.0).fit(*treebank(crossing=1)).problem_.projective_
    X, Y = treebank(crossing=2)
    assert not DependencyParser(C=100.0).fit(X, Y).problem_.projective_
    with pytest.raises(ValueError, match="set projective=False or 'auto'"):
        DependencyParser(projective=True).fit(X, Y)
    for fit in (DependencyParser(projective="x").fit, DependencyTree(projective="x").initialize):
        with pytest.raises((TypeError, ValueError), match="projective, if not 'auto', must be"):
            fit(X, Y)


@pytest.mark.parametrize("scale", [1.0, 30.0, 1000.0])
def test_variances_are_never_negative(scale):
    problem, X, Y = prepared()
    for mu in (1.0, 0.01):
        w = drawn_w(problem, scale)
        assert problem.task(X, Y).curvature(w, mu, np.ones(len(X))).min() >= 0


def test_nobody_is_told_that_projective_parses_miss_crossing_trees(recwarn):
    X = [[("a", "A"), ("b", "B"), ("c", "C"), ("d", "D")]] + [[("x", "X"), ("y", "Y")]] * 9
    Y = [[3, 4, 0, 3]] + [[2, 0]] * 9
    parser = DependencyParser().fit(X, Y)
    assert parser.problem_.projective_ and parser.problem_.decode_may_miss
    assert not [w for w in recwarn if "misses outputs" in str(w.message)]
    assert not DependencyParser().fit(X[1:], Y[1:]).problem_.decode_may_miss
