"""The table of default parameters that decide how well an estimator predicts."""

import inspect

from sklearn.base import BaseEstimator

import structsvm
from benchmarks.tables.table import markdown

SHOWN = ("C", "fit_intercept", "pair_scale", "kernel", "search")


def text():
    """A row for each estimator that has a C."""
    return markdown(
        [{"Estimator": f"`{name}`", "Defaults": defaults(kind)} for name, kind in estimators()]
    )


def estimators():
    for module in (structsvm, structsvm.problems):
        for name in module.__all__:
            kind = getattr(module, name)
            is_one = inspect.isclass(kind) and issubclass(kind, BaseEstimator)
            if is_one and "C" in inspect.signature(kind).parameters:
                yield name, kind


def defaults(kind):
    parameters = inspect.signature(kind).parameters
    stated = [f"`{name}={parameters[name].default!r}`" for name in SHOWN if name in parameters]
    return ", ".join(stated)
