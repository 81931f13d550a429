"""The errors of structsvm, and warnings that point to the user's line.

All errors derive from ``ValueError``, so ``except ValueError`` catches them.
"""

import sys
import warnings


class StructSVMError(ValueError):
    """The base class of the errors that structsvm defines."""


class ProblemError(StructSVMError):
    """The error about a problem that breaks its contract, or an input that has no output.

    The message names the method and, if it is known, the example.
    """


class InputError(StructSVMError):
    """The error about an input that has no output; the problem is not to blame."""


class InfeasibleConstraintsError(StructSVMError):
    """The error about linear constraints A w <= b of a problem that no w satisfies."""


class ArchiveError(StructSVMError):
    """The error about an object that cannot be saved, or a file that cannot be loaded."""


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the user's code that called structsvm, at any depth of calls."""
    frame, level = sys._getframe(1), 2
    ours = __package__, "contextlib"  # the end of a context is called from contextlib
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in ours:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
