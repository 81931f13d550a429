# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Projective trees as in problems/trees/eisner.py, one sentence after another.

All reads and writes follow from the shapes of arrays. No number from a caller is used as an index.
"""

import numpy as np

#: The score of an arc that no tree may have.
FORBIDDEN = -1e300


def best_projective_trees(scores, bint single_root):
    arcs = from_heads(scores, FORBIDDEN)
    heads = np.zeros(arcs.shape[:2], dtype=np.intp)
    chart = Best(arcs.shape[1])
    for own, found in zip(arcs, heads):
        chart.search(own, found, single_root)
    return heads[:, 1:]


def projective_sums(weights, bint single_root):
    arcs = from_heads(weights, 0.0)
    shares, sums = np.zeros(arcs.shape), np.empty(len(arcs))
    chart = Sum(arcs.shape[1])
    for i, own in enumerate(arcs):
        sums[i] = chart.add(own, shares[i], single_root)
    return sums, shares[:, :, 1:].transpose(0, 2, 1)


def from_heads(scores, double missing):
    """Return the arcs from heads to dependents, shape (n, m + 1, m + 1), with the root as 0."""
    n, m, heads = scores.shape
    if heads != m + 1:
        raise ValueError(f"scores of m words have shape (n, m, m + 1); got {scores.shape}")
    arcs = np.full((n, m + 1, m + 1), missing)
    arcs[:, :, 1:] = scores.transpose(0, 2, 1)
    return arcs


cdef class Best:
    """The best score of each span of a sentence, by first and last word, and its best division."""

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
        """Set the heads of all words, only one of which may depend on the root."""
        cdef Py_ssize_t word, chosen = 1, last = self.size - 1
        cdef double score, best = 0
        for word in range(1, self.size):
            # Add the best scores of the words before this word and of the words after it.
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
        """Set the heads of the words after ``first``, up to ``last``."""
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
        """Set the heads of the words between two words that an arc connects."""
        cdef Py_ssize_t end = self.beneath[first, last]
        self.follow_right(first, end)
        self.follow_left(end + 1, last)


cdef class Sum:
    """The sum of each span of a sentence, and the derivative of the total sum by each of them."""

    cdef Py_ssize_t size
    cdef double[:, ::1] arcs, right, left, onward, back
    cdef double[:, ::1] by_right, by_left, by_onward, by_back, shares

    def __cinit__(self, Py_ssize_t size):
        self.size = size
        self.right, self.left, self.onward, self.back = np.ones((4, size, size))
        self.by_right, self.by_left, self.by_onward, self.by_back = np.zeros((4, size, size))

    def add(self, double[:, ::1] arcs, double[:, ::1] shares, bint single_root):
        """Return the sum over all trees, and set ``shares`` to the fraction of each arc in it."""
        cdef Py_ssize_t word, last = self.size - 1
        cdef double total = 0.0
        self.arcs, self.shares = arcs, shares
        self.by_right[:], self.by_left[:], self.by_onward[:], self.by_back[:] = 0.0, 0.0, 0.0, 0.0
        with nogil:
            self.fill(single_root)
            if single_root:
                for word in range(1, self.size):
                    shares[0, word] = arcs[0, word] * self.left[1, word] * self.right[word, last]
                    total += shares[0, word]
                    self.by_left[1, word] = arcs[0, word] * self.right[word, last]
                    self.by_right[word, last] = arcs[0, word] * self.left[1, word]
            else:
                total = self.right[0, last]
                self.by_right[0, last] = 1.0
            self.derive(single_root)
            for word in range(self.size * self.size if total > 0 else 0):
                (&shares[0, 0])[word] /= total
        return total

    cdef void fill(self, Py_ssize_t begin) noexcept nogil:
        """Evaluate the spans of all words from ``begin`` on, the short ones first."""
        cdef Py_ssize_t first, last, width, at
        cdef double value
        for width in range(1, self.size - begin):
            for first in range(begin, self.size - width):
                last, value = first + width, 0.0
                for at in range(first, last):
                    value += self.right[first, at] * self.left[at + 1, last]
                self.onward[first, last] = value * self.arcs[first, last]
                self.back[first, last] = value * self.arcs[last, first]
                value = 0.0
                for at in range(first + 1, last + 1):
                    value += self.onward[first, at] * self.right[at, last]
                self.right[first, last], value = value, 0.0
                for at in range(first, last):
                    value += self.left[first, at] * self.back[at, last]
                self.left[first, last] = value

    cdef void derive(self, Py_ssize_t begin) noexcept nogil:
        """Compute all derivatives in reverse order, from the derivatives by the root's spans."""
        cdef Py_ssize_t first, last, width, at
        cdef double by
        for width in range(self.size - 1 - begin, 0, -1):
            for first in range(begin, self.size - width):
                last = first + width
                by = self.by_right[first, last]
                for at in range(first + 1, last + 1):
                    self.by_onward[first, at] += by * self.right[at, last]
                    self.by_right[at, last] += by * self.onward[first, at]
                by = self.by_left[first, last]
                for at in range(first, last):
                    self.by_left[first, at] += by * self.back[at, last]
                    self.by_back[at, last] += by * self.left[first, at]
                self.shares[first, last] = self.by_onward[first, last] * self.onward[first, last]
                self.shares[last, first] = self.by_back[first, last] * self.back[first, last]
                by = self.by_onward[first, last] * self.arcs[first, last]
                by += self.by_back[first, last] * self.arcs[last, first]
                for at in range(first, last):
                    self.by_right[first, at] += by * self.left[at + 1, last]
                    self.by_left[at + 1, last] += by * self.right[first, at]


cdef inline Py_ssize_t largest(
    const double* row, const double* column, Py_ssize_t stride, Py_ssize_t n
) noexcept nogil:
    """Return the first of n indices at which the sum of a row and a column is largest."""
    cdef Py_ssize_t i, at = 0
    cdef double best = row[0] + column[0]
    for i in range(1, n):
        if row[i] + column[i * stride] > best:
            best, at = row[i] + column[i * stride], i
    return at
