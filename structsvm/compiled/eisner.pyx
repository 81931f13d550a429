# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""The best projective trees: problems/trees/eisner.py, one sentence after the other.

Shapes alone say what is read and written; no number that a caller gives is an index.
"""

import numpy as np

#: The score of an arc that no tree has.
FORBIDDEN = -1e300


def best_projective_trees(scores, bint single_root):
    given = np.ascontiguousarray(scores, dtype=np.float64)
    n, m, _ = given.shape
    if given.shape[2] != m + 1:
        raise ValueError(f"scores of m words have shape (n, m, m + 1); got {given.shape}")
    arcs = np.full((n, m + 1, m + 1), FORBIDDEN)  # from heads to dependents
    arcs[:, :, 1:] = given.transpose(0, 2, 1)
    heads = np.zeros((n, m + 1), dtype=np.intp)
    chart = Chart(m + 1)
    for i in range(n):
        chart.search(arcs[i], heads[i], single_root)
    return heads[:, 1:]


cdef class Chart:
    """The values of all spans of a sentence, by first and last word, and where each is divided."""

    cdef Py_ssize_t size
    cdef double[:, ::1] arcs, right, left, onward, back
    cdef Py_ssize_t[:, ::1] in_right, in_left, beneath
    cdef Py_ssize_t[::1] heads

    def __cinit__(self, Py_ssize_t size):
        self.size = size
        self.right, self.left, self.onward, self.back = np.zeros((4, size, size))
        self.in_right, self.in_left, self.beneath = np.zeros((3, size, size), dtype=np.intp)

    def search(self, double[:, ::1] arcs, Py_ssize_t[::1] heads, bint single_root):
        self.arcs, self.heads = arcs, heads
        with nogil:
            self.fill(single_root)
            if single_root:
                self.follow_root()
            else:
                self.follow_right(0, self.size - 1)

    cdef void follow_root(self) noexcept nogil:
        """Note the heads of all words, of which only one may depend on the root."""
        cdef Py_ssize_t word, chosen = 1, last = self.size - 1
        cdef double score, best = 0
        for word in range(1, self.size):
            # The words before it, and those after it.
            score = self.arcs[0, word] + self.left[1, word] + self.right[word, last]
            if word == 1 or score > best:
                best, chosen = score, word
        self.follow_left(1, chosen)
        self.follow_right(chosen, last)

    cdef void fill(self, Py_ssize_t begin) noexcept nogil:
        """Evaluate the spans of all words from ``begin`` on, the short ones first."""
        cdef Py_ssize_t first, last, width, at, n = self.size
        cdef double value
        for width in range(1, n - begin):
            for first in range(begin, n - width):
                last = first + width
                at = largest(&self.right[first, first], &self.left[first + 1, last], n, width)
                value = self.right[first, first + at] + self.left[first + 1 + at, last]
                self.beneath[first, last] = first + at
                self.onward[first, last] = value + self.arcs[first, last]
                self.back[first, last] = value + self.arcs[last, first]
                at = largest(&self.onward[first, first + 1], &self.right[first + 1, last], n, width)
                at += first + 1
                self.in_right[first, last] = at
                self.right[first, last] = self.onward[first, at] + self.right[at, last]
                at = largest(&self.left[first, first], &self.back[first, last], n, width) + first
                self.in_left[first, last] = at
                self.left[first, last] = self.left[first, at] + self.back[at, last]

    cdef void follow_right(self, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
        """Note the heads of the words on the right of the first, up to the last."""
        cdef Py_ssize_t word
        while first < last:
            word = self.in_right[first, last]
            self.heads[word] = first
            self.follow_both(first, word)
            first = word

    cdef void follow_left(self, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
        cdef Py_ssize_t word
        while first < last:
            word = self.in_left[first, last]
            self.heads[word] = last
            self.follow_both(word, last)
            last = word

    cdef void follow_both(self, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
        """Note the heads of the words between two that have an arc."""
        cdef Py_ssize_t end = self.beneath[first, last]
        self.follow_right(first, end)
        self.follow_left(end + 1, last)


cdef inline Py_ssize_t largest(
    const double* row, const double* column, Py_ssize_t stride, Py_ssize_t n
) noexcept nogil:
    """The first of the n places at which the sum of a row and a column is largest."""
    cdef Py_ssize_t i, at = 0
    cdef double best = row[0] + column[0]
    for i in range(1, n):
        if row[i] + column[i * stride] > best:
            best, at = row[i] + column[i * stride], i
    return at
