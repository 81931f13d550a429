"""Kernels in Cython, which take the place of plain functions where they were built.

Each is a module of this folder with a function that has the name, the arguments and the results of
the plain one. They are built at installation where there is a C compiler, and left out where there
is none. With ``STRUCTSVM_COMPILED=0`` in the environment the plain functions run.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from functools import update_wrapper
from importlib import import_module
from pkgutil import iter_modules
from typing import TypeVar

Function = TypeVar("Function", bound=Callable[..., object])


def available() -> list[str]:
    """The names of the kernels that are used."""
    if os.environ.get("STRUCTSVM_COMPILED") == "0":
        return []
    return [module.name for module in iter_modules(__path__)]


def compiled(kernel: str) -> Callable[[Function], Function]:
    """Decorate a plain function: the function of its name in a kernel takes its place.

    The plain function is then its attribute ``__wrapped__``.
    """

    def chosen(plain: Function) -> Function:
        if kernel not in available():
            return plain
        fast: Function | None = getattr(import_module(f"{__name__}.{kernel}"), plain.__name__, None)
        if fast is None:  # as after a pull
            warnings.warn(
                f"the kernel {kernel} was built from older sources, without {plain.__name__}; the "
                "plain function runs. Install structsvm again to build it",
                stacklevel=2,
            )
            return plain
        update_wrapper(fast, plain)
        return fast

    return chosen
