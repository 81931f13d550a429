"""Checks of the calibration data."""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.conformal.deficits import Deficits
from structsvm.conformal.levels import Levels
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.data.arrays import Indices
from structsvm.data.containers import n_examples
from structsvm.data.names import shown
from structsvm.exceptions import warn_user
from structsvm.task.spot_checks import sketch

#: Number of training inputs that may occur among other data by chance.
FEW = 5


def require_known_outputs(estimator: Any, X: Any, y: Any) -> None:
    """Raise a ValueError if y is None, or if the estimator is not supervised."""
    name = type(estimator).__name__
    if getattr(estimator, "_bound", None) is None:
        raise ValueError(
            f"Conformal needs an estimator that predicts an output for each input and is trained "
            f"on known ones, such as ChainSVM or StructuredSVM; got {name}. Of a pipeline give "
            "the last step, and X as the steps before transform it"
        )
    if hasattr(X, "columns") and not estimator._takes_matrix:
        raise ValueError(
            "X must be a list of examples; got one table: make a list of its groups, with a list "
            "of outputs for each"
        )
    if y is None:
        raise ValueError("Conformal compares predictions with true outputs; y is None")


def require_whole_outputs(estimator: Any) -> None:
    """Raise a ValueError if some training outputs were partly unknown."""
    if isinstance(estimator.problem_, SelfLabelledProblem):
        raise ValueError(
            f"the outputs of {type(estimator).__name__} are partly hidden, so that no set can be "
            "seen to hold them; Conformal needs examples whose outputs are known"
        )


def warn_of_trained_examples(estimator: Any, X: Any) -> None:
    """Warn if the data contain many of the training inputs that the estimator remembers.

    The warning requires at least five training inputs among the data. The data must also contain
    more than a quarter of the remembered inputs that training data of the same size would contain
    on average. A few new inputs, such as very short sentences, may equal training inputs by chance.
    """
    inputs = estimator._encoded(X).X
    known = [found for found in estimator._remembered if found is not None]
    own = [sketch(inputs[i]) for i in range(n_examples(inputs))]
    again = sum(found in own for found in known)
    share = min(1.0, len(own) / estimator.result_.n_examples)
    if again >= FEW and again > share * len(known) / 4:
        warn_user(
            f"{again} of {len(known)} training inputs that were remembered are among the "
            "calibration data: the outputs of what was trained on fit better than those of new "
            "inputs, and the sets will cover less than asked; calibrate on data that were kept "
            "back, or give an estimator to be trained and cv=5"
        )


def require_parts(deficits: Deficits) -> None:
    """Raise a ValueError if the outputs have no parts."""
    if deficits.tables is None:
        raise ValueError(
            "the outputs of this problem have no parts of which some may be missed; leave risk "
            "out, and set coverage"
        )


def require_attainable(levels: list[Levels], least: float) -> None:
    """Raise a ValueError if too many of the true outputs can never be predicted."""
    never = sum(float(own.above(np.array(np.inf))) for own in levels)
    if never > least:
        raise ValueError(
            f"{never:.4g} calibration examples, in the weight of their outputs or parts, are never "
            f"predicted, and {max(least, 0):.4g} may be missed: ask for less, or train on data "
            "that have such labels"
        )


def require_same_labels(estimator: Any, others: list[Any]) -> None:
    """Raise a ValueError if the estimator of a fold has not seen all labels of the data."""
    every = getattr(estimator.problem_, "classes_", None)
    for other in others:
        if every is not None and not np.array_equal(every, other.problem_.classes_):
            raise ValueError(
                "the training data of a fold lack labels that others have; leave out labels that "
                "occur less than twice, or give cv a splitter that spreads them over the folds"
            )


def warn_of_missing_labels(deficits: Deficits, places: Indices) -> None:
    """Warn about classes of the estimator that occur in no true output of the calibration data."""
    names: Any = deficits.names(0)[0]
    if names is not getattr(deficits.estimator, "classes_", ()):
        return
    missing = np.delete(names, np.unique(places[places >= 0]) % len(names))
    if len(missing):
        warn_user(
            f"the calibration data have no example of {shown(missing.tolist())}: the coverage is "
            "one on average, and says nothing of outputs with such labels"
        )
