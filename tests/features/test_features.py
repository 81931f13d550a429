"""feature_map: what all maps have in common, and its parameters."""

import numpy as np
import pytest
from feature_rows import MAPS, dense, rows
from scipy import sparse

from structsvm.features import feature_map


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
def test_the_same_again(kernel):
    X = rows()
    one, two = (feature_map(kernel, X, random_state=0).fit_transform(X) for _ in range(2))
    np.testing.assert_array_equal(one, two)


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
