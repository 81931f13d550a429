# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Viterbi's algorithm and max-marginals, as in problems/sequences/chain/search.py.

The positions are visited one after another. All reads and writes follow from the starts of the
steps, which are checked.
"""

import numpy as np

from libc.math cimport INFINITY

ctypedef fused real:
    float
    double


def viterbi(unary, transition, layout):
    best, transition, starts = checked(unary, transition, layout)
    sums, codes = np.zeros(len(transition), dtype=best.dtype), np.empty(len(best), dtype=np.intp)
    search(best, transition, sums, np.finfo(best.dtype).min, starts, codes)
    return codes


def max_marginals(unary, transition, layout):
    best, transition, starts = checked(unary, transition, layout)
    sums, after = np.zeros(len(transition), dtype=best.dtype), best.copy()
    lowest, reverse = np.finfo(best.dtype).min, np.ascontiguousarray(transition.T)
    sides(best, transition, after, reverse, sums, lowest, starts)
    best += after
    with np.errstate(invalid="ignore"):  # -inf - -inf
        best -= unary.T
    best[np.isnan(best)] = -np.inf
    best -= np.maximum(best.max(axis=1, keepdims=True), lowest)
    return best.T


def checked(unary, transition, layout):
    """Return scores with a row per position, scores of transitions, and the starts of steps."""
    best = unary.T.copy()
    (n, k), transition = best.shape, np.array(transition, dtype=best.dtype, order="C")
    starts = np.concatenate((layout.starts, [n])).astype(np.intp, copy=False)
    sizes = starts[1:] - starts[: len(starts) - 1]  # the last step is empty
    are_whole = k and starts[0] == 0 and starts[len(starts) - 2] == n
    if not are_whole or (sizes[1:] > sizes[: len(sizes) - 1]).any() or transition.shape != (k, k):
        raise ValueError(f"shapes {unary.shape} and {transition.shape} with steps of sizes {sizes}")
    return best, transition, starts


def sides(
    real[:, ::1] before, const real[:, ::1] transition, real[:, ::1] after,
    const real[:, ::1] reverse, real[::1] sums, double lowest, const Py_ssize_t[::1] starts,
):
    """Replace scores by the scores of the best paths up to each label, from either side."""
    with nogil:
        along(before, transition, sums, lowest, starts, 1)
        along(after, reverse, sums, lowest, starts, -1)


cdef void along(
    real[:, ::1] best, const real[:, ::1] transition, real[::1] sums, double lowest,
    const Py_ssize_t[::1] starts, Py_ssize_t way,
) noexcept nogil:
    """Replace ``best`` by the scores of the best paths up to each label, from one side."""
    cdef Py_ssize_t i, step, place, other, a, b, k = len(sums), steps = len(starts) - 2
    cdef real value, top
    cdef real* found = &sums[0]
    cdef real* here
    cdef const real* arcs
    for i in range(steps):
        step = i if way > 0 else steps - 1 - i
        for place in range(starts[step], starts[step + 1]):
            sums[:] = 0
            other = place - starts[step]
            if i > 0 and starts[step - way] + other < starts[step - way + 1]:
                other, sums[:] = starts[step - way] + other, -INFINITY
                for a in range(k):
                    value, arcs = best[other, a], &transition[a, 0]
                    for b in range(k):
                        found[b] = max(found[b], value + arcs[b])
            here, top = &best[place, 0], <real>lowest
            for b in range(k):
                here[b] += found[b]
                top = max(top, here[b])
            for b in range(k):
                here[b] -= top


def search(
    real[:, ::1] best, const real[:, ::1] transition, real[::1] sums, double lowest,
    const Py_ssize_t[::1] starts, Py_ssize_t[::1] codes,
):
    """Replace ``best`` by the scores of the best paths up to each label, and follow them back."""
    cdef Py_ssize_t step, place, other, a, k = len(sums), steps = len(starts) - 2
    cdef real value, top
    cdef real* here
    with nogil:
        along(best, transition, sums, lowest, starts, 1)
        for step in range(steps - 1, -1, -1):
            for place in range(starts[step], starts[step + 1]):
                other, here = starts[step + 1] + place - starts[step], &best[place, 0]
                codes[place], top = 0, -INFINITY
                for a in range(k):
                    value = here[a]
                    if other < starts[step + 2]:
                        value += transition[a, codes[other]]
                    if value > top:
                        codes[place], top = a, value
