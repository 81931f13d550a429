"""Something public to call, with good arguments and bad ones, and what a sane result is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.robustness._pool import Make, Pool

Arguments = dict[str, Any]


class Target(NamedTuple):
    """Something public to call.

    Attributes
    ----------
    name : str
    good : dict
        For each argument a function that makes a good value.
    pools : dict
        For each argument the bad values.
    call : callable
        Called with the arguments; raises :class:`Insane` where the result makes no sense.
    """

    name: str
    good: dict[str, Make]
    pools: dict[str, Pool]
    call: Callable[[Arguments], None]


class Insane(Exception):
    """A result without an error that cannot be true."""


def require_sane(found: Any, n: int | None = None) -> None:
    """Raise Insane where a result has another length, or holds NaN."""
    if n is not None and len(found) != n:
        raise Insane(f"{len(found)} results for {n} rows")
    array = np.asarray(found)
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise Insane("the result holds NaN")


def require_sane_result(result: Any) -> None:
    """Raise Insane where a certificate holds NaN, or claims a negative gap."""
    require_sane([result.primal, result.gap])
    require_sane(getattr(result, "w", np.zeros(1)))
    if result.status.name == "CONVERGED" and not np.isfinite(result.primal):
        raise Insane(f"CONVERGED at an objective of {result.primal}")


def require_sane_rows(estimator: Any, X: Any, query: Any) -> None:
    if hasattr(estimator, "labels_"):
        require_sane(estimator.labels_, length(X))
    if hasattr(estimator, "result_"):
        require_sane_result(estimator.result_)
    for name in ("coef_", "intercept_", "probabilities_", "objective_"):
        if hasattr(estimator, name):
            require_sane(getattr(estimator, name))
    if hasattr(estimator, "predict"):
        require_sane(estimator.predict(query), length(query))
    for name in ("decision_function", "predict_proba", "transform"):
        if hasattr(estimator, name):
            require_sane(dense(getattr(estimator, name)(query)), length(query))


def length(data: Any) -> int:
    return int(data.shape[0]) if hasattr(data, "shape") else len(data)


def dense(found: Any) -> Any:
    return found.toarray() if hasattr(found, "toarray") else found
