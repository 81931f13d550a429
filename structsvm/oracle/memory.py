"""The memory that every run needs, and the memory there is; errors if it is not enough."""

from __future__ import annotations

import math
import os

from structsvm.contract.problem import Problem

#: Vectors as long as w, at least, that a run holds at the same time, whatever the solver.
VECTORS = 5
#: Bytes of a number in double precision.
DOUBLE = 8
#: Advice for a shorter w.
SHORTER = "use fewer features, by selecting or hashing them, or fewer classes"


def available_memory() -> float:
    """The bytes of this machine's memory, or of the limit on this process; infinite if unknown."""
    try:
        physical = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):  # not on every platform
        physical = math.inf
    try:
        import resource
    except ImportError:  # on Windows
        return physical
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return physical if limit == resource.RLIM_INFINITY else min(physical, float(limit))


def require_memory(problem: Problem) -> None:
    """Raise a MemoryError where a few vectors as long as w are more than the memory there is.

    The solvers hold more than these, so a run that passes may still need too much.
    """
    size = int(problem.size_joint_feature)
    what = (
        f"w has {size} entries in {type(problem).__name__}, and every solver holds {VECTORS} "
        "vectors of that length or more"
    )
    require_bytes(VECTORS * DOUBLE * size, what, SHORTER)


def require_bytes(needed: float, what: str, remedy: str) -> None:
    """Raise a MemoryError where these bytes are more than the memory there is."""
    there = available_memory()
    if needed > there:
        raise MemoryError(
            f"{what}: {_gigabytes(needed)}, and there are {_gigabytes(there)}; {remedy}"
        )


def out_of_memory(solver: str, size: int, error: MemoryError) -> MemoryError:
    """The error that says what takes the memory: vectors as long as w, many for some solvers."""
    return MemoryError(
        f"{solver} ran out of memory ({error}): each of its planes and other vectors has the "
        f"length of w, {size} entries or {_gigabytes(DOUBLE * size)}; {SHORTER}, inputs in "
        "single precision, fewer jobs, or a solver that keeps fewer vectors: see the table of "
        "solvers in the documentation"
    )


def _gigabytes(count: float) -> str:
    return f"{count / 1e9:.3g} GB"
