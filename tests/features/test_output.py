"""Feature maps as scikit-learn's transformers: all its checks, DataFrames out, names of columns."""

import numpy as np
import pytest
from feature_rows import rows
from scipy import sparse
from sklearn import config_context
from sklearn.utils.estimator_checks import (
    check_global_output_transform_pandas,
    check_global_set_output_transform_polars,
    check_set_output_transform_pandas,
    check_set_output_transform_polars,
)

from structsvm.features import DiffusionMap, KernelMap, Whitening, feature_map
from structsvm.problems import MMC, SDPMMC, BayesianMMC

MAPS = [KernelMap(), KernelMap("poly", n_components=3), Whitening(), DiffusionMap(3)]


# The checks fit data frames and transform arrays, and the other way round.
@pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names:UserWarning")
@pytest.mark.parametrize("features", MAPS, ids=str)
@pytest.mark.parametrize(
    "check",
    [
        check_set_output_transform_pandas,
        check_global_output_transform_pandas,
        check_set_output_transform_polars,
        check_global_set_output_transform_polars,
    ],
)
def test_data_frames_out(features, check):
    check(type(features).__name__, features)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("kernel", ["linear", "standardise", "rbf", "whiten", "diffusion"])
def test_columns_have_names(kernel, library):
    frame = pytest.importorskip(library).DataFrame(dict(zip("abcde", rows().T, strict=True)))
    features = feature_map(kernel, rows(), n_components=2, random_state=0).set_output(
        transform=library
    )
    Z = features.fit_transform(frame)
    assert type(Z) is type(frame)
    new = {
        "linear": list("abcde"),
        "standardise": list("abcde"),
        "rbf": ["kernelmap0", "kernelmap1"],
        "whiten": ["whitening0", "whitening1"],
        "diffusion": [*"abcde", "diffusionmap0", "diffusionmap1"],
    }
    assert list(Z.columns) == new[kernel] == features.get_feature_names_out().tolist()
    assert features.feature_names_in_.tolist() == list("abcde")
    plain = feature_map(kernel, rows(), n_components=2, random_state=0).fit_transform(rows())
    np.testing.assert_allclose(np.asarray(Z), plain, atol=1e-9)


def test_names_without_a_data_frame():
    features = DiffusionMap(1).fit(rows())
    assert features.get_feature_names_out().tolist() == [f"x{i}" for i in range(5)] + [
        "diffusionmap0"
    ]
    assert features.get_feature_names_out(list("abcde"))[0] == "a"


def test_sparse_rows_are_fitted_whatever_the_output():
    features = DiffusionMap(2).set_output(transform="pandas").fit(sparse.csr_matrix(rows()))
    with pytest.raises(ValueError, match="outputs a scipy sparse matrix"):
        features.transform(sparse.csr_matrix(rows()))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize(
    "clusterer",
    [
        MMC(kernel="diffusion", n_init=1, random_state=0),
        SDPMMC(random_state=0),
        BayesianMMC(n_init=1),
    ],
    ids=str,
)
def test_clusterers_do_not_depend_on_the_global_output(clusterer, library):
    pytest.importorskip(library)
    X = (rows() + 3 * (np.arange(60) < 30)[:, None])[::3]
    labels = clusterer.fit(X).predict(X)
    with config_context(transform_output=library):
        np.testing.assert_array_equal(clusterer.fit(X).predict(X), labels)
