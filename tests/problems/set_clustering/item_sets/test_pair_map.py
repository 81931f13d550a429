"""Mapped pair vectors."""

import numpy as np
import pytest
from set_data import sets
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

from structsvm.problems import ItemSet, PairMap
from structsvm.problems.set_clustering.item_sets import pair_map

GOOD = np.ones((3, 2))


def test_a_map_of_all_pairs_gives_kernel_expansions():
    """Equation 8 exactly, with as many components as there are pairs."""
    rng = np.random.default_rng(0)
    X = [next(sets(rng, 4)), next(sets(rng, 3))]
    nystroem = Nystroem(gamma=0.5, n_components=16, random_state=0)
    mapped = PairMap(nystroem).fit(X).transform(X)
    vectors = np.vstack([x.pair_vectors(*np.triu_indices(len(x))) for x in X])
    alpha = rng.normal(size=16)
    w = mapped[0].pair_vectors(*np.triu_indices(4)).T @ alpha[:10]
    w = w + mapped[1].pair_vectors(*np.triu_indices(3)).T @ alpha[10:]
    for x, z in zip(X, mapped, strict=True):
        rows, cols = np.triu_indices(len(x))
        expected = rbf_kernel(x.pair_vectors(rows, cols), vectors, gamma=0.5) @ alpha
        np.testing.assert_allclose(z.similarity(w)[rows, cols], expected, atol=1e-6)
        assert (len(z), z.n_node_features) == (len(x), 0)
    for items in sets(rng, 6):
        assert len(PairMap(StandardScaler(with_mean=False)).fit_transform([items])[0]) == 6


def test_the_default_map_is_drawn_by_its_seed():
    X = [ItemSet(np.random.default_rng(0).normal(size=(20, 3)))]
    maps = [PairMap(random_state=seed).fit(X).transformer_.components_ for seed in (0, 0, 1)]
    np.testing.assert_array_equal(maps[0], maps[1])
    assert not np.array_equal(maps[0], maps[2])


def test_the_transformer_is_fitted_on_pairs_of_all_sets(monkeypatch):
    """Each drawn pair is one of its set, and none is drawn twice."""

    class Seen(StandardScaler):
        def fit(self, X):
            self.seen_ = X
            return super().fit(X)

    X = [ItemSet(pairs=near(m), n_items=m) for m in (4, 6, 3)]
    every = np.sort(np.concatenate([x.pairs[2].ravel() for x in X]))
    seen = PairMap(Seen()).fit(X).transformer_.seen_.ravel()
    np.testing.assert_array_equal(np.sort(seen), every)
    monkeypatch.setattr(pair_map, "FITTED", 20)
    some = PairMap(Seen()).fit(X).transformer_.seen_.ravel()
    assert len(set(some.tolist()) & set(every.tolist())) == len(some) == 20


def near(m):
    """All pairs of m items, with a number of their own."""
    rows, cols = np.triu_indices(m)
    return rows, cols, (100.0 * m + np.arange(len(rows)))[:, None]


def test_bad_maps():
    X = [ItemSet(GOOD), ItemSet(np.ones((3, 3)))]
    with pytest.raises(TypeError, match=r"transformer must be a transformer of scikit-learn; got"):
        PairMap([]).fit(X[:1])
    with pytest.raises(ValueError, match="item set 1 has 3 node"):
        PairMap().fit(X)
    with pytest.raises(ValueError, match="random_state must be an integer >= 0; got 'a'"):
        PairMap(random_state="a").fit(X[:1])
    with pytest.raises(ValueError, match="expecting 2 and 0 features, as in training"):
        PairMap(Nystroem(n_components=2)).fit(X[:1]).transform(X[1:])
