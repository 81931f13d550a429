# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Viterbi's algorithm as in problems/sequences/chain/search.py, one position after the other.

The starts of the steps say what is read and written: they are tested.
"""

import numpy as np

from libc.math cimport INFINITY

ctypedef fused real:
    float
    double


def viterbi(unary, transition, layout):
    best = unary.T.copy()  # a row for each position
    (n, k), transition = best.shape, np.array(transition, dtype=best.dtype, order="C")
    codes, sums = np.empty(n, dtype=np.intp), np.zeros(k, dtype=best.dtype)
    starts = np.concatenate((layout.starts, [n])).astype(np.intp, copy=False)
    sizes = starts[1:] - starts[: len(starts) - 1]  # the last step is empty
    are_whole = k and starts[0] == 0 and starts[len(starts) - 2] == n
    if not are_whole or (sizes[1:] > sizes[: len(sizes) - 1]).any() or transition.shape != (k, k):
        raise ValueError(f"shapes {unary.shape} and {transition.shape} with steps of sizes {sizes}")
    search(best, transition, sums, np.finfo(best.dtype).min, starts, codes)
    return codes


def search(
    real[:, ::1] best, const real[:, ::1] transition, real[::1] sums, double lowest,
    const Py_ssize_t[::1] starts, Py_ssize_t[::1] codes,
):
    """Turn ``best`` into the scores of the best paths up to each label, and follow them back."""
    cdef Py_ssize_t step, place, other, a, b, k = len(sums), steps = len(starts) - 2
    cdef real value, top
    cdef real* found = &sums[0]
    cdef real* here
    cdef const real* arcs
    with nogil:
        for step in range(steps):
            for place in range(starts[step], starts[step + 1]):
                if step > 0:
                    other, sums[:] = starts[step - 1] + place - starts[step], -INFINITY
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
