"""Divisions of the rows by graphs of their nearest neighbours, from which labels are rounded."""

from __future__ import annotations

import warnings
from itertools import chain

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components
from sklearn.preprocessing import KernelCenterer

from structsvm.data.arrays import Indices, Vector
from structsvm.features import DiffusionMap
from structsvm.problems.margin_clustering.bayesian_mmc import BayesianMMC
from structsvm.problems.margin_clustering.bayesian_mmc.initial_clusters import directions
from structsvm.problems.margin_clustering.sdp_mmc.relaxation import Relaxation

#: Neighbours, each row itself included, of the graphs.
NEIGHBORS = (5, 11)
#: Eigenvectors of a graph; with sums and differences there are as many vectors as its square.
EIGENVECTORS = 3
#: Squared distance below which rows count as copies, relative to the largest.
COPIES_RTOL = 1e-10


def graph_divisions(relaxation: Relaxation) -> list[Vector]:
    """Values of the nodes whose signs divide graphs of near neighbours; each of shape (n_nodes,).

    They are eigenvectors of random walks on two graphs, their sums and differences, and the
    probabilities of :class:`structsvm.problems.BayesianMMC`, less 1/2. Distances are taken in
    kernel space, K_ii + K_jj - 2 K_ij; for 'rbf' they rank neighbours as distances of the rows do.
    Copies of a row are one vertex. The value of a node is the signed sum of its rows' values.
    """
    groups = relaxation.groups
    K = relaxation.K * np.outer(groups.signs, groups.signs)
    first, copy_of = _distinct(K)
    if len(first) < 2:  # beyond rounding
        return []
    rows = _coordinates(K[np.ix_(first, first)])
    with warnings.catch_warnings():  # of a candidate that is poor, and then has a large f
        warnings.simplefilter("ignore")
        probabilities = BayesianMMC().fit(rows).probabilities_
        graphs = [DiffusionMap(EIGENVECTORS, number).fit(rows) for number in NEIGHBORS]
    divisions = chain(*(directions(graph.eigenvectors_) for graph in graphs))
    return [groups.sums(values[copy_of]) for values in (*divisions, probabilities[:, 1] - 0.5)]


def _distinct(K: Vector) -> tuple[Indices, Indices]:
    """The first of each set of copies, and for every row the position of its set among them."""
    diagonal = K.diagonal()
    squares = diagonal[:, None] + diagonal - 2 * K
    _, copy_of = connected_components(squares <= COPIES_RTOL * squares.max(), directed=False)
    return np.unique(copy_of, return_index=True)[1], copy_of


def _coordinates(K: Vector) -> Vector:
    """Rows of mean 0 that have the distances of the kernel matrix K."""
    centred = KernelCenterer().set_output(transform="default").fit_transform(K)
    values, vectors = eigh(centred)
    return vectors * np.sqrt(np.maximum(values, 0))
