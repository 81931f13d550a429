"""Sets, partitions and similarities that the tests of set clustering share."""

import numpy as np
from scipy import sparse

from structsvm.problems import ItemSet
from structsvm.problems.set_clustering.supervised_kmeans.loss import clustering_matrix
from structsvm.problems.set_clustering.supervised_kmeans.oracles.iterative import random_labels


def tensor(items, m):
    """psi of shape (m, m, N), by the definition."""
    psi = np.zeros((m, m, items.n_features))
    if items.nodes is not None:
        S = items.nodes.toarray() if sparse.issparse(items.nodes) else items.nodes
        psi[:, :, : S.shape[1]] = S[:, None] * S[None]
    if items.pairs is not None:
        rows, cols, features = items.pairs
        dense = features.toarray() if sparse.issparse(features) else features
        for i, j, vector in zip(rows, cols, dense, strict=True):
            psi[i, j, items.n_node_features :] = psi[j, i, items.n_node_features :] = vector
    return psi


def pair_array(rng, m, n):
    array = rng.normal(size=(m, m, n))
    return array + array.transpose(1, 0, 2)


def some_pairs(rng, m, n, share=0.5, convert=np.asarray):
    rows, cols = np.triu_indices(m)
    chosen = rng.permutation(len(rows))[: int(share * len(rows))]
    swap = rng.random(len(chosen)) < 0.5
    i, j = np.where(swap, cols[chosen], rows[chosen]), np.where(swap, rows[chosen], cols[chosen])
    return i, j, convert(rng.normal(size=(len(chosen), n)) * (rng.random((len(chosen), n)) < 0.5))


def sets(rng, m=7):
    nodes = rng.normal(size=(m, 3))
    yield ItemSet(nodes)
    yield ItemSet(sparse.csr_matrix(np.maximum(nodes, 0)))
    yield ItemSet(sparse.coo_array(np.maximum(nodes, 0)))
    yield ItemSet(pairs=pair_array(rng, m, 2))
    yield ItemSet(pairs=some_pairs(rng, m, 2), n_items=m)
    yield ItemSet(pairs=some_pairs(rng, m, 4, 0.05, sparse.csr_matrix), n_items=m)
    yield ItemSet(nodes, pair_array(rng, m, 2))
    yield ItemSet(nodes, some_pairs(rng, m, 2, 0.3, sparse.csr_matrix))
    yield ItemSet(sparse.csr_matrix(nodes), some_pairs(rng, m, 2, 0.9, sparse.csc_matrix))
    yield ItemSet(nodes, some_pairs(rng, m, 2, 0.0))


def symmetric(rng, m):
    A = rng.normal(size=(m, m))
    return A + A.T


def clustering(rng, m, k):
    return random_labels(m, k, rng)


def orthonormal(rng, m, k):
    return np.linalg.qr(rng.normal(size=(m, k)))[0]


def items_with_pairs(rng, m):
    return ItemSet(rng.normal(size=(m, 2)), pair_array(rng, m, 2))


def drawn(seed, n=4, m=24, k=3, noise=4, spread=1.0):
    """Sets whose first k features tell the cluster and whose others are noise."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        labels = rng.permutation(m) % k
        X.append(np.hstack([np.eye(k)[labels], spread * rng.normal(size=(m, noise))]))
        y.append(labels)
    return X, y


def value_of(K, y):
    Y = clustering_matrix(y)
    return float(np.trace(Y.T @ K @ Y))


class Own:
    """Returns what the given function makes of the labels."""

    quality = "undergenerating"

    def __init__(self, answer):
        self.answer = answer

    def cluster(self, K, n_clusters, starts):
        return self.answer(np.arange(len(K)) % n_clusters)


def labels(rng, m):
    return rng.integers(rng.integers(1, m + 1), size=m)


def near(points):
    """A constant and the distances of every pair, one for each coordinate."""
    points = np.reshape(points, (len(points), -1))
    distances = np.abs(points[:, None] - points)
    return ItemSet(pairs=np.dstack([np.ones(distances.shape[:2]), distances]))


def groups(seed, n=5, m=15):
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        k = int(rng.integers(2, 6))
        centres = np.cumsum(rng.uniform(3, 5, size=k))
        labels = np.r_[np.arange(k), rng.integers(k, size=m - k)]
        X.append(near(centres[labels] + 0.3 * rng.normal(size=m)))
        y.append(labels)
    return X, y
