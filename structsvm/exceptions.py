"""The errors of structsvm. All are ``ValueError`` too, so ``except ValueError`` catches them."""


class StructSVMError(ValueError):
    """Base class of the errors that structsvm defines."""


class ProblemError(StructSVMError):
    """A problem breaks its contract; the message names the method and, where known, the example."""


class InfeasibleConstraintsError(StructSVMError):
    """No w satisfies the problem's own linear constraints A w <= b."""
