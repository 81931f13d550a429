"""The errors of structsvm, and warnings that show a line of the user's code.

All errors derive from ``ValueError`` and are therefore caught by ``except ValueError``.
"""

import sys
import warnings


class StructSVMError(ValueError):
    """The base class of the errors that structsvm defines."""


class ProblemError(StructSVMError):
    """The error for a problem that breaks its contract, or for an input that has no output.

    The message names the method and, if known, the example.
    """


class InputError(StructSVMError):
    """The error for an input that has no output.

    An InputError means that the input is at fault, not the problem.
    """


class InfeasibleConstraintsError(StructSVMError):
    """The error for a problem with linear constraints A w <= b that no w satisfies."""


class ArchiveError(StructSVMError):
    """The error for an object that cannot be saved, or for a file that cannot be loaded."""


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning that shows the line of the user's code from which structsvm was called."""
    frame, level = sys._getframe(1), 2
    ours = __package__, "contextlib"  # the end of a context is called from contextlib
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in ours:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
