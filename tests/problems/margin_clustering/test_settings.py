"""The settings that kernel='auto' tries, and those that are given."""

import numpy as np
import pytest

from structsvm.problems import CPM3CProblem
from structsvm.problems.margin_clustering.settings import Setting, settings_to_try

X = np.ones((4, 2))


@pytest.mark.parametrize(
    ("k", "bounds"),
    [
        (2, [(0, 0.05, 1), (0.8, 0.05, 4)]),
        (4, [(0, 0.125, 1), (0, 0.05, 4), (0.5, 0.05, 4)]),
    ],
)
def test_auto_tries_two_kernels_and_bounds_for_equal_and_unequal_sizes(k, bounds):
    tried = settings_to_try("auto", None, None, X, k)
    assert tried == [(kernel, *one) for kernel in ("linear", "diffusion") for one in bounds]


def test_what_is_given_is_kept():
    assert settings_to_try("rbf", None, None, X, 4) == [("rbf", 0, 0.125, 1)]
    assert settings_to_try(max, 0.3, 0.0, X, 2) == [(max, 0.3, 0.0, 1)]
    of_sizes = settings_to_try("auto", None, 0.1, X, 4)
    assert {setting.min_cluster_size for setting in of_sizes} == {0.1}
    assert len(of_sizes) == 6
    both = settings_to_try("auto", 0.3, 0.1, X, 4)
    assert [setting.C_factor for setting in both] == [1, 4, 1, 4]


def test_rows_on_disk_have_linear_features_alone(tmp_path):
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert {setting.kernel for setting in settings_to_try("auto", None, None, mapped, 3)} == {
        "linear"
    }


def test_a_setting_bounds_a_problem():
    problem = Setting("linear", 0.5, 0.1, 1.0).bound(CPM3CProblem(3))
    assert (problem.n_clusters, problem.balance, problem.min_cluster_size) == (3, 0.5, 0.1)
