"""The prediction for one input, and the output with which the prediction is compared."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from structsvm.conformal.deficits import tables
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Vector
from structsvm.data.names import shown
from structsvm.task.task import Task


class Contrast(NamedTuple):
    """One input, its prediction, and the output with which the prediction is compared.

    Attributes
    ----------
    x : input
    prediction, other : outputs
    texts : tuple
        The prediction and the alternative output in the form of the user's data.
    """

    x: Any
    prediction: Any
    other: Any
    texts: tuple[Any, Any]


def contrast(estimator: Any, x: Any, instead: Any) -> Contrast:
    """Return the prediction for x and the alternative, with ``instead`` as in :func:`.explain`."""
    if getattr(estimator, "_alone", None) is None:
        raise ValueError(
            "an explanation needs an estimator that trains a problem on examples, such as ChainSVM "
            f"or StructuredSVM; got {type(estimator).__name__}"
        )
    check_is_fitted(estimator, "w_")
    try:
        data = estimator._alone(x, None if isinstance(instead, dict) else instead)
        task = estimator.problem_.task(data.X, data.Y)
        (prediction,) = task.decode(estimator.w_)
    except (TypeError, ValueError) as error:
        one = "explain takes one input, such as X[0], and instead in the form of y[0]"
        raise ValueError(f"{error} ({one})") from error
    other, decoded = _other(estimator, task, prediction, instead), estimator._encoding.decoded
    return Contrast(data.X[0], prediction, other, (decoded([prediction])[0], decoded([other])[0]))


def _other(estimator: Any, task: Task, prediction: Any, instead: Any) -> Any:
    """Return the output with which the prediction is compared."""
    if not (instead is None or isinstance(instead, dict)):
        known_in_part = isinstance(task.problem, SelfLabelledProblem)
        return (task.impute(estimator.w_) if known_in_part else task.Y)[0]
    if task.decode_with is None:
        raise ValueError(
            f"{type(task.problem).__name__} has no search for the runner-up; give the output to "
            "compare the prediction with, by instead"
        )
    if instead is None:
        return runner_up(task, estimator.w_, prediction)
    return best_with(estimator, task, instead)


def runner_up(task: Task, w: Vector, prediction: Any) -> Any:
    """Return the second-best output: the best of the outputs that differ from the prediction."""
    own = task.part_places([prediction])[0]
    deficits = (tables(task, w) or [])[0].ravel()
    deficits[own[own >= 0]] = np.inf
    place = int(deficits.argmin())
    if np.isinf(deficits[place]):
        raise ValueError(
            "x has no other output than the prediction, so there is nothing to compare"
        )
    return task.decode_with(w, [place])[0]


def best_with(estimator: Any, task: Task, part: dict[Any, Any]) -> Any:
    """Return the highest-scoring output that contains a given part.

    If ``part`` is invalid, or if no output matches ``part``, raise a ValueError.
    """
    names = [list(estimator._encoding.decoded(own)) for own in task.part_names(0)]
    slot, name = next(iter(part.items()), (-1, None))
    if len(part) != 1 or slot not in range(len(names)) or name not in names[slot]:
        raise ValueError(
            "instead, as a dict, must hold one part by its slot, from 0 to "
            f"{len(names) - 1}, and a part such as {shown(names[0])}; got {part!r:.60}"
        )
    place = slot * max(map(len, names)) + names[slot].index(name)
    other = task.decode_with(estimator.w_, [place])[0]
    if other is None or place not in task.part_places([other])[0]:
        raise ValueError(f"no output of x has the part {name!r} in slot {slot}")
    return other
