# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Entries of rows of named features as in features/plain_rows.py, one feature after the other."""

import numpy as np

from structsvm.features.plain_rows import NUMBERS

from libc.math cimport isfinite


def plain_entries(list rows, dict columns, set texts, dict vectors, bint learns):
    """Where this returns None, it may have learned from rows that are then read in another way."""
    cdef Py_ssize_t i, at = 0, size = sum(map(len, rows))
    cdef bint of_dicts = len(rows) > 0 and type(rows[0]) is dict
    found, values, counts = np.empty(size, np.int32), np.ones(size), np.empty(len(rows), np.intp)
    cdef int[::1] places = found
    cdef double[::1] numbers = values
    cdef Py_ssize_t[::1] sizes = counts
    for i in range(len(rows)):
        row = rows[i]
        if type(row) is not dict if of_dicts else type(row) not in (list, tuple):
            return None
        sizes[i] = len(row)
        for name in row:
            if at == size or type(name) is not str or (vectors and name in vectors):
                return None
            if of_dicts:
                value = (<dict>row)[name]
                if type(value) is str:
                    if name not in texts and not learns and name in columns:
                        return None
                    if learns: texts.add(name)
                    name = f"{name}:{value}"
                elif not is_number(value, &numbers[at]):
                    return None
            column = columns.get(name)
            if column is None and learns:
                column = columns[name] = len(columns)
            if column is None and name in texts:
                return None
            places[at] = -1 if column is None else column
            at += 1
    return found, values, counts


cdef bint is_number(value, double* number) except -1:
    """Whether this is a finite number of a usual type, which is then stored."""
    if type(value) is not float and type(value) not in NUMBERS:
        return False
    try:
        number[0] = value
    except OverflowError:
        return False
    return isfinite(number[0])
