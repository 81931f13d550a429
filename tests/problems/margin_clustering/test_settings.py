"""The kernels that kernel='auto' tries, and the bounds of clusters of similar size."""

import numpy as np
import pytest

from structsvm.problems import MMC, CPM3CProblem
from structsvm.problems.margin_clustering.candidates import bounded, kernels_to_try


@pytest.mark.parametrize("on_disk", [False, True])
@pytest.mark.parametrize("learned", [False, True])
def test_a_given_kernel_is_kept(on_disk, learned):
    assert kernels_to_try("rbf", on_disk, learned) == ("rbf",)
    assert kernels_to_try(max, on_disk, learned) == (max,)


def test_auto_tries_two_and_three_where_known_rows_choose():
    assert kernels_to_try("auto", False, False) == ("linear", "diffusion")
    assert kernels_to_try("auto", False, True) == ("linear", "standardise", "diffusion")


def test_rows_on_disk_have_linear_features_alone(tmp_path):
    np.save(tmp_path / "X.npy", np.random.default_rng(0).normal(size=(30, 3)))
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert MMC(n_init=1, random_state=0).fit(mapped).kernel_ == "linear"
    assert kernels_to_try("auto", True, False) == kernels_to_try("auto", True, True) == ("linear",)


@pytest.mark.parametrize(("k", "least"), [(2, 0.05), (4, 0.125)])
def test_bounds_that_are_given_replace_those_for_similar_sizes(k, least):
    problem = bounded(CPM3CProblem(k), None, None)
    assert (problem.n_clusters, problem.balance, problem.min_cluster_size) == (k, 0, least)
    problem = bounded(CPM3CProblem(k), 0.3, 0.0)
    assert (problem.balance, problem.min_cluster_size) == (0.3, 0)
