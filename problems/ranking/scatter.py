"""Distances of documents from the means of their queries, by query and by feature."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from structsvm.data.arrays import Vector
from structsvm.data.column_moments import ColumnMoments
from structsvm.data.matrices import row_blocks
from structsvm.problems.ranking.queries import Queries, QueryLayout


def scatter(queries: Queries) -> Vector:
    """For each query the sum over its documents x of ||x - mean||^2; 0 where that is rounding."""
    rows, layout = queries.rows, queries.layout
    rounding = layout.sizes * np.finfo(float).eps
    sums = layout.votes(np.ones(len(layout.owner))) @ rows
    if sparse.issparse(rows):
        squares = layout.votes(np.ones(len(layout.owner))) @ rows.astype(np.float64).power(2)
        total = np.asarray(squares.sum(axis=1)).ravel()
        between = np.asarray(sums.power(2).sum(axis=1)).ravel() / layout.sizes
        return np.where(total - between > rounding * total, total - between, 0)
    means, found, start = sums / layout.sizes[:, None], np.zeros(len(queries)), 0
    for block in row_blocks(rows):
        own = layout.owner[start : start + len(block)]
        squares = np.square(block - means[own]).sum(axis=1)
        found += np.bincount(own, squares, len(queries))
        start += len(block)
    between = layout.sizes * np.square(means).sum(axis=1)
    return np.where(found > rounding**2 * between, found, 0)


def moments_within_queries(rows: Any, layout: QueryLayout, weights: Vector) -> ColumnMoments:
    """Moments of features of documents, with variances around the means of their queries.

    What the documents of a query have in common does not change their order.

    Parameters
    ----------
    rows : array or CSR matrix of shape (n_rows, d)
    layout : QueryLayout
    weights : ndarray of shape (n,)
        Weights of the queries.
    """
    of_rows = weights[layout.owner]
    moments = ColumnMoments.of(rows, of_rows)
    total = float(of_rows.sum()) or 1.0
    votes = layout.votes(np.ones(len(layout.owner)))
    if sparse.issparse(rows):
        means = sparse.diags(1 / layout.sizes) @ (votes @ rows) @ sparse.diags(1 / moments.units)
        between = weights * layout.sizes @ means.power(2) / total
        within = moments.variances + moments.means**2 - between
        rounding = np.finfo(float).eps * len(of_rows)
        within[within < rounding * between] = 0
        return moments._replace(variances=within)
    means = (votes @ rows) / layout.sizes[:, None]
    within, start = np.zeros(rows.shape[1]), 0
    for block in row_blocks(rows):
        own = slice(start, start + len(block))
        deviations = (block - means[layout.owner[own]]) / moments.units
        within += of_rows[own] @ np.square(deviations)
        start += len(block)
    within /= total
    within[within < (np.finfo(float).eps * len(of_rows)) ** 2] = 0
    return moments._replace(variances=within)
