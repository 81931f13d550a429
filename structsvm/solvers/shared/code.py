"""Hashes of a problem's source code, by which a checkpoint detects edits."""

from __future__ import annotations

import hashlib
import inspect
import sys

from structsvm.contract.problem import Problem
from structsvm.exceptions import warn_user


def source_hashes(problem: Problem) -> dict[str, str]:
    """Return hashes of the source code of a problem's class and its base classes, by name.

    Classes of structsvm, Python and scikit-learn are left out. Instead of the code of structsvm, a
    checkpoint compares the version of structsvm. A warning names classes without source code, such
    as classes defined in a notebook.
    """
    hashes, unknown = {}, []
    known = {*sys.stdlib_module_names, *map(_root, Problem.__mro__)}
    for kind in type(problem).__mro__:
        if _root(kind) in known:
            continue
        try:
            source = inspect.getsource(kind)
        except (OSError, TypeError):
            unknown.append(kind.__qualname__)
        else:
            hashes[kind.__qualname__] = hashlib.sha256(source.encode()).hexdigest()
    if unknown:
        warn_user(
            f"the source of {', '.join(unknown)} cannot be read: a run that goes on from the "
            "checkpoint will not see whether it was edited; define it in a file, or remove the "
            "checkpoint after an edit"
        )
    return hashes


def _root(kind: type) -> str:
    """Return the name of the package that a class belongs to."""
    return kind.__module__.partition(".")[0]
