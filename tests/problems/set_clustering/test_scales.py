"""The divisors of the pair vectors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused
from scipy import sparse
from set_data import clustering, drawn, items_with_pairs, sets, tensor

from structsvm.problems import CorrelationClusteringProblem as CorrelationProblem
from structsvm.problems import ItemSet, SupervisedKMeans, SupervisedKMeansProblem
from structsvm.problems.set_clustering.partitions import partitions
from structsvm.problems.set_clustering.scales import feature_scales

ONE = np.ones(1)


@pytest.mark.parametrize("seed", range(2))
def test_against_the_definition(seed):
    for items in sets(np.random.default_rng(seed)):
        psi = tensor(items, len(items))
        pairs = psi[np.triu_indices(len(items), 1)][:, items.n_node_features :]
        expected = []
        if items.nodes is not None:
            nodes = items.nodes.toarray() if sparse.issparse(items.nodes) else items.nodes
            expected.append(nodes.var(axis=0) / (nodes != 0).mean(axis=0))
        filled = (pairs != 0).mean(axis=0)
        with np.errstate(invalid="ignore"):
            expected.append(np.where(filled > 0, np.sqrt(pairs.var(axis=0) / filled), 1.0))
        np.testing.assert_allclose(feature_scales([items], ONE), np.concatenate(expected))


@given(st.integers(0, 100_000), st.integers(3, 8))
@settings(max_examples=20, deadline=None)
def test_what_chance_lacks(seed, m):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, m))
    items, y = items_with_pairs(rng, m), clustering(rng, m, k)
    relabelled = [z for z in partitions(m, k) if sorted(np.bincount(z)) == sorted(np.bincount(y))]
    for problem, x in ((SupervisedKMeansProblem(), (items, k)), (CorrelationProblem(), items)):
        mean = np.mean([problem.joint_feature(x, z) for z in relabelled], axis=0)
        lack = problem.joint_feature(x, y) - mean
        np.testing.assert_allclose(problem.lack_of_chance(x, y), lack, atol=1e-9)


def test_constant_features_and_those_that_are_always_zero():
    nodes = np.array([[3.0, 0.0, 1e9], [3.0, 0.0, 1e9 + 1]])
    np.testing.assert_allclose(feature_scales([ItemSet(nodes)], ONE), [9.0, 1.0, 0.25])
    pairs = ItemSet(pairs=np.full((4, 4, 1), -2.0))
    np.testing.assert_allclose(feature_scales([pairs], ONE), [2.0])


test_bad_scales = refused(
    lambda scale: SupervisedKMeans(scale=scale).fit(*drawn(0)),
    ("large", "scale must be 'auto', 'common', None, a number, .* each feature; got 'large'"),
    ([1.0, 2.0], r"an array of one for each of 7 features; got shape \(2,\)"),
    ([1.0] * 6 + [-1.0], "scale must be from 1e-150 to"),
    ([1.0] * 6 + [np.nan], "scale must be from 1e-150 to"),
)


def test_none_leaves_the_features_as_they_are():
    without, one = (SupervisedKMeans(scale=scale).fit(*drawn(0)) for scale in (None, 1.0))
    assert without.scale_ == 1.0
    np.testing.assert_array_equal(without.coef_, one.coef_)
