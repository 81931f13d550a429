"""The names of classes and functions in files.

A class or function of structsvm is stored under the package that exports it. If no package exports
a class or function, the dictionary ``PLACES`` gives the stored name. If an exported or listed class
moves to a different module, old files can still be loaded. A class of structsvm.problems that is
neither exported nor listed is stored under its module and its name, such as
'matching.scales:FeatureScales'. If a class without a listed name moves to a different module, its
old name must be listed. A class or function outside structsvm is stored under its module and its
name.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any

#: The package whose classes and functions have public names.
OWN = __name__.partition(".")[0]
#: The packages that may occur in names of structsvm. Loading a file imports no other module of it.
PACKAGES = (OWN, *(f"{OWN}.{own}" for own in ("conformal", "features", "planes", "problems")))
#: For a name that only files use, the module and name of a class that no package exports.
PLACES = {
    f"{OWN}:ColumnScales": f"{OWN}.data.column_scales:ColumnScales",
    f"{OWN}:Columns": f"{OWN}.data.columns:Columns",
    f"{OWN}:Encoding": f"{OWN}.estimators.encoding:Encoding",
    f"{OWN}:Joined": f"{OWN}.data.containers:Joined",
    f"{OWN}:Ragged": f"{OWN}.data.ragged:Ragged",
    f"{OWN}:ScaledColumns": f"{OWN}.estimators.encoding:ScaledColumns",
    f"{OWN}:Spans": f"{OWN}.data.examples:Spans",
    f"{OWN}.conformal:Confidence": f"{OWN}.conformal.confidence:Confidence",
    f"{OWN}.conformal:Levels": f"{OWN}.conformal.levels:Levels",
    f"{OWN}.features:Kernel": f"{OWN}.features.kernels:Kernel",
    f"{OWN}.features:Vocabulary": f"{OWN}.features.vocabulary:Vocabulary",
    f"{OWN}.features:Vectors": f"{OWN}.features.vocabulary:Vectors",
}


def register(package: str, places: Mapping[str, str]) -> None:
    """Register the names that files use for classes that a package does not export.

    The dictionary ``places`` maps each name to 'module:class', with the module relative to the
    package.
    """
    PLACES.update({f"{package}:{name}": f"{package}.{at}" for name, at in places.items()})


def place_of(named: Any) -> str:
    """Return the module and the name of a class or function."""
    return f"{named.__module__}:{named.__qualname__}"


@cache
def name_of(named: Any) -> str | None:
    """Return the name that files use for a class or function, or None if there is no such name."""
    place, packages = place_of(named), named.__module__.split(".")
    if packages[0] != OWN:
        return place
    for depth in (1, 2):
        name = f"{'.'.join(packages[:depth])}:{named.__qualname__}"
        if find(name) is named:
            return name
    own = f"{PACKAGES[-1]}:{place.removeprefix(f'{PACKAGES[-1]}.')}"
    listed = next((name for name, known in PLACES.items() if known == place), None)
    return listed or (own if find(own) is named else None)


def find(name: str) -> Any:
    """Return the object of structsvm for a name in a file, or None if there is none."""
    package, _, own = name.partition(":")
    if package not in PACKAGES:
        return None
    exported = import_module(package).__all__  # the import may register names
    if name in PLACES:
        package, _, own = PLACES[name].partition(":")
    elif ":" in own and package == PACKAGES[-1]:
        return _class_at(f"{package}.{own}")
    elif own not in exported:
        return None
    return getattr(import_module(package), own)


def _class_at(place: str) -> Any:
    """Return the class with this module and name, or None if there is none."""
    module, _, name = place.partition(":")
    with suppress(ImportError):
        found = getattr(import_module(module), name, None)
        if isinstance(found, type) and place_of(found) == place:
            return found
    return None
