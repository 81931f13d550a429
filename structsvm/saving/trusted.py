"""The classes and functions that a file may name.

A file may name classes and functions of structsvm, and classes and functions that the user trusts.
A file may name most estimators of scikit-learn, and the classes of objects that scikit-learn keeps
inside its estimators.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Collection, Iterable
from contextlib import suppress
from functools import cache
from types import FunctionType
from typing import Any

import sklearn
from sklearn.base import BaseEstimator

from structsvm.exceptions import ArchiveError
from structsvm.saving import names
from structsvm.saving.names import OWN, place_of

#: The library whose estimators are trusted.
LIBRARY = "sklearn"
#: Its modules and packages with classes and functions that estimators contain. Functions of other
#: modules, such as functions that write files, could do harm when a model calls them.
PARTS = (
    "sklearn.calibration", "sklearn.feature_selection", "sklearn.gaussian_process.kernels",
    "sklearn.metrics", "sklearn.model_selection", "sklearn.utils._metadata_requests",
)  # fmt: skip

#: Base classes of estimators whose compiled code reads invalid memory, or ends the process, if
#: their arrays contradict each other.
UNCHECKED = {"BaseLibSVM", "NeighborsBase", "_BaseKMeans"}

#: A class or function.
Named = Any


class Trusted:
    """The trusted classes and functions, with methods to find each by its name.

    Parameters
    ----------
    given : iterable of classes and functions
        Classes and functions that are trusted in addition to those that are always trusted.
    packages : set of str
        Packages whose classes are also trusted, if the package is already imported.
    """

    def __init__(self, given: Iterable[Named] = (), packages: Collection[str] = ()) -> None:
        self._packages = packages
        several = isinstance(given, Iterable) and not isinstance(given, (str, type))
        listed = [*given] if several else [None]
        if not all(isinstance(named, (type, FunctionType)) for named in listed):
            raise TypeError(
                "trusted must be a list of classes and functions, such as [MyProblem]; got "
                f"{given!r:.60}"
            )
        self._given: dict[str, Named] = {place_of(named): named for named in listed}
        self._found = cache(self._look_up)  # a history uses the same class in each entry

    def find_class(self, name: Any) -> type:
        """Return the class with this name.

        Raise an ArchiveError if the class is not trusted.
        """
        found = self.find(name)
        if not isinstance(found, type):
            raise ArchiveError(f"{name} is a function where a class should be")
        return found

    def find(self, name: Any) -> Named:
        """Return the class or function with this name.

        Raise an ArchiveError if the class or function is not trusted.
        """
        if not isinstance(name, str) or name.count(":") not in (1, 2):
            raise ArchiveError(f"it names a class as {name!r:.80}")
        found = self._found(name)
        if found is None:
            raise ArchiveError(self._unknown([name]))
        return found

    def require(self, all_names: Iterable[str]) -> None:
        """Raise an ArchiveError that lists all untrusted names from foreign packages."""
        unknown = [name for name in all_names if _root(name) != OWN and self._found(name) is None]
        if unknown:
            raise ArchiveError(self._unknown(unknown))

    def _look_up(self, name: str) -> Named | None:
        module, _, path = name.partition(":")
        root = _root(name)
        if root == OWN and not self._packages:
            found = names.find(name)
        else:
            found = _of_library(module, path) if root in (OWN, LIBRARY) else None
        if found is None and root != OWN:
            found = self._find_given(module, path)
        return found if isinstance(found, (type, FunctionType)) else None

    def _unknown(self, missing: list[str]) -> str:
        """Return the text that ends a message about untrusted names."""
        if _root(missing[0]) == OWN:
            return f"it holds a {missing[0]}, which this version of structsvm does not have"
        needed = [named.__qualname__ for named in self._given.values()]
        needed += [name.partition(":")[2] for name in missing]
        known = "part of structsvm"
        if all(_root(name) == LIBRARY for name in missing):
            known = "an estimator of scikit-learn that any file may hold"
        return (
            f"it holds {', '.join(missing)}, not {known}. If you know and trust these classes or "
            f"functions, pass them: structsvm.load(path, trusted=[{', '.join(needed)}])"
        )

    def _find_given(self, module: str, path: str) -> Named:
        """Return the class or function with this name if the user trusts it or its package.

        If only one trusted class has the name, the module is not compared, because the module of a
        class changes when its script is imported.
        """
        if (name := f"{module}:{path}") in self._given:
            return self._given[name]
        if _root(module) in self._packages and module in sys.modules:
            return _within(sys.modules[module], path)
        alike = [named for named in self._given.values() if named.__qualname__ == path]
        return alike[0] if len(alike) == 1 else None


def _of_library(module: str, path: str) -> Named:
    """Return a trusted class or function of structsvm or scikit-learn, or None.

    Only public packages of scikit-learn are imported, because a file could name any module.
    """
    package = module.split(".")[:2]
    if package[0] == LIBRARY and package[-1] in sklearn.__all__:
        with suppress(ImportError):
            importlib.import_module(".".join(package))
    found = _within(sys.modules.get(module), path)
    if isinstance(found, type):
        estimator = issubclass(found, BaseEstimator)
        safe = estimator and UNCHECKED.isdisjoint(base.__name__ for base in found.__mro__)
        trusted = place_of(found) == f"{module}:{path}" and (safe or _is_known(module))
    else:
        trusted = isinstance(found, FunctionType) and _is_public(module, path) and _is_known(module)
    return found if trusted else None


def _is_known(module: str) -> bool:
    """Whether all classes and public functions of the module are always trusted."""
    return any(module == known or module.startswith(f"{known}.") for known in (OWN, *PARTS))


def _within(module: Any, path: str) -> Named:
    """Return the value of a name in a module, or None if the module does not have the name."""
    found = module
    for part in path.split("."):
        found = getattr(found, "__dict__", {}).get(part)
    return found


def _is_public(module: str, name: str) -> bool:
    """Whether a parent package of the module exports ``name``."""
    parts = module.split(".")
    above = [sys.modules[".".join(parts[:k])] for k in range(1, len(parts))]
    return any(name in getattr(package, "__all__", ()) for package in above)


def _root(name: str) -> str:
    """Return the top-level package of a name."""
    return name.partition(":")[0].partition(".")[0]
