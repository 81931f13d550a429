"""The choice of the examples that early stopping holds out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import shorten
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from structsvm.data.arrays import Indices
from structsvm.data.containers import require_examples
from structsvm.data.validation import checked_random_state, require_flag, require_number
from structsvm.estimators.encoding import Encoded
from structsvm.solvers.shared.early_stopping import EarlyStopping

#: Largest number of characters of the reason in a message.
REASON = 300


@contextmanager
def about_held_out() -> Iterator[None]:
    """Put "in X_val and y_val" before the message of a ValueError from the ``with`` block."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"in X_val and y_val: {error}") from error


def require_held_out(early_stopping: Any, X_val: Any, y_val: Any) -> None:
    """Raise a ValueError if the user's held-out examples are incomplete, or would not be used."""
    require_flag("early_stopping", early_stopping)
    if X_val is None and y_val is None:
        return
    if not early_stopping:
        raise ValueError("held-out examples are given; set early_stopping=True to use them")
    if X_val is None or y_val is None:
        raise ValueError(
            "X_val and y_val, held-out inputs and their outputs, must be given both, or neither"
        )


def rule_of_early_stopping(
    estimator: Any, data: Encoded, held_out: Encoded | None
) -> tuple[EarlyStopping, Indices | None]:
    """Return an EarlyStopping, and the indices of the examples of ``data`` that it holds out.

    If the user passes held-out examples as ``held_out``, no examples of ``data`` are held out, and
    None is returned in place of the indices.
    """
    patience = estimator.n_iter_no_change
    if held_out is not None:
        require_examples(held_out.X, "X_val", y_val=held_out.Y)
        return EarlyStopping(held_out.X, held_out.Y, patience), None
    if data.Y is None:
        raise ValueError(
            "early_stopping=True compares predictions with y, which is None; give examples "
            "with known outputs as X_val and y_val, or set early_stopping=False"
        )
    n = require_examples(data.X, y=data.Y)
    labels = data.Y if estimator.stratified else None
    places = _drawn(n, labels, estimator.validation_fraction, estimator.random_state)
    X, Y, weights, _ = data.part(places)
    return EarlyStopping(X, Y, patience, weights), places


def _drawn(n: int, labels: Any, fraction: Any, random_state: Any) -> Indices:
    """Draw a fraction of n examples at random, stratified by their labels."""
    require_number("validation_fraction", fraction, "> 0 and < 1")
    generator = checked_random_state(random_state)
    try:
        _, held_out = train_test_split(
            np.arange(n), test_size=fraction, random_state=generator, stratify=labels
        )
    except ValueError as error:
        reason = shorten(str(error), REASON, placeholder=" ...")  # it may list all classes
        raise ValueError(
            f"of {n} examples a fraction of {fraction:g} cannot be held out "
            f"for early stopping: {reason}\nGive more examples, or some to hold out as X_val "
            "and y_val, or set early_stopping=False"
        ) from error
    return np.sort(held_out)
