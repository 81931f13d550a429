"""A callback that reports each pass of a fit to scikit-learn's callbacks."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.callback import ScoringMonitor, with_callbacks

from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Vector
from structsvm.data.blocks import Blocks
from structsvm.estimators.encoding import Encoded
from structsvm.results.callbacks import Callback, Callbacks, as_list
from structsvm.results.result import Result
from structsvm.results.status import Iteration, Status, guarantee_of


class FitTask(Callback):
    """A callback of a run, which calls the scikit-learn callbacks that are set on an estimator.

    Parameters
    ----------
    estimator : Estimator
    X, y, sample_weight : the data of the fit
    """

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self.scores = any(isinstance(one, ScoringMonitor) for one in estimator._skl_callbacks)
        if self.scores and isinstance(X, Blocks):
            raise ValueError(
                "ScoringMonitor needs all examples in memory: leave it out with Blocks"
            )
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        self.estimator = estimator
        self.given = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}
        self.context = estimator._init_callback_context(max_subtasks=None)
        self.context.call_on_fit_task_begin(**self.given)
        self.subtask: Any = None

    def of(self, problem: Any, data: Encoded, callback: Callbacks) -> list[Any]:
        """Return a list of the user's callbacks and this FitTask, for a run of a solver."""
        self.problem, self.data = problem, data
        self.subtask = self.subtask or self._begun()
        return [*as_list(callback), self]

    def __call__(self, iteration: Iteration, w: Vector) -> bool:
        """End the subtask of this pass, and begin the subtask of the next pass."""
        if not iteration.best_primal < iteration.primal < math.inf:  # keep w of a better pass
            self.w = w
        self.iteration = iteration
        try:
            stops: bool = self.subtask.call_on_fit_task_end(
                reconstruction_attributes=self._attributes, **self.given
            )
        except Exception as error:
            if not self.scores:
                raise
            raise ValueError(
                "ScoringMonitor may need scoring=f, where f(model, X, y, **given) returns "
                f"{{'score': model.score(X, y, **given)}}; {type(error).__name__}: {error}"
            ) from error
        self.subtask = self._begun()
        return stops

    def close(self) -> None:
        """End the subtask that began after the last pass, and then end the task."""
        if self.subtask is not None:
            self.subtask.call_on_fit_task_end(estimator=self.estimator)
        self.context.call_on_fit_task_end(reconstruction_attributes={}, **self.given)

    def _begun(self) -> Any:
        return self.context.subcontext("pass").call_on_fit_task_begin(**self.given)

    def _attributes(self) -> dict[str, Any]:
        """Return the attributes that the estimator would have if the fit ended with this pass."""
        model, done = copy.copy(self.estimator), self.iteration
        model._fit_task = None
        result = Result(
            w=self.w, primal=done.best_primal, dual=done.dual, gap=done.gap, tolerance=math.nan,
            status=Status.STOPPED,
            guarantee=guarantee_of(self.problem, isinstance(self.problem, SelfLabelledProblem)),
            iterations=done.iteration, oracle_calls=done.oracle_calls,
            seconds={"total": done.seconds}, history=(done,), labels=None, support=None,
            multipliers=np.zeros(0), n_examples=len(self.data.weights), rounding=0.0, C=model.C_,
            loss=getattr(model.solver, "loss", model.loss),
        )  # fmt: skip
        model._keep(self.problem, result, self.data)
        return {**vars(model)}


@contextmanager
def fit_task(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Iterator[None]:
    """Set ``estimator._fit_task`` in the context, to report the fit to scikit-learn's callbacks."""
    try:
        task = estimator._fit_task = FitTask(estimator, X, y, sample_weight)
        yield
        del estimator._fit_task
        task.close()
    finally:
        tear_down(estimator)


#: scikit-learn tears its callbacks down after a method that it decorates, here an empty one.
tear_down = with_callbacks(lambda estimator: None)
