"""Hashes of the code of a problem, by which a checkpoint sees that it was edited."""

from __future__ import annotations

import dis
import hashlib
import inspect
import platform
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from structsvm.contract.problem import Problem
from structsvm.data.fingerprints import fingerprint

#: This package, which a checkpoint knows by its version.
OWN = __name__.partition(".")[0]
#: Folders of installed packages.
INSTALLED = {"site-packages", "dist-packages"}
#: Methods that no training calls.
UNUSED = {"example_data"}
#: Types of constants.
PLAIN = (type(None), bool, int, float, complex, str, bytes, slice, np.generic)
#: The bits of a function's flags that change what it does: its kind, and how it takes arguments.
KINDS = (
    inspect.CO_VARARGS | inspect.CO_VARKEYWORDS | inspect.CO_GENERATOR | inspect.CO_COROUTINE
    | inspect.CO_ITERABLE_COROUTINE | inspect.CO_ASYNC_GENERATOR
)  # fmt: skip
#: Python's version, as far as the same code has the same hash.
PYTHON = ".".join(platform.python_version_tuple()[:2])


def code_hashes(problem: Problem) -> dict[str, str]:
    """Hashes of the functions and constants that a problem's methods are made of, by name.

    They are the methods of its classes, the functions, classes and constants of modules that these
    name, and the code of its parameters: functions, objects and other problems. Comments,
    docstrings and the places of lines do not count, nor do packages that are installed, but for the
    one that the problem belongs to. The hashes differ between versions of Python.
    """
    code = _Code(type(problem))
    code.visit(problem)
    return {name: _hash("".join(sorted(texts))) for name, texts in code.texts.items()}


class _Code:
    """The code found so far."""

    def __init__(self, kind: type) -> None:
        self.texts: defaultdict[str, set[str]] = defaultdict(set)
        self._seen: dict[int, Any] = {}  # they stay alive, so that no identity is used twice
        self._roots = {_root(base.__module__) for base in kind.__mro__ if issubclass(base, Problem)}

    def visit(self, value: Any, name: str = "") -> None:
        """Add the code of a value; a constant that has a name counts too."""
        if _is_plain(value):
            if name:
                self.texts[name].add(_text(value))
            return
        if id(value) in self._seen:
            return
        self._seen[id(value)] = value
        if isinstance(value, FunctionType):
            self._visit_function(value, name)
        elif isinstance(value, type):
            self._visit_class(value)
        elif isinstance(value, dict):
            self._visit_all(value.values())
        elif isinstance(value, (list, tuple, set, frozenset)):
            self._visit_all(value)
        else:
            self._visit_object(value, name)

    def _visit_all(self, values: Iterable[Any]) -> None:
        for value in values:
            self.visit(value)

    def _visit_function(self, function: FunctionType, name: str) -> None:
        cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
        self._visit_all(cells)
        if not self._is_own(function.__module__):
            return
        given = function.__defaults__, function.__kwdefaults__, cells
        self._visit_all(given)
        self.texts[name or function.__qualname__].add(_text([function.__code__, *given]))
        for used, value in self._named(function):
            self.visit(value, used)

    def _visit_class(self, kind: type) -> None:
        for base in kind.__mro__:
            if self._is_own(base.__module__):
                for name, value in list(vars(base).items()):
                    special = name.startswith("__") and _is_plain(value)
                    if not special and name not in UNUSED:
                        self.visit(value, f"{base.__qualname__}.{name}")

    def _visit_object(self, value: Any, name: str) -> None:
        """Objects of own classes, and what wraps functions: methods, partial or compiled ones."""
        if isinstance(value, ModuleType):
            return
        self._visit_class(type(value))
        whole = self._is_own(type(value).__module__) or isinstance(value, BaseEstimator)
        for part in _parts(value):
            if whole or callable(part):
                self.visit(part, name if callable(part) and not isinstance(part, type) else "")
        if isinstance(value, partial):
            self._visit_all((value.args, value.keywords))
            self.texts[name or _name(value.func)].add(_text([value.args, value.keywords]))

    def _named(self, function: FunctionType) -> Iterator[tuple[str, Any]]:
        """The names that a function reads of modules of the user's, each with its value."""
        scope, missing = function.__globals__, object()
        for name, part in sorted(_names(function.__code__)):
            value = scope.get(name, missing)
            if isinstance(value, ModuleType):
                own = self._is_own(value.__name__)
                name, value = part, vars(value).get(part, missing) if own else missing
            if value is not missing:
                yield name, value

    def _is_own(self, module: Any) -> bool:
        """Whether a module is the user's."""
        root = _root(module)
        if root == OWN or root in self._roots:
            return root != OWN
        file = getattr(sys.modules.get(root), "__file__", None) or ""
        return root not in sys.stdlib_module_names and INSTALLED.isdisjoint(Path(file).parts)


def _parts(value: Any) -> list[Any]:
    """The attributes of an object, or the functions that it wraps."""
    if isinstance(value, (staticmethod, classmethod, MethodType)):
        return [value.__func__]
    if isinstance(value, property):
        return [value.fget, value.fset]
    if isinstance(value, partial):
        return [value.func]
    return list(getattr(value, "__dict__", {}).values())


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _root(module: Any) -> str:
    return str(module).partition(".")[0]


def _is_filled(cell: Any) -> bool:
    """Whether the variable of a closure has a value yet."""
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _is_plain(value: Any) -> bool:
    """Whether a value is a constant: numbers, text, arrays, and containers of these."""
    if isinstance(value, PLAIN):
        return True
    if type(value) in (tuple, list, set, frozenset):
        return all(map(_is_plain, value))
    if type(value) is dict:
        return all(map(_is_plain, value)) and all(map(_is_plain, value.values()))
    return type(value) is np.ndarray and not value.dtype.hasobject


def _names(code: CodeType) -> set[tuple[str, str]]:
    """The names of a module that code reads, each with the attribute that is read of it."""
    found, set_here, steps = set(), set(), list(dis.get_instructions(code))
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        if step.opname == "STORE_GLOBAL":  # a counter, or another thing that changes
            set_here.add(step.argval)
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            reads = following is not None and following.opname in ("LOAD_ATTR", "LOAD_METHOD")
            found.add((step.argval, following.argval if following and reads else ""))
    inner = [_names(part) for part in code.co_consts if isinstance(part, CodeType)]
    return {pair for pair in found.union(*inner) if pair[0] not in set_here}


def _text(value: Any) -> str:
    """A description that is the same in every process."""
    if isinstance(value, CodeType):
        return _text([*_signature(value), *_instructions(value)])
    if isinstance(value, (set, frozenset)):
        return f"{{{','.join(sorted(map(_text, value)))}}}"
    if isinstance(value, dict):
        return _text([*value, *value.values()])
    if isinstance(value, (list, tuple)):
        return f"({','.join(map(_text, value))})"
    if isinstance(value, (np.ndarray, np.generic)):
        return fingerprint(value)
    return repr(value) if isinstance(value, PLAIN) else _name(value)


def _name(value: Any) -> str:
    return str(getattr(value, "__qualname__", type(value).__qualname__))


def _signature(code: CodeType) -> list[Any]:
    named = code.co_argcount + code.co_kwonlyargcount
    return [
        code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & KINDS,
        code.co_varnames[:named], getattr(code, "co_exceptiontable", b""),
    ]  # fmt: skip


def _instructions(code: CodeType) -> list[Any]:
    """The instructions with what they name; constants by value, so that no docstring counts."""
    return [(step.opname, step.argval) for step in dis.get_instructions(code)]
