"""The linear relaxation of labelling: consistent marginals of nodes and edges.

The maximum of the relaxation bounds the score of every labelling. With two labels, a minimum cut in
a graph with two vertices for each node finds a half-integral solution (Boros & Hammer, Discrete
Applied Mathematics 123, 2002). With more than two labels, HiGHS solves the relaxation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from structsvm.data.arrays import Indices, Vector
from structsvm.problems.graphs.inference.cut import FlowNetwork, disagreements, settled
from structsvm.problems.graphs.inference.scores import components

#: Marginals within this distance of 0 and 1 count as integral.
WHOLE = 1e-6
#: Tolerances of HiGHS, the smallest that it accepts.
TOL = 1e-10
#: Error of :func:`by_linear_program` by its tolerances, as :attr:`Problem.roundoff`.
ROUNDOFF = 2.0**-32


class Relaxed(NamedTuple):
    """Marginals of labels and of pairs of labels; they are a labelling if all are 0 or 1.

    Attributes
    ----------
    nodes : ndarray of shape (n_nodes, k)
        Marginals of labels at nodes, >= 0; each row sums to 1.
    edges : ndarray of shape (n_edges, k, k)
        Marginals of pairs of labels at edges, >= 0. For the first node i and the second node j of
        edge e, ``edges[e].sum(axis=1)`` equals ``nodes[i]``, and ``edges[e].sum(axis=0)`` equals
        ``nodes[j]``.
    """

    nodes: Vector
    edges: Vector

    @property
    def persistent(self) -> Vector:
        """Mask of the nodes with an integral label, shape (n_nodes,).

        With two labels, there is a labelling of highest score that has all integral labels of the
        relaxation.
        """
        return np.asarray(self.nodes.max(axis=1) > 1 - WHOLE)


def relaxed(unary: Vector, edges: Indices, pairwise: Vector) -> Relaxed:
    """Return marginals that maximise the expected score.

    Raises
    ------
    RuntimeError
        If HiGHS finds no solution. The error contains the message of HiGHS.
    """
    if unary.shape[1] == 2:
        return _binary(unary, edges, pairwise)
    return by_linear_program(unary, edges, pairwise)


def _binary(unary: Vector, edges: Indices, pairwise: Vector) -> Relaxed:
    linear, capacities = disagreements(unary, edges, pairwise)
    ones = roof_dual(linear, edges, capacities, components(len(unary), edges))
    p, q = ones[edges].T
    # The ends agree with the largest or the smallest probability that the marginals allow.
    both = np.where(capacities >= 0, np.minimum(p, q), np.maximum(p + q - 1, 0))
    found = np.stack([1 - p - q + both, q - both, p - both, both], axis=1)
    return Relaxed(np.column_stack([1 - ones, ones]), found.reshape(-1, 2, 2))


def roof_dual(linear: Vector, edges: Indices, capacities: Vector, part: Indices) -> Vector:
    """Return y in {0, 1/2, 1} that maximises the relaxation of u @ y - sum_e c_e [y_i != y_j].

    The costs c may have any sign. If all costs c are >= 0, the solution y is integral, with as few
    ones as possible. If a labelling is changed to y at all nodes where y is 0 or 1, its score does
    not fall. The parameter ``part`` has the meaning that it has in :class:`FlowNetwork`.
    """
    sign, linear, left = settled(linear, edges, capacities)
    (nodes,) = np.nonzero(sign == 0)
    if len(nodes):
        number = np.empty(len(sign), dtype=np.intp)
        number[nodes] = np.arange(len(nodes))
        rest = linear[nodes], number[edges[left]], capacities[left], part[nodes]
        sign[nodes] = _cut(*rest)
    return (1 + sign) / 2


def _cut(linear: Vector, edges: Indices, capacities: Vector, part: Indices) -> Vector:
    """Compute 2 y - 1 for the solution y of :func:`roof_dual`, by a minimum cut."""
    if (capacities >= 0).all():
        return np.where(FlowNetwork(linear, edges, part).maximum(capacities), 1.0, -1.0)
    # Node n + i stands for 1 - y_i: a gain by y_i != y_j is a loss by y_i != 1 - y_j.
    n = len(linear)
    gains = np.where(capacities < 0, n, 0)
    first, second = edges.T
    doubled = np.concatenate([
        np.column_stack([first, second + gains]),
        np.column_stack([first + n, second + n - gains]),
    ])  # fmt: skip
    network = FlowNetwork(np.concatenate([linear, -linear]), doubled, np.tile(part, 2))
    y: Vector = network.maximum(np.tile(np.abs(capacities), 2))
    return y[:n].astype(np.float64) - y[n:]


def by_linear_program(unary: Vector, edges: Indices, pairwise: Vector) -> Relaxed:
    """Return marginals that maximise the expected score, computed by HiGHS."""
    (n, k), m = unary.shape, len(edges)
    # The tolerances of HiGHS are absolute: the scores of each component are scaled to 1.
    part = components(n, edges)
    of_edges, sizes = part[edges[:, 0]], np.zeros(n)
    np.maximum.at(sizes, part, np.abs(unary).max(axis=1))
    np.maximum.at(sizes, of_edges, np.abs(pairwise).max(axis=(1, 2)))
    sizes[sizes == 0] = 1.0
    unary, pairwise = unary / sizes[part, None], pairwise / sizes[of_edges, None, None]
    total = np.concatenate([np.ones(n), np.zeros(2 * m * k)])
    tolerances = dict.fromkeys(("primal_feasibility_tolerance", "dual_feasibility_tolerance"), TOL)
    found = linprog(
        -np.concatenate([unary.ravel(), pairwise.ravel()]),
        A_eq=_consistency(n, edges, k),
        b_eq=total,
        bounds=(0, 1),
        method="highs",
        options=tolerances,
    )
    if found.x is None:
        raise RuntimeError(f"HiGHS found no solution of the relaxation: {found.message}")
    nodes, pairs = np.split(found.x.clip(0, 1), [n * k])  # HiGHS violates bounds by up to TOL
    return Relaxed(nodes.reshape(n, k), pairs.reshape(m, k, k))


def _consistency(n: int, edges: Indices, k: int) -> Any:
    """Return the matrix of the equality constraints on the marginals of nodes and edges."""
    m, labels = len(edges), sparse.identity(k)
    sums = sparse.kron(sparse.identity(n), np.ones((1, k)))
    rows = [sparse.hstack([sums, sparse.csr_matrix((n, m * k * k))])]
    for end, of_pairs in enumerate(
        (sparse.kron(labels, np.ones((1, k))), sparse.kron(np.ones((1, k)), labels))
    ):
        ends = (np.ones(m), (np.arange(m), edges[:, end]))
        own = sparse.kron(sparse.csr_matrix(ends, (m, n)), labels)
        rows.append(sparse.hstack([-own, sparse.kron(sparse.identity(m), of_pairs)]))
    return sparse.vstack(rows, format="csr")
