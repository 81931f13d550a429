"""Typed versions of scikit-learn's base classes, and the base class of structsvm's classes.

scikit-learn has no types. If classes inherited from classes without types, mypy would accept any
attribute of a subclass and any keyword in its constructor.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from structsvm.data.arrays import Self
from structsvm.other_names import parameter_advice

MYPY = False  # mypy assumes True; other type checkers do not
if MYPY:

    class BaseEstimator:
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def get_metadata_routing(self) -> Any: ...
        def __sklearn_tags__(self) -> Any: ...
        def __setstate__(self, state: Any) -> None: ...
        def _repr_mimebundle_(self, **options: Any) -> Any: ...

    class CallbackSupportMixin:
        def set_callbacks(self, *callbacks: Any) -> Self: ...

    class ClassifierMixin:
        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

    class ClassNamePrefixFeaturesOutMixin:
        def get_feature_names_out(self, input_features: Any = None) -> Any: ...

    class ClusterMixin: ...

    class RegressorMixin:
        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

    class TransformerMixin:
        def fit_transform(self, X: Any, y: Any = None) -> Any: ...
        def set_output(self, *, transform: Any = None) -> Self: ...

else:
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin,
        ClassNamePrefixFeaturesOutMixin,
        ClusterMixin,
        RegressorMixin,
        TransformerMixin,
    )

    try:
        from sklearn.callback import CallbackSupportMixin
    except ImportError:  # before scikit-learn 1.9

        class CallbackSupportMixin:
            """An empty mixin for versions of scikit-learn without callbacks."""

            def set_callbacks(self) -> Self:
                return self


__all__ = [
    "CallbackSupportMixin",
    "ClassNamePrefixFeaturesOutMixin",
    "ClassifierMixin",
    "ClusterMixin",
    "HasParameters",
    "RegressorMixin",
    "TransformerMixin",
]


class ConstructorSignature:
    """The signature of a class, taken from ``__init__``.

    Without this class, ``inspect.signature`` of Python 3.10 would return the signature of
    ``__new__``.
    """

    def __get__(self, instance: Any, kind: Any) -> inspect.Signature:
        if instance is not None:
            raise AttributeError("an instance has no signature")
        if kind.__init__ is object.__init__:
            return inspect.Signature()
        known = inspect.signature(kind.__init__)
        return known.replace(parameters=[*known.parameters.values()][1:])  # without self


class HasParameters(BaseEstimator):
    """The base class of problems, solvers and estimators, with helpful errors about parameters."""

    if not TYPE_CHECKING:  # type checkers use the types of the constructors

        def __new__(cls, *args: Any, **params: Any) -> Any:
            if not params.keys() <= parameters_of(cls):
                require_parameters(cls, params)
            # object refuses arguments if the class has no constructor, as is usual in Python.
            return super().__new__(cls, *(args if cls.__init__ is object.__init__ else ()))

        __signature__ = ConstructorSignature()


@cache
def parameters_of(kind: type) -> frozenset[str]:
    """Return the names of a constructor's parameters."""
    return frozenset(inspect.signature(kind).parameters)


def require_parameters(kind: type, names: Iterable[str]) -> None:
    """Raise a TypeError if a name is not a parameter of the class's constructor."""
    known = inspect.signature(kind).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        return
    for name in names:
        if name not in known:
            advice = parameter_advice(name, kind, [*known])
            raise TypeError(f"{kind.__name__} has no parameter {name!r}: {advice}")
