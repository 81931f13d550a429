# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Viterbi's algorithm as in problems/sequences/chain/search.py, one position after the other.

The starts of the steps say what is read and written: they are tested.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.float cimport DBL_MAX, FLT_MAX

ctypedef fused real:
    float
    double


def viterbi(unary, transition, layout):
    best = unary.T.copy()  # a row for each position
    transition = np.array(transition, dtype=best.dtype, order="C")
    codes, (n, k) = np.empty(len(best), dtype=np.intp), best.shape
    starts = np.append(layout.starts, n).astype(np.intp, copy=False)  # an empty step ends them
    sizes = starts[1:] - starts[: len(starts) - 1]
    are_whole = k and starts[0] == 0 and starts[len(starts) - 2] == n
    if not are_whole or (sizes[1:] > sizes[: len(sizes) - 1]).any() or transition.shape != (k, k):
        raise ValueError(f"shapes {unary.shape} and {transition.shape} with steps of sizes {sizes}")
    if best.dtype == np.float32:
        search[float](best, transition, transition.T.copy(), np.zeros(k, np.float32), starts, codes)
    else:
        search[double](best, transition, transition.T.copy(), np.zeros(k), starts, codes)
    return codes


cdef void search(
    real[:, ::1] best, const real[:, ::1] transition, const real[:, ::1] onto, real[::1] sums,
    const Py_ssize_t[::1] starts, Py_ssize_t[::1] codes,
):
    """Turn ``best`` into the scores of the best paths up to each label, and follow them back."""
    cdef Py_ssize_t step, place, other, steps = len(starts) - 2
    cdef const real* arcs
    with nogil:
        for step in range(steps):
            for place in range(starts[step], starts[step + 1]):
                if step > 0:
                    other = starts[step - 1] + place - starts[step]
                    set_largest(sums, &best[other, 0], transition)
                add_reduced(&best[place, 0], sums)
        sums[:] = 0
        for step in range(steps - 1, -1, -1):
            for place in range(starts[step], starts[step + 1]):
                other = starts[step + 1] + place - starts[step]
                arcs = &onto[codes[other], 0] if other < starts[step + 2] else &sums[0]
                codes[place] = largest(&best[place, 0], arcs, len(sums))


cdef inline void set_largest(
    real[::1] sums, const real* before, const real[:, ::1] transition
) noexcept nogil:
    """Set the largest sums of the scores before and of transitions to each label."""
    cdef Py_ssize_t a, b
    cdef real value
    cdef real* found = &sums[0]
    sums[:] = -INFINITY
    for a in range(len(sums)):
        for b in range(len(sums)):
            value = before[a] + transition[a, b]
            found[b] = value if value > found[b] else found[b]


cdef inline void add_reduced(real* here, const real[::1] sums) noexcept nogil:
    """Add sums to scores, and subtract the largest one of all."""
    cdef Py_ssize_t b
    cdef real top = -FLT_MAX if real is float else -DBL_MAX
    for b in range(len(sums)):
        here[b] += sums[b]
        top = here[b] if here[b] > top else top
    for b in range(len(sums)):
        here[b] -= top


cdef inline Py_ssize_t largest(const real* row, const real* other, Py_ssize_t k) noexcept nogil:
    """The first place at which the sum of two rows is largest."""
    cdef Py_ssize_t a, at = 0
    for a in range(1, k):
        if row[a] + other[a] > row[at] + other[at]:
            at = a
    return at
