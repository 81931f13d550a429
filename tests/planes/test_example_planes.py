"""Planes by example: they stay with their example and output."""

import numpy as np
import pytest
from changed_tasks import with_answer
from engine_parts import examples_of
from scipy import sparse
from toy_problems import Multilabel, multilabel_data

from structsvm.oracle.cuts import find_violated
from structsvm.planes import Source
from structsvm.planes.example_planes import StackedPlanes
from structsvm.problems import Multiclass


def filled(problem, X, Y, points=4):
    """Planes by example of what the oracle finds at some points, and their examples."""
    examples = examples_of(problem, X, Y)
    planes, rng = StackedPlanes(examples.n, examples.size), np.random.default_rng(0)
    for _ in range(points):
        w = rng.normal(size=examples.size)
        places = np.sort(rng.permutation(examples.n)[: 2 * examples.n // 3 + 1])
        known = planes.example_slacks(w)[places]
        found = find_violated(examples.subset(places), None, w, known + 1e-9)
        new = found.violated
        sources = [Source(places[i], [found.outputs[i]], np.ones(1)) for i in new]
        planes.add(found.rows, found.losses[new], places[new], sources)
    return planes, examples


def dense(rows):
    return rows.toarray() if sparse.issparse(rows) else rows


def test_planes_stay_with_their_example_and_output():
    X, Y = multilabel_data(0)
    planes, examples = filled(Multilabel(), X, Y)
    assert len(planes) > examples.n
    problem = examples.problem
    for row, offset, i, source in zip(
        dense(planes.rows), planes.offsets, planes.groups, planes.sources, strict=True
    ):
        (output,) = source.outputs
        assert source.example == i
        np.testing.assert_allclose(row, problem.joint_feature_difference(X[i], Y[i], output))
        assert offset == problem.loss(Y[i], output)


def test_no_output_is_kept_twice():
    X, Y = multilabel_data(0)
    planes, _ = filled(Multilabel(), X, Y, points=60)
    pairs = [(source.example, source.outputs[0]) for source in planes.sources]
    assert len(set(pairs)) == len(pairs)


def test_dual_variables_and_planes_are_dropped_together():
    planes, _ = filled(Multilabel(), *multilabel_data(0))
    heavy = np.arange(len(planes)) % 3 == 0
    planes.alpha = np.where(heavy, 0.1, 1e-12)
    kept, m = dense(planes.rows)[heavy], len(planes)
    planes.prune(after=1)
    assert len(planes) == m  # idle once, which is allowed
    planes.prune(after=1)
    np.testing.assert_array_equal(dense(planes.rows), kept)
    assert np.all(planes.alpha == 0.1) and len(planes.sources) == heavy.sum() == len(planes.idle)


@pytest.mark.parametrize("fraction", [0.05, 0.9], ids=["sparse", "dense"])
def test_rows_are_kept_in_the_smaller_format(fraction):
    Rows = with_answer(Multiclass, "differences", sparse.csr_matrix if fraction < 0.5 else np.array)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 40)) * (rng.random((60, 40)) < fraction), rng.integers(3, size=60)
    planes, _ = filled(Rows(), X, y)
    assert sparse.issparse(planes.rows) == (fraction < 0.5)
    plain, _ = filled(Multiclass(), X, y)
    w = rng.normal(size=120)
    np.testing.assert_allclose(planes.violations(w), plain.violations(w))


@pytest.mark.parametrize("points", [0, 4])
def test_labellings_have_the_weights_for_their_mean(points):
    planes, examples = filled(Multilabel(), *multilabel_data(0), points=points)
    rng = np.random.default_rng(1)
    weights = rng.random(len(planes))
    sums = np.bincount(planes.groups, weights, minlength=examples.n)
    # Where they sum to less than 1, the rest is the weight of the true output.
    fraction = np.where(rng.random(examples.n) < 0.5, 1.0, 0.6)
    planes.alpha = weights / sums[planes.groups] * fraction[planes.groups]
    chosen = planes.labellings(1000)
    assert chosen.shape == (1000, len(planes))
    for labelling in chosen[::100]:
        assert len(set(planes.groups[labelling])) == np.count_nonzero(labelling)
    np.testing.assert_allclose(chosen.mean(axis=0), planes.alpha, atol=2e-3)
