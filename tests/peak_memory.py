"""Limits of memory."""

import tracemalloc
from contextlib import contextmanager


@contextmanager
def peak_below(limit):
    """What is allocated inside never takes so many bytes at a time."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < limit, peak
