"""Compiled Cython kernels, which replace plain Python functions where available.

A kernel is a module of the folder ``compiled``. The functions of a compiled kernel have the same
names, arguments and results as the plain functions that they replace. Kernels are built at
installation if there is a C compiler. With ``STRUCTSVM_COMPILED=0`` in the environment, the plain
functions are used.
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
    """Return the names of the compiled modules in use."""
    if os.environ.get("STRUCTSVM_COMPILED") == "0":
        return []
    return [module.name for module in iter_modules(__path__)]


def compiled(kernel: str) -> Callable[[Function], Function]:
    """Return a decorator that replaces a plain function by its compiled version in ``kernel``.

    The plain function remains as the attribute ``__wrapped__``.
    """

    def chosen(plain: Function) -> Function:
        if kernel not in available():
            return plain
        fast: Function | None = getattr(import_module(f"{__name__}.{kernel}"), plain.__name__, None)
        if fast is None:  # sources are newer than the kernel, as after a pull
            warnings.warn(
                f"the kernel {kernel} was built from older sources, without {plain.__name__}; the "
                "plain function runs. Install structsvm again to build it",
                stacklevel=2,
            )
            return plain
        update_wrapper(fast, plain)
        return fast

    return chosen
