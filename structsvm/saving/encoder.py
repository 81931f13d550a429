"""The encoder, which describes objects as numbers and text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from itertools import count
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from structsvm.exceptions import ArchiveError
from structsvm.saving.names import place_of
from structsvm.saving.nodes import BIT_GENERATORS, CONTAINERS, SPARSE, SPARSE_PARTS, Node

#: Classes whose objects consist of more than attributes.
BUILT_IN = (dict, list, set, frozenset, tuple, str, bytes, int, float)
#: Objects that are code.
CODE = (FunctionType, BuiltinFunctionType, MethodType, ModuleType, np.ufunc)


class Encoder:
    """The encoder of a file, which describes objects and collects their arrays.

    Parameters
    ----------
    external : mapping of str to object, optional
        Objects for which only a name is written.
    name_of : callable, optional
        A function that returns the name of a class or function, or None if it has no name. The
        default returns the module and the name of the class or function.
    certificate : bool, default=True
        Whether the attributes of a result's certificate are saved. If False, None is saved for each
        attribute of the certificate.

    Attributes
    ----------
    table : list of node
        The descriptions of the objects that several other objects may refer to.
    arrays : list of ndarray
        The arrays that belong to the objects.
    names : set of str
        The names of the classes and functions in the description.
    """

    def __init__(
        self,
        external: Mapping[str, Any] | None = None,
        name_of: Callable[[Any], str | None] = place_of,
        certificate: bool = True,
    ) -> None:
        self.table: list[Node] = []
        self.arrays: list[np.ndarray] = []
        self.names: set[str] = set()
        self._find_name, self._certificate = name_of, certificate
        self._external = {id(value): name for name, value in (external or {}).items()}
        self._entries: dict[int, tuple[int, Any]] = {}  # holds the objects, so that no id is reused
        self._path: list[str] = []

    def encode(self, value: Any) -> Node:
        """Describe an object.

        Raises
        ------
        ArchiveError
            If the object, or an object inside it, cannot be described. The message names the object
            that cannot be described.
        """
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if type(value) is bytes:
            return {"bytes": value.decode("latin-1")}
        if isinstance(value, np.generic):
            if value.dtype.kind not in "biufSU":
                raise self._error(value, "is of a kind that no file holds")
            return {"scalar": [value.dtype.str, self.encode(value.item())]}
        if id(value) in self._external:
            return {"external": self._external[id(value)]}
        if isinstance(value, type) and issubclass(value, np.generic):
            return {"scalar type": value.__name__}
        if isinstance(value, (type, FunctionType)) and "<" not in value.__qualname__:
            return {"name": self._name_of(value)}
        if isinstance(value, PurePath):
            return {"path": str(value)}
        if isinstance(value, np.dtype):
            return {"dtype": value.str}
        if id(value) not in self._entries:
            self._entries[id(value)] = len(self.table), value
            self.table.append(None)
            self.table[self._entries[id(value)][0]] = self._entry(value)
        return {"object": self._entries[id(value)][0]}

    def _name_of(self, named: Any) -> str:
        name = self._find_name(named)
        if name is None:
            raise self._error(named, "has no name for files; please report it")
        self.names.add(name)
        return name

    def _entry(self, value: Any) -> Node:
        """Return the description of an object that several other objects may refer to."""
        kind = type(value)
        if isinstance(value, np.ndarray):
            return self._array(value)
        if kind is list and _are_vectors(value):
            lengths = np.array([len(vector) for vector in value])
            return {"arrays": [self._kept(np.concatenate(value)), self._kept(lengths)]}
        if kind is CONTAINERS.get(kind.__name__):
            return {kind.__name__: self._parts(value)}
        if isinstance(value, dict):
            if kind is not dict:
                raise self._error(value, "is a dict of a class of its own; make it a plain dict")
            steps = [f"[{key!r:.30}]" for key in value]
            both = self._parts(value, steps), self._parts(value.values(), steps)
            return {"dict": [[*pair] for pair in zip(*both, strict=True)]}
        if kind is slice:
            return {"slice": self._parts([value.start, value.stop, value.step])}
        if kind.__name__ in SPARSE:
            parts = [self.encode(getattr(value, part)) for part in SPARSE_PARTS[value.format]]
            return {"sparse": [kind.__name__, list(map(int, value.shape)), parts]}
        if kind in (np.random.Generator, np.random.RandomState):
            return self._random(value)
        return self._instance(value, kind)

    def _array(self, value: np.ndarray) -> Node:
        if isinstance(value, np.ma.MaskedArray):
            return {"masked": self._parts([value.data, value.mask, value.fill_value])}
        if value.dtype == object:
            return {"objects": [list(value.shape), self._parts(value.ravel())]}
        if value.dtype.hasobject:
            raise self._error(value, "has fields of objects, which no file holds")
        return {"array": self._kept(value)}

    def _kept(self, array: Any) -> int:
        self.arrays.append(np.asarray(array))
        return len(self.arrays) - 1

    def _parts(self, values: Iterable[Any], steps: Iterable[str] | None = None) -> list[Node]:
        """Encode the values; in errors, ``steps`` names the values (default: their indices)."""
        nodes = []
        places = (f"[{i}]" for i in count())
        for value, step in zip(values, steps or places, strict=False):
            self._path.append(step)
            nodes.append(self.encode(value))
            self._path.pop()
        return nodes

    def _random(self, value: Any) -> Node:
        generator = value.bit_generator if hasattr(value, "bit_generator") else value._bit_generator
        name = type(generator).__name__
        if name not in BIT_GENERATORS:
            raise self._error(value, f"draws from {name}, whose state no file holds")
        legacy = isinstance(value, np.random.RandomState)
        state = value.get_state(legacy=False) if legacy else generator.state
        return {"random": [type(value).__name__, name, self.encode(state)]}

    def _instance(self, value: Any, kind: type) -> Node:
        if isinstance(value, CODE):
            raise self._error(value, "is code without a name; use a function of a module, or None")
        if isinstance(value, Enum):
            return {"enum": [self._name_of(kind), value.name]}
        if isinstance(value, tuple) and hasattr(kind, "_fields"):
            steps = [f".{name}" for name in kind._fields]
            return {"tuple of": [self._name_of(kind), self._parts(value, steps)]}
        state = _state(value)
        if state is None:
            raise self._error(
                value,
                "has a state that cannot be read as attributes; give arrays, lists or text",
            )
        if not self._certificate:
            state = state | dict.fromkeys(state.keys() & getattr(kind, "certificate", ()))
        parts = self._parts(state.values(), [f".{name}" for name in state])
        return {"instance": [self._name_of(kind), list(state), parts]}

    def _error(self, value: Any, problem: str) -> ArchiveError:
        where = "".join(self._path).lstrip(".") or "it"
        named = f"the {type(value).__name__} {getattr(value, '__name__', '')}".rstrip()
        return ArchiveError(f"cannot be saved: {where}, {named}, {problem}")


def _state(value: Any) -> dict[str, Any] | None:
    """Return an object's attributes, or None if the object consists of more than its attributes.

    Callbacks of scikit-learn are left out, because they hold handles of the current process.
    """
    kind: Any = type(value)
    own = kind.__reduce__ is not object.__reduce__ or kind.__reduce_ex__ is not object.__reduce_ex__
    if own or issubclass(kind, BUILT_IN) or not hasattr(value, "__dict__"):
        return None
    # Python 3.10 has no object.__getstate__.
    read = getattr(kind, "__getstate__", None)
    is_default = read is None or read is getattr(object, "__getstate__", None)
    state = vars(value) if is_default else value.__getstate__()
    if not isinstance(state, dict):
        return None
    return {name: value for name, value in state.items() if name != "_skl_callbacks"}


def _are_vectors(values: list[Any]) -> bool:
    """Whether the values are two or more one-dimensional arrays with the same dtype."""
    if len(values) < 2 or type(values[0]) is not np.ndarray or values[0].dtype.hasobject:
        return False
    dtype = values[0].dtype
    return all(type(v) is np.ndarray and v.ndim == 1 and v.dtype == dtype for v in values)
