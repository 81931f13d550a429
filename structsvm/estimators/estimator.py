"""Estimator: the base class of all estimators, with the steps from data to a fitted model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from sklearn.exceptions import ConvergenceWarning

from structsvm.bases import CallbackSupportMixin, HasParameters
from structsvm.data.arrays import Self
from structsvm.data.blocks import BlockFiles, Blocks
from structsvm.data.containers import listed
from structsvm.data.conversion import require_same_index
from structsvm.estimators.encoding import Encoded, Encoding
from structsvm.exceptions import warn_user
from structsvm.results.status import Outcome, Status

#: The name Y of the outputs in messages of problems and solvers, but not a label 'Y'.
OUTPUTS = re.compile(r"(?<![\w'\"])Y(?![\w'\"])")


@dataclass(kw_only=True, eq=False, repr=False)
class Estimator(CallbackSupportMixin, HasParameters):
    """The base class of all estimators, including clusterers.

    Every fit checks the parameters, learns an encoding of the data, trains, and keeps the result.

    Parameters
    ----------
    max_iter : int, optional
        Largest number of passes over the data, >= 1. Default: the default of the chosen solver.
    time_limit : float, optional
        Limit of the wall time in seconds, > 0, tested after every pass. Default: no limit.
    verbose : bool, default=False
        Whether to show a progress bar with the gap.

    Attributes
    ----------
    result_ : Result
        The result of the training, with objective, gap, status and guarantee.
    n_iter_ : int
        Number of passes over the data.
    """

    max_iter: int | None = None
    time_limit: float | None = None
    verbose: bool = False

    #: Values of scikit-learn's tags for X and y.
    _takes_matrix, _takes_sparse = True, False
    _requires_y = _has_several_outputs = False
    #: During a fit with callbacks of scikit-learn, the one of ours that calls them.
    _fit_task: ClassVar[Any] = None

    # ------------------------------------------------------------------ hooks

    def _require_parameters(self) -> None:
        """Raise an error if a parameter has a value that is invalid for any data."""

    def _new_encoding(self) -> Encoding:
        """Return a new encoding with the parameters of this estimator."""
        return Encoding()

    def _given(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        """Check X and y, and return them for the encoding."""
        return listed(X), listed(y)

    def _trained(self, *data: Any, **options: Any) -> tuple[Any, Any]:
        """Train on encoded data with options of ``fit``, and return the problem and the result."""
        raise NotImplementedError

    def _keep(self, problem: Any, result: Any, data: Encoded) -> None:
        """Store the model trained on ``data`` in attributes."""
        self.problem_: Any = problem
        self.result_: Outcome = result
        self.n_iter_: int = result.iterations

    # ------------------------------------------------------------------ the one fit

    @contextmanager
    def _fitting(
        self, X: Any, y: Any, sample_weight: Any = None, prior: Any = None
    ) -> Iterator[Encoded]:
        """Yield the encoded data to a ``with`` block that trains and keeps a model.

        If the block raises an error, the estimator's attributes are restored. If the run did not
        converge, the block ends with a warning. ``prior`` is a fitted estimator or None.
        """
        with ExitStack() as opened:
            opened.enter_context(outputs_called_y(self))
            if "_skl_callbacks" in vars(self):
                from structsvm.estimators.fit_task import fit_task

                opened.enter_context(fit_task(self, X, y, sample_weight))
            encoding = self._new_encoding()
            if isinstance(X, Blocks):
                if y is not None or sample_weight is not None:
                    raise ValueError("Blocks hold X and y; give no y, and no sample_weight")
                if encoding.learn_blocks is None:
                    raise ValueError("only ChainSVM and MulticlassSVM take Blocks; give X and y")
                files = BlockFiles(opened.enter_context(TemporaryDirectory(prefix="structsvm-")))
                with X.naming_errors():
                    data = encoding.learn_blocks(X.read(self._given), files, prior)
            else:
                require_same_index("y", y, "X", X)
                require_same_index("sample_weight", sample_weight, "X", X)
                data = encoding.learn(*self._given(X, y, reset=True), sample_weight, prior)
            self._encoding: Any = encoding
            vars(self).update(encoding.attributes())
            yield data
        warn_unless_converged(self.result_)

    def _fit(self, X: Any, y: Any, **options: Any) -> Self:
        """Encode the data, call ``_trained``, and keep the model."""
        with self._fitting(X, y) as data:
            self._keep(*self._trained(data, **options), data)
        return self

    def _encoded(self, X: Any, y: Any = None, sample_weight: Any = None) -> Encoded:
        """Encode examples for the problem, as ``fit`` does."""
        require_same_index("y", y, "X", X)
        require_same_index("sample_weight", sample_weight, "X", X)
        encoding: Encoding = self._encoding
        return encoding.encode(*self._given(X, y, reset=False), sample_weight)

    # ------------------------------------------------------------------ scikit-learn's manners

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        of_X, of_y = tags.input_tags, tags.target_tags
        of_X.two_d_array, of_X.sparse = self._takes_matrix, self._takes_sparse
        of_y.required, several = self._requires_y, self._has_several_outputs
        of_y.multi_output, of_y.single_output = several, not several
        return tags

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = super()._repr_mimebundle_(**options)
        if "text/html" in bundle and hasattr(self, "result_"):
            bundle["text/html"] += self.result_._repr_html_()
        return bundle


def warn_unless_converged(result: Outcome) -> None:
    """Warn with a ConvergenceWarning, which shows the status, if a run did not converge."""
    if result.status not in (Status.CONVERGED, Status.STOPPED, Status.EARLY_STOPPED):
        warn_user(
            f"{result.status.name}: {result.message} (gap {result.gap:.3g}, tolerance "
            f"{result.tolerance:.3g}, primal {result.primal:.6g})",
            ConvergenceWarning,
        )


@contextmanager
def outputs_called_y(kept: Any = None) -> Iterator[None]:
    """Replace Y by y in the messages of errors that the ``with`` block raises.

    If the ``with`` block raises an error, the estimator ``kept`` gets back the attributes that it
    had before the block.
    """
    before = None if kept is None else dict(vars(kept))
    try:
        yield
    except BaseException as error:
        if error.args and isinstance(error.args[0], str):
            error.args = (OUTPUTS.sub("y", error.args[0]), *error.args[1:])
        if kept is not None:
            kept.__dict__ = before
        raise
