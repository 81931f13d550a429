"""Checks whether a run fits in the available memory."""

from __future__ import annotations

import math
import os

from structsvm.contract.problem import Problem

#: Smallest number of vectors of the length of w that a run of any solver holds at the same time.
VECTORS = 5
#: Number of bytes of a number in double precision.
DOUBLE = 8
#: Advice for a shorter w.
SHORTER = "use fewer features, by selecting or hashing them, or fewer classes"


def available_memory() -> float:
    """Return the bytes of memory that this process may use, or inf if the number is unknown."""
    try:
        physical = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):  # not available on every platform
        physical = math.inf
    try:
        import resource
    except ImportError:  # on Windows
        return physical
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return physical if limit == resource.RLIM_INFINITY else min(physical, float(limit))


def require_memory(problem: Problem) -> None:
    """Raise a MemoryError if a few vectors of the length of w exceed the available memory.

    Even if there is memory for a few vectors, a run may later lack memory for its planes.
    """
    size = int(problem.size_joint_feature)
    what = (
        f"w has {size} entries in {type(problem).__name__}, and every solver holds {VECTORS} "
        "vectors of that length or more"
    )
    require_bytes(VECTORS * DOUBLE * size, what, SHORTER)


def require_bytes(needed: float, what: str, remedy: str) -> None:
    """Raise a MemoryError if the needed bytes exceed the available memory."""
    there = available_memory()
    if needed > there:
        raise MemoryError(
            f"{what}: {_gigabytes(needed)}, and there are {_gigabytes(there)}; {remedy}"
        )


def out_of_memory(solver: str, size: int, error: MemoryError) -> MemoryError:
    """Return a MemoryError that states the size of a solver's vectors, which are as long as w."""
    return MemoryError(
        f"{solver} ran out of memory ({error}): each of its planes and other vectors has the "
        f"length of w, {size} entries or {_gigabytes(DOUBLE * size)}; {SHORTER}, inputs in "
        "single precision, fewer jobs, or a solver that keeps fewer vectors: see the table of "
        "solvers in the documentation"
    )


def _gigabytes(count: float) -> str:
    return f"{count / 1e9:.3g} GB"
