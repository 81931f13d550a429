# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Scores of labels as in problems/classification/states/contract.py, entry by entry."""

import numpy as np


def scores_of_entries(states, columns, values, ends, w):
    scores, (labels, starts) = np.zeros((len(ends) - 1, states.k)), states.pattern or (None, None)
    if labels is not None:
        labels, starts = np.asarray(labels, dtype=np.intc), np.asarray(starts, dtype=np.intc)
    if not add(scores, columns, values, np.asarray(ends, dtype=np.intp), w, labels, starts):
        raise ValueError(f"columns or labels do not fit weights of shape {w.shape}")
    return scores


def add(
    double[:, ::1] scores, const int[::1] columns, const double[::1] values,
    const Py_ssize_t[::1] ends, const double[::1] w, const int[::1] labels, const int[::1] starts,
):
    """Add up the scores, up to the first invalid index; return whether all indices were valid."""
    cdef bint every = labels is None
    cdef Py_ssize_t i, a, s, label, begin, end, k = scores.shape[1]
    cdef Py_ssize_t d = len(w) // k if every else len(starts) - 1
    if len(values) != len(columns) or not (every or len(labels) == len(w)):
        return False
    for i in range(len(scores)):
        if not 0 <= ends[i] <= ends[i + 1] <= len(columns):
            return False
        for a in range(ends[i], ends[i + 1]):
            if not 0 <= columns[a] < d:
                return False
            begin = k * columns[a] if every else starts[columns[a]]
            end = begin + k if every else starts[columns[a] + 1]
            if not 0 <= begin <= end <= len(w):
                return False
            for s in range(begin, end):
                label = s - begin if every else labels[s]
                if not 0 <= label < k:
                    return False
                scores[i, label] += values[a] * w[s]
    return True
