# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Steps of the dual ascent, as in structsvm/solvers/dual_ascent/steps.py."""

import numpy as np

from libc.math cimport INFINITY

ctypedef fused real:
    float
    double

ctypedef fused index:
    int
    long long


def ascend(rows, moves, order, losses, p, W, double cap, gaps):
    n, d = rows.shape
    k = W.shape[1]
    shapes = [a.shape for a in (moves, rows.indices, rows.indptr, losses, p, W, gaps)]
    if shapes != [rows.data.shape, rows.data.shape, (n + 1,), (n, k), (n, k), (d, k), (n,)]:
        raise ValueError(f"arrays of other shapes than rows of shape {rows.shape}: {shapes}")
    if not steps(rows.data, moves, rows.indices, rows.indptr, order, losses, p, W, cap, gaps):
        raise ValueError("a column, a row or an example is not among those that there are")


def steps(
    const real[::1] data, const real[::1] moves, const index[::1] indices, const index[::1] indptr,
    const Py_ssize_t[::1] order, const double[:, ::1] losses, double[:, ::1] p, real[:, ::1] W,
    double cap, double[::1] gaps,
):
    """Take the steps, up to the first invalid index; return whether all indices were valid."""
    cdef Py_ssize_t i, j, a, begin, end, t, n_moved, k = W.shape[1]
    cdef double[::1] scores = np.empty(k), q = np.empty(k)
    cdef Py_ssize_t[::1] moved = np.empty(k, dtype=np.intp)
    cdef double x, curvature, top, mean
    cdef real* row
    cdef bint valid = True
    with nogil:
        for t in range(order.shape[0]):
            i = order[t]
            valid = 0 <= i < losses.shape[0] and 0 <= indptr[i] <= indptr[i + 1] <= data.shape[0]
            if not valid:
                break
            begin, end, curvature = indptr[i], indptr[i + 1], 0.0
            for a in range(begin, end):
                valid = valid and 0 <= indices[a] < W.shape[0]
            if not valid:
                break
            for j in range(k):
                scores[j] = losses[i, j]
            for a in range(begin, end):
                x = data[a]
                curvature += x * moves[a]
                row = &W[indices[a], 0]
                for j in range(k):
                    scores[j] += x * row[j]
            top, mean = -INFINITY, 0.0
            for j in range(k):
                top = max(top, scores[j])
                mean += p[i, j] * scores[j]
            gaps[i] = max(top - mean, 0.0)
            if curvature <= 0 or gaps[i] == 0:
                continue
            for j in range(k):
                q[j] = p[i, j] + (scores[j] - top) / (cap * curvature)
            project(q)
            n_moved = 0
            for j in range(k):
                if q[j] != p[i, j]:
                    moved[n_moved] = j
                    scores[n_moved] = cap * (p[i, j] - q[j])
                    p[i, j] = q[j]
                    n_moved += 1
            for a in range(begin, end if n_moved else begin):
                x = moves[a]
                row = &W[indices[a], 0]
                for j in range(n_moved):
                    row[moved[j]] += <real>(x * scores[j])
    return valid


cdef void project(double[::1] q) noexcept nogil:
    """Project q on the simplex, as ``on_simplex`` of the plain steps does."""
    cdef Py_ssize_t j, n, before = q.shape[0] + 1
    cdef double total, level = -INFINITY
    while True:
        total, n = 0.0, 0
        for j in range(q.shape[0]):
            if q[j] > level:
                total += q[j]
                n += 1
        if n >= before or n == 0:  # n may rise by rounding, and an entry would alternate for ever
            break
        level, before = (total - 1) / n, n
    for j in range(q.shape[0]):
        q[j] = max(q[j] - level, 0.0)
