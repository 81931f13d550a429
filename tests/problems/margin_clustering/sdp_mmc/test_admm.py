"""The working set of the splitting method."""

import numpy as np
from sdp_data import unlinked
from sklearn.datasets import make_circles
from sklearn.metrics.pairwise import rbf_kernel

from structsvm.problems.margin_clustering.sdp_mmc.admm import SplittingMethod
from structsvm.problems.margin_clustering.sdp_mmc.relaxation import SIGNS, Relaxation
from structsvm.problems.margin_clustering.sdp_mmc.triangles import violated_triangles


def test_working_set_drops_and_keeps():
    X, _ = make_circles(20, factor=0.4, noise=0.03, random_state=0)
    method = SplittingMethod(Relaxation(rbf_kernel(X, gamma=2.0), 100.0, 0.1, unlinked(20)))
    method.advance(25)
    found, _ = violated_triangles(method.Z, SIGNS, 0.0)
    distinct = len(np.unique(found.names(20)))
    assert method.add(found) == distinct < len(found.signs)
    assert method.add(found) == 0
    method.advance(50)
    active = method.r_dual[20:] < 0
    method.prune(-np.inf)
    assert len(method.triangles.signs) == active.sum() > 0
    assert len(method.r) == len(method.r_dual) == method.rows.shape[0] == 20 + active.sum()
