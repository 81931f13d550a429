"""The problems that come with structsvm, and their estimators, by family.

Each folder holds one family of problems, and its docstring names the class to look at first. The
imports between the folders form no cycle. ``graphs``, ``sequences``, ``trees`` and ``multivariate``
import ``classification``. ``label_sets`` imports ``classification`` and ``graphs``.
``margin_clustering`` imports ``classification``, ``multivariate`` and ``set_clustering``.
``decisions`` imports ``programs``. ``matching``, ``programs`` and ``ranking`` import none of the
other folders.
"""

from typing import Any

import lazy_loader

from structsvm.other_names import unknown_name
from structsvm.problems.saved_names import SAVED_NAMES
from structsvm.saving.names import register

_exported, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

register(__name__, SAVED_NAMES)


def __getattr__(name: str) -> Any:
    if name in __all__:
        return _exported(name)
    raise unknown_name(__name__, name, __all__)
