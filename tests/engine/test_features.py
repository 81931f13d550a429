"""Every feature map against the formula that it states."""

import logging
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import eigh
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits, make_moons
from sklearn.decomposition import KernelPCA
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from structsvm.features import (
    DiffusionMap,
    KernelMap,
    Whitening,
    diffusion,
    feature_map,
    kernel_maps,
)

MAPS = ("rbf", "poly", "whiten", "diffusion")


def rows(n=60, d=5, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, d))
    X[np.abs(X) < 0.3] = 0
    return X


def gram(Z):
    """Inner products about the mean, which no rotation changes."""
    Z = Z - Z.mean(axis=0)
    return Z @ Z.T


def centred(K):
    H = np.eye(len(K)) - 1 / len(K)
    return H @ K @ H


def dense(Z):
    return Z.toarray() if sparse.issparse(Z) else Z


# ---------------------------------------------------------------------- all maps


@pytest.mark.parametrize("kernel", MAPS)
def test_transform_of_the_training_rows_is_fit_transform(kernel):
    X = rows()
    features = feature_map(kernel, X)
    Z = features.fit_transform(X)
    np.testing.assert_allclose(features.transform(X), Z, atol=1e-9)
    np.testing.assert_allclose(features.transform(X[7:9]), Z[7:9], atol=1e-9)


@pytest.mark.parametrize("kernel", MAPS)
@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array])
def test_sparse_equals_dense(kernel, kind):
    X, new = rows(), rows(20, seed=1)
    one, two = feature_map(kernel, X), feature_map(kernel, kind(X))
    np.testing.assert_allclose(dense(two.fit_transform(kind(X))), one.fit_transform(X), atol=1e-6)
    np.testing.assert_allclose(dense(two.transform(kind(new))), one.transform(new), atol=1e-6)


@pytest.mark.parametrize("kernel", MAPS)
def test_float32(kernel):
    X = rows()
    one = feature_map(kernel, X).fit_transform(X)
    two = feature_map(kernel, X.astype(np.float32)).fit_transform(X.astype(np.float32))
    np.testing.assert_allclose(gram(two), gram(one), atol=1e-4 * np.abs(gram(one)).max())


@pytest.mark.parametrize("kernel", MAPS)
def test_the_same_again(kernel):
    X = rows()
    one, two = (feature_map(kernel, X, random_state=0).fit_transform(X) for _ in range(2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("kernel", MAPS)
def test_not_fitted_and_wrong_feature_count(kernel):
    X = rows()
    with pytest.raises(NotFittedError):
        feature_map(kernel, X).transform(X)
    with pytest.raises(ValueError, match="expecting 5 features"):
        feature_map(kernel, X).fit(X).transform(X[:, :3])


@pytest.mark.parametrize("kernel", MAPS)
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("value", [0.0, 1.0, 1e6 / 3])
def test_all_rows_the_same(kernel, kind, value):
    X = kind(np.full((20, 3), value))
    with pytest.raises(ValueError, match="the same"):
        feature_map(kernel, X).fit_transform(X)


@pytest.mark.parametrize("kernel", MAPS)
@pytest.mark.parametrize("n", [2, 3, 11, 12])
def test_few_rows(kernel, n):
    X = rows(n)
    Z = feature_map(kernel, X).fit_transform(X)
    assert len(Z) == n
    assert 1 <= Z.shape[1] - 5 * (kernel == "diffusion") <= n - 1
    assert np.isfinite(Z).all()


def test_linear_leaves_the_rows_alone():
    X = sparse.csr_matrix(rows())
    features = feature_map("linear", X)
    assert features.fit_transform(X) is X
    assert features.transform(X) is X


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "sigmoid"}, r"kernel must be one of \('linear', .* got 'sigmoid'"),
        ({"kernel": None}, "kernel must be one of .* got None"),
        ({"kernel": ["rbf"]}, "kernel must be one of"),
        ({"gamma": "auto"}, "gamma, if not 'scale', must be a finite number > 0; got 'auto'"),
        ({"gamma": 0}, "gamma, if not 'scale', must be"),
        ({"gamma": np.nan}, "gamma, if not 'scale', must be"),
        ({"degree": 0}, "degree must be an integer >= 1; got 0"),
        ({"degree": 2.5}, "degree must be an integer >= 1; got 2.5"),
        ({"n_components": 0}, "n_components, if not None, must be an integer >= 1; got 0"),
        ({"n_components": "many"}, "n_components, if not None, must be an integer >= 1"),
    ],
)
def test_unusable_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        feature_map(**{"kernel": "rbf", "X": rows(), **parameters})


# ---------------------------------------------------------------------- kernels


@pytest.mark.parametrize(
    ("kernel", "formula"),
    [
        ("rbf", lambda X, Y: rbf_kernel(X, Y, gamma=0.2)),
        ("poly", lambda X, Y: polynomial_kernel(X, Y, gamma=0.2, degree=2)),
    ],
)
def test_inner_products_are_the_kernel(kernel, formula):
    X, new = rows(), rows(20, seed=1)
    K = formula(X, X)
    named = feature_map(kernel, X, gamma=0.2, degree=2)
    called = feature_map(lambda x, y: formula(x[None], y[None])[0, 0], X)
    given = feature_map("precomputed", K)
    expected = centred(formula(*[np.vstack([X, new])] * 2))
    for features, old_rows, new_rows in (
        (named, X, new),
        (called, X, new),
        (given, K, formula(new, X)),
    ):
        Z = features.fit_transform(old_rows)
        np.testing.assert_allclose(gram(Z), centred(K), atol=1e-7)
        if kernel == "poly":  # of finite rank, so that the pivots span the new rows too
            both = np.vstack([Z, features.transform(new_rows)])
            np.testing.assert_allclose(gram(both), expected, atol=1e-6)
        np.testing.assert_allclose(Z, named.fit_transform(X), atol=1e-6)


def test_coordinates_are_those_of_kernel_pca_up_to_a_rotation():
    X, new = rows(), rows(20, seed=1)
    features, pca = feature_map("rbf", X, gamma=0.2), KernelPCA(kernel="rbf", gamma=0.2)
    Z, P = features.fit_transform(X), pca.fit_transform(X)
    np.testing.assert_allclose(gram(Z), gram(P), atol=1e-8)
    cross = (features.transform(new) - Z.mean(axis=0)) @ (Z - Z.mean(axis=0)).T
    np.testing.assert_allclose(cross, pca.transform(new) @ P.T, atol=1e-6)


def test_gamma_scale():
    X = rows()
    for data in (X, sparse.csr_matrix(X)):
        features = feature_map("rbf", data)
        assert features.gamma == pytest.approx(1 / (5 * X.var()))


def test_landmarks_span_nystroems_approximation():
    X, new = rows(), rows(20, seed=1)
    features = feature_map("rbf", X, gamma=0.2, n_components=15, random_state=0).fit(X)
    assert len(features.pivots_) == 15
    chosen = np.random.RandomState(0).choice(60, 16, replace=False)
    K, cross = rbf_kernel(X[chosen], gamma=0.2), rbf_kernel(new, X[chosen], gamma=0.2)
    expected = cross @ np.linalg.solve(K, cross.T)
    np.testing.assert_allclose(gram(features.transform(new)), centred(expected), atol=0.05)
    old = features.transform(X[chosen])
    np.testing.assert_allclose(gram(old), centred(K), atol=1e-9)


def test_one_coordinate():
    for kernel in ("rbf", "whiten"):
        assert feature_map(kernel, rows(), n_components=1).fit_transform(rows()).shape == (60, 1)
    assert feature_map("diffusion", rows(), n_components=1).fit_transform(rows()).shape == (60, 6)


def test_many_rows_have_landmarks_and_say_so(monkeypatch, caplog):
    monkeypatch.setattr(kernel_maps, "EXACT_ROWS", 50)
    monkeypatch.setattr(kernel_maps, "LANDMARKS", 20)
    X = rows()
    with caplog.at_level(logging.INFO, logger="structsvm"):
        features = feature_map("rbf", X, random_state=0).fit(X)
    assert features.factor_.shape == (20, 20)
    assert "60 rows are more than 50" in caplog.text
    K = rbf_kernel(X)
    Z = feature_map("precomputed", K).fit_transform(K)
    np.testing.assert_allclose(gram(Z), centred(K), atol=1e-8)


def test_a_kernel_that_is_nearly_constant_keeps_its_digits():
    X = rows()
    Z = feature_map("rbf", X, gamma=1e-7).fit_transform(X)
    expected = centred(2e-7 * X @ X.T)
    np.testing.assert_allclose(gram(Z), expected, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.ones((4, 3)), r"square kernel matrix .* got shape \(4, 3\)"),
        (
            np.triu(np.ones((4, 4))),
            r"must be symmetric; .* differ by up to 1\. .* \(X \+ X.T\) / 2",
        ),
        (np.diag([1.0, -1.0, 2.0]), "positive semidefinite; .* go from -1 to 2. .* to 0"),
        (np.array([[0.0, 1.0], [1.0, 0.0]]), "positive semidefinite; .* go from -1 to 1"),
        (np.ones((4, 4)), "the kernel is constant"),
        (np.zeros((4, 4)), "the kernel is constant"),
    ],
)
def test_unusable_kernel_matrices(K, message):
    with pytest.raises(ValueError, match=message):
        feature_map("precomputed", K).fit_transform(K)


def test_rounding_in_a_kernel_matrix_is_let_pass():
    K = rbf_kernel(rows(), gamma=0.01).astype(np.float32)
    K[0, 1] *= 1 + 1e-7
    Z = feature_map("precomputed", K).fit_transform(K)
    np.testing.assert_allclose(gram(Z), centred(K.astype(float)), atol=1e-5)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (lambda x, y: 1.0, "the kernel is constant"),
        (lambda x, y: -float(x @ y), "positive semidefinite"),
        (lambda x, y: np.nan, "finite numbers; it gave NaN or infinity"),
    ],
)
def test_unusable_callables(kernel, message):
    X = rows()
    with pytest.raises(ValueError, match=message):
        feature_map(kernel, X).fit_transform(X)


def test_copies_of_rows_add_no_coordinate():
    X = np.vstack([rows(20)] * 3)
    assert feature_map("rbf", X).fit_transform(X).shape == (60, 19)


# ---------------------------------------------------------------------- whitening


@pytest.mark.parametrize("d", [5, 600])
def test_whitening_is_the_singular_value_decomposition(d):
    X, new = rows(80, d), rows(7, d, seed=1)
    for data, fresh in ((X, new), (sparse.csr_matrix(X), sparse.csr_matrix(new))):
        features = feature_map("whiten", data, n_components=4, random_state=0)
        Z = features.fit_transform(data)
        mean = X.mean(axis=0)
        U, s, Vt = np.linalg.svd(X - mean, full_matrices=False)
        np.testing.assert_allclose(np.abs(Z), np.abs(U[:, :4]) * np.sqrt(79), atol=1e-8)
        expected = (new - mean) @ (Vt[:4] / s[:4, None]).T * np.sqrt(79)
        np.testing.assert_allclose(np.abs(features.transform(fresh)), np.abs(expected), atol=1e-8)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("d", [6, 600])
def test_whitening_stops_at_the_rank(kind, d):
    X = kind(rows(50, 3) @ rows(3, d, seed=1) + 1)
    Z = feature_map("whiten", X).fit_transform(X)
    assert Z.shape == (50, 3)
    np.testing.assert_allclose(np.cov(Z.T), np.eye(3), atol=1e-8)
    assert feature_map("whiten", X).fit_transform(X[:3]).shape == (3, 2)


def test_whitening_keeps_float32():
    X = rows().astype(np.float32)
    assert feature_map("whiten", X).fit_transform(X).dtype == np.float32


def test_whitening_keeps_sparse_rows_sparse():
    n, d = 500, 20_000
    X = sparse.random(n, d, 1e-3, "csr", random_state=0)
    tracemalloc.start()
    feature_map("whiten", X, random_state=0).fit_transform(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < n * d * 8 / 4


# ---------------------------------------------------------------------- diffusion


def weights_by_hand(distances, scales, k=11):
    """Weights of each row of distances to its nearest training rows, and 0 to all others."""
    own = np.sort(distances, axis=1)[:, k - 1]
    W = np.exp(-(distances**2) / np.outer(own, scales))
    W[distances > own[:, None]] = 0
    return W


@pytest.mark.parametrize("n", [60, 300])
def test_diffusion_is_the_walk_that_it_states(n):
    """By dense matrices, below and above the size from which ARPACK is used."""
    X, new = rows(n), rows(20, seed=1)
    D = cdist(X, X)
    scales = np.sort(D, axis=1)[:, 10]
    W = weights_by_hand(D, scales)
    A = (W + W.T) / 2
    degrees = A.sum(axis=1)
    values, vectors = eigh(A, np.diag(degrees))
    values, vectors = values[-2:-8:-1], vectors[:, -2:-8:-1] * np.sqrt(degrees.sum())
    features = DiffusionMap(6).fit(X)
    np.testing.assert_allclose(features.eigenvalues_, values, atol=1e-9)
    walks = [
        weights / weights.sum(axis=1, keepdims=True) @ vectors * values**3
        for weights in (W, weights_by_hand(cdist(new, X), scales))
    ]
    row_scale, walk_scale = (np.sqrt(Z.var(axis=0).sum()) for Z in (X, walks[0]))
    for data, walk in zip((X, new), walks, strict=True):
        Z = features.transform(data)
        np.testing.assert_allclose(Z[:, :5], data / row_scale, atol=1e-9)
        expected = diffusion.WALK_WEIGHT * walk / walk_scale
        np.testing.assert_allclose(np.abs(Z[:, 5:]), np.abs(expected), atol=1e-6)


def test_diffusion_parts_moons_and_knows_new_ones():
    X, y = make_moons(400, noise=0.05, random_state=0)
    new, classes = make_moons(200, noise=0.05, random_state=1)
    features = feature_map("diffusion", X)
    first = features.fit_transform(X)[:, 2]
    sign = np.sign(first[0]) * (1 if y[0] else -1)
    np.testing.assert_array_equal(sign * first > 0, y == 1)
    np.testing.assert_array_equal(sign * features.transform(new)[:, 2] > 0, classes == 1)


def test_diffusion_sets_components_apart():
    X = np.vstack([rows(100, seed=s) + 100 * s for s in range(3)])
    features = DiffusionMap(5)
    Z = features.fit_transform(X)
    np.testing.assert_allclose(features.eigenvalues_[:2], 1)
    assert features.eigenvalues_[2] < 0.999
    parts = Z[:, 5:7].reshape(3, 100, 2)
    np.testing.assert_allclose(parts, np.broadcast_to(parts[:, :1], parts.shape), atol=1e-6)
    assert cdist(parts[:, 0], parts[:, 0])[np.triu_indices(3, 1)].min() > 1


def test_diffusion_warns_of_more_components_than_eigenvectors():
    X = np.vstack([rows(30, seed=s) + 100 * s for s in range(5)])
    with pytest.warns(UserWarning, match="5 components, more than n_components=2"):
        DiffusionMap(2).fit(X)


@pytest.mark.parametrize("copies", [2, 5, 30])
def test_diffusion_with_copies_of_a_row(copies):
    X = np.vstack([rows(100), np.repeat(rows(1, seed=1), copies, axis=0)])
    features = feature_map("diffusion", X)
    Z = features.fit_transform(X)
    assert np.isfinite(Z).all()
    np.testing.assert_allclose(features.transform(X[-1:]), Z[-1:], atol=1e-6)


def test_diffusion_does_not_depend_on_units():
    X = rows(300)
    one, two = (DiffusionMap(8).fit_transform(data) for data in (X, 1000 * X))
    np.testing.assert_allclose(one, two, atol=1e-6)


def test_diffusion_keeps_sparse_rows_sparse_and_float32():
    X = sparse.random(300, 20_000, 0.002, "csr", random_state=0, dtype=np.float32)
    features = feature_map("diffusion", X)
    tracemalloc.start()
    Z = features.fit_transform(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert Z.shape == (300, 20_020)
    assert Z.dtype == np.float32
    assert peak < 300 * 20_000 * 4 / 2


def test_diffusion_leaves_numpys_random_state_alone():
    np.random.seed(0)  # noqa: NPY002
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    DiffusionMap().fit(rows(300))
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_digits_keep_their_neighbours():
    """New digits land where the training digits of their class are."""
    X, y = load_digits(return_X_y=True)
    features = feature_map("diffusion", X[::2])
    Z, new = features.fit_transform(X[::2]), features.transform(X[1::2])
    nearest = cdist(new, Z).argmin(axis=1)
    assert np.mean(y[::2][nearest] == y[1::2]) > 0.95


def test_estimators_can_be_cloned_and_shown():
    for features in (KernelMap("rbf", 0.5), Whitening(3), DiffusionMap(7)):
        assert features.set_params(n_components=2).get_params()["n_components"] == 2
        assert "n_components=2" in repr(features)


def test_diffusion_of_rows_far_from_all_others():
    """Their weights underflow, and are what they are relative to each other."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    diffusion = DiffusionMap(n_components=3).fit(X)
    far = diffusion.transform([[1e6, 0.0], [0.0, -1e60]])
    assert np.isfinite(far).all()
    ends = diffusion.eigenvectors_ * diffusion.eigenvalues_**3 / diffusion._walk_scale
    assert np.all((far[:, 2:] >= ends.min(axis=0)) & (far[:, 2:] <= ends.max(axis=0)))


def test_diffusion_of_sparse_rows_after_dense_ones():
    """The index of few dense features takes no sparse queries."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    dense, mixed = DiffusionMap(n_components=3).fit(X), DiffusionMap(n_components=3).fit(X)
    found = mixed.transform(sparse.csr_matrix(X[:5]))
    assert sparse.issparse(found)
    np.testing.assert_allclose(found.toarray(), dense.transform(X[:5]))


def test_rbf_matrix_of_rows_far_from_the_origin():
    X = np.random.default_rng(0).normal(size=(20, 3))
    near, far = KernelMap("rbf").fit(X), KernelMap("rbf").fit(X + 1e7)
    np.testing.assert_allclose(
        near.transform(X) @ near.transform(X).T, far.transform(X + 1e7) @ far.transform(X + 1e7).T,
        atol=1e-6,
    )  # fmt: skip
