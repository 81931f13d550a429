"""Gaps that only double precision reaches, with inputs that single precision holds."""

import numpy as np

from structsvm import Status
from structsvm.problems import ChainSVM, DependencyParser, SegmentSVM
from structsvm.problems.sequences.data import Given


def test_tiny_gaps_of_sequences_are_reached_in_double():
    rng = np.random.default_rng(0)
    X = [[{"word": str(w)} for w in rng.integers(9, size=3)] for _ in range(6)]
    Y = [rng.integers(3, size=3).tolist() for _ in X]
    svm = ChainSVM(rtol=1e-8).fit(X, Y)
    assert svm._encoding.features.matrix(Given.of(X)).dtype == np.float32
    assert svm.result_.status is Status.CONVERGED
    assert svm.result_.gap <= 1e-8 * svm.result_.primal
    assert svm.verify(X, Y).matches


def test_tiny_gaps_of_segments_and_trees_are_reached_in_double():
    def known(letters, start, stop):
        return {"known": letters[start:stop] in ("a", "dog", "ran"), "size": stop - start}

    X = ["adog", "dogran", "arandog"]
    Y = [
        [(0, 1, "w"), (1, 4, "w")],
        [(0, 3, "w"), (3, 6, "w")],
        [(0, 1, "w"), (1, 4, "w"), (4, 7, "w")],
    ]
    segments = SegmentSVM(known, max_length=3, rtol=1e-7).fit(X, Y)
    assert segments.result_.status is Status.CONVERGED
    arcs = [np.random.default_rng(m).normal(size=(m, m + 1, 3)).astype("f4") for m in (2, 3, 4)]
    trees = DependencyParser(rtol=1e-7).fit(arcs, [[0, 1], [2, 0, 2], [0, 1, 1, 3]])
    assert trees.result_.status is Status.CONVERGED
