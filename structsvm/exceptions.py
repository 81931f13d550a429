"""What structsvm raises. All are ``ValueError`` too, so ``except ValueError`` catches bad input."""


class StructSVMError(ValueError):
    """Base class of the errors that structsvm raises on its own account."""


class ProblemError(StructSVMError):
    """A problem broke its contract; the message names the method and, where known, the example."""


class InfeasibleConstraintsError(StructSVMError):
    """No w satisfies the problem's own linear constraints A w <= b."""
