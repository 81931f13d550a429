# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Entries of rows of named features, as in features/plain_rows.py, read one after another.

Dicts of strings and finite numbers are read as well. If the function returns None, it may already
have learned names from rows, which are then read again.
"""

import numpy as np

from structsvm.features.plain_rows import LARGEST, NUMBERS

from libc.math cimport NAN, isfinite


def plain_entries(list rows, dict columns, set texts, dict vectors, bint learns):
    cdef bint usual
    cdef Py_ssize_t i, at = 0, size = sum(map(len, rows))
    found, values, counts = np.empty(size, np.int32), np.ones(size), np.zeros(len(rows), np.intp)
    cdef int[::1] places = found
    cdef double[::1] numbers = values
    cdef Py_ssize_t[::1] sizes = counts
    for i, row in enumerate(rows):
        if i == len(counts) or type(row) not in (list, tuple, dict):
            return None
        sizes[i] = len(row)
        for name in row:
            if at == size or type(name) is not str or (vectors and name in vectors):
                return None
            if type(row) is dict:
                value = (<dict>row)[name]
                if type(value) is str:
                    if learns:
                        texts.add(name)
                    elif name in columns and name not in texts:
                        return None
                    name = f"{name}:{value}"
                else:
                    usual = type(value) is float or type(value) in NUMBERS
                    if type(value) is int:
                        usual = -LARGEST < value < LARGEST
                    numbers[at] = value if usual else NAN
                    if not isfinite(numbers[at]):
                        return None
            column = columns.get(name)
            if column is None and learns:
                column = columns[name] = len(columns)
            elif column is None and name in texts:
                return None
            places[at] = -1 if column is None else column
            at += 1
    return (found, values, counts) if at == size else None
