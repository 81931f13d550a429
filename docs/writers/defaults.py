"""The default parameters that decide how well an estimator predicts."""

import inspect

import structsvm

from .estimators import reference
from .families import bundled
from .table import two_columns

SHOWN = ("C", "fit_intercept", "pair_scale", "kernel", "search")


def text():
    """A row for each estimator that has a C."""
    kinds = [structsvm.StructuredSVM, structsvm.LatentSVM, *bundled(has_c)]
    rows = [(reference(kind), defaults(kind)) for kind in kinds]
    return two_columns("Estimator", "Defaults", rows)


def has_c(kind):
    return (
        inspect.isclass(kind) and hasattr(kind, "fit") and "C" in inspect.signature(kind).parameters
    )


def defaults(kind):
    parameters = inspect.signature(kind).parameters
    stated = [f"`{name}={parameters[name].default!r}`" for name in SHOWN if name in parameters]
    return ", ".join(stated)
