"""The kernels that kernel='auto' tries, and the bounds of clusters of similar size."""

import numpy as np
import pytest

from structsvm.problems import CPM3CProblem
from structsvm.problems.margin_clustering.estimator import bounded, kernels_to_try

X = np.ones((4, 2))


def test_a_given_kernel_is_kept_and_auto_tries_two():
    assert kernels_to_try("rbf", X) == ("rbf",)
    assert kernels_to_try(max, X) == (max,)
    assert kernels_to_try("auto", X) == ("linear", "diffusion")


def test_rows_on_disk_have_linear_features_alone(tmp_path):
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert kernels_to_try("auto", mapped) == ("linear",)


@pytest.mark.parametrize(("k", "least"), [(2, 0.05), (4, 0.125)])
def test_bounds_that_are_given_replace_those_for_similar_sizes(k, least):
    problem = bounded(CPM3CProblem(k), None, None)
    assert (problem.n_clusters, problem.balance, problem.min_cluster_size) == (k, 0, least)
    problem = bounded(CPM3CProblem(k), 0.3, 0.0)
    assert (problem.balance, problem.min_cluster_size) == (0.3, 0)
