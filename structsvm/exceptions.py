"""The errors of structsvm, and its warnings at the user's line.

All errors are ``ValueError`` too, so ``except ValueError`` catches them.
"""

import sys
import warnings


class StructSVMError(ValueError):
    """Base class of the errors that structsvm defines."""


class ProblemError(StructSVMError):
    """A problem breaks its contract, or an input has no output.

    The message names the method and, where known, the example.
    """


class InputError(StructSVMError):
    """An input has no output; the message says why, and the problem is not to blame."""


class InfeasibleConstraintsError(StructSVMError):
    """No w satisfies the problem's own linear constraints A w <= b."""


class ArchiveError(StructSVMError):
    """An object cannot be saved, or a file cannot be loaded; the message says why."""


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the user's line that called structsvm, however deep this call is."""
    frame, level = sys._getframe(1), 2
    ours = __package__, "contextlib"  # a context calls its own end
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in ours:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
