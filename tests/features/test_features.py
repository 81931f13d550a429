"""feature_map: what all maps have in common, and its parameters."""

import numpy as np
import pytest
from feature_rows import MAPS, dense, gram, rows
from scipy import sparse
from sklearn.exceptions import NotFittedError

from structsvm.features import DiffusionMap, KernelMap, Whitening, feature_map


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


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, np.float32])
def test_standardised_columns_have_unit_variance(kind):
    X = kind(rows() * [1e-3, 1, 1, 1e4, 0])
    Z = feature_map("standardise", X).fit_transform(X)
    assert (Z.dtype, sparse.issparse(Z)) == (X.dtype, sparse.issparse(X))
    np.testing.assert_allclose(dense(Z).std(axis=0), [1, 1, 1, 1, 0], rtol=1e-5)
    np.testing.assert_allclose(dense(Z)[:, :4] * dense(X)[:, :4].std(axis=0), dense(X)[:, :4], 1e-5)


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


def test_gamma_scale():
    X = rows()
    for data in (X, sparse.csr_matrix(X)):
        features = feature_map("rbf", data)
        assert features.gamma == pytest.approx(1 / (5 * X.var()))


def test_one_coordinate():
    for kernel in ("rbf", "whiten"):
        assert feature_map(kernel, rows(), n_components=1).fit_transform(rows()).shape == (60, 1)
    assert feature_map("diffusion", rows(), n_components=1).fit_transform(rows()).shape == (60, 6)


def test_estimators_can_be_cloned_and_shown():
    for features in (KernelMap("rbf", 0.5), Whitening(3), DiffusionMap(7)):
        assert features.set_params(n_components=2).get_params()["n_components"] == 2
        assert "n_components=2" in repr(features)
