"""k-means by listed pairs, against all partitions and against the search of matrices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from linkage_data import drawn_table, pair_similarity, value
from scipy import sparse

from structsvm.exceptions import InputError, ProblemError
from structsvm.problems import IterativeOracle, SpectralOracle, SupervisedKMeans
from structsvm.problems.set_clustering.partitions import partitions
from structsvm.problems.set_clustering.similarities import PairSimilarity

seeds = st.integers(0, 100_000)


def objective(K, y):
    if value(K, y) == -np.inf:
        return -np.inf
    D = K.listed.toarray()
    return sum(D[np.ix_(y == c, y == c)].sum() / (y == c).sum() for c in range(y.max() + 1))


@given(seeds, st.integers(2, 7))
@settings(max_examples=60, deadline=None)
def test_against_all_partitions(seed, m):
    rng = np.random.default_rng(seed)
    K = pair_similarity(rng, m, -np.inf, share=0.8, diagonal=rng.normal(size=m))
    for k in range(1, m + 1):
        values = [objective(K, y) for y in partitions(m, k)]
        starts = [y for y, v in zip(partitions(m, k), values, strict=True) if v > -np.inf][:1]
        if not starts:
            with pytest.raises(
                InputError, match=r"no \d+ clusters of \d+ records in which all pairs"
            ):
                IterativeOracle().cluster(K, k)
            continue
        alone = IterativeOracle().cluster(K, k)
        assert -np.inf < objective(K, alone) <= max(values) + 1e-9
        found = IterativeOracle().cluster(K, k, starts)
        assert np.array_equal(np.unique(found), np.arange(k))
        assert -np.inf < objective(K, found) <= max(values) + 1e-9
        assert objective(K, found) >= objective(K, starts[0]) - 1e-9
        assert (
            objective(K, IterativeOracle().refine(K, k, starts)) >= objective(K, starts[0]) - 1e-9
        )


def test_clusters_that_the_best_merges_lead_away_from_are_found():
    path = np.diag([1.0, 5.0, 1.0], 1)
    K = PairSimilarity(sparse.csr_matrix(path + path.T), -np.inf)
    assert IterativeOracle(n_init=0).cluster(K, 2).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("share", [0.08, 0.3])
def test_entities_among_other_pairs_are_divided_into_their_number(share):
    rng = np.random.default_rng(0)
    entity = rng.permutation(np.arange(40) // 4)
    rows, cols = np.triu_indices(40, 1)
    kept = (entity[rows] == entity[cols]) | (rng.random(len(rows)) < share)
    rows, cols = rows[kept], cols[kept]
    for _ in range(5):
        values = rng.normal(size=len(rows))
        half = sparse.csr_matrix((values, (rows, cols)), shape=(40, 40))
        K = PairSimilarity(half + half.T, -np.inf)
        found = IterativeOracle().cluster(K, 10)
        assert objective(K, found) > -np.inf
        assert found.max() + 1 == 10


def test_an_oracle_of_one_feasible_output_leaves_nothing_to_learn():
    """No prediction of two clusters exists: this says nothing of the problem."""

    class Missing(IterativeOracle):
        def cluster(self, K, n_clusters, starts=()):
            if not starts:
                raise InputError("none was found")
            return starts[0]

    table, entity = drawn_table(0, entities=9, records=3, share=1.0)
    with pytest.raises(ProblemError, match="there is nothing to learn"):
        SupervisedKMeans(Missing()).fit(table, entity)


def test_with_all_pairs_listed_it_is_as_good_as_the_search_of_a_matrix():
    listed, dense = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        K = pair_similarity(rng, 12, -np.inf, share=1.0, diagonal=rng.normal(size=12))
        listed.append(objective(K, IterativeOracle().cluster(K, 4)))
        dense.append(objective(K, IterativeOracle().cluster(K.listed.toarray(), 4)))
    assert np.mean(listed) > 0.97 * np.mean(dense)


def test_oracles_that_need_a_matrix_say_so():
    K = pair_similarity(np.random.default_rng(0), 6, -np.inf)
    with pytest.raises(ValueError, match="K must be an array"):
        SpectralOracle().cluster(K, 2)
    with pytest.raises(ValueError, match="pairs that are not listed must be impossible"):
        IterativeOracle().cluster(PairSimilarity(K.listed, 0.0), 2)
