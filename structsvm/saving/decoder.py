"""Objects from their description; nothing but structsvm's own code runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from structsvm.exceptions import ArchiveError
from structsvm.saving.nodes import BIT_GENERATORS, CONTAINERS, SPARSE, Node
from structsvm.saving.trusted import Trusted


class Decoder:
    """Makes the objects of a table.

    Parameters
    ----------
    table : list of node
    arrays : callable
        The array of a number.
    trusted : Trusted
    external : mapping of str to object, optional
        The objects that the file does not hold.
    """

    def __init__(
        self,
        table: Sequence[Node],
        arrays: Callable[[Any], np.ndarray],
        trusted: Trusted,
        external: Mapping[str, Any] | None = None,
    ) -> None:
        self._table, self._arrays, self._trusted = table, arrays, trusted
        self._external = external or {}
        self._made: dict[int, Any] = {}
        self._begun: set[int] = set()

    def decode(self, node: Node) -> Any:
        """Make the object of a description.

        Raises
        ------
        ArchiveError
            It is not one that :class:`structsvm.saving.encoder.Encoder` makes.
        """
        if node is None or isinstance(node, (bool, int, float, str)):
            return node
        kind, value = _only_member(node)
        if kind == "object":
            return self._object(value)
        if kind == "external" and value in self._external:
            return self._external[value]
        if kind == "float" and value in ("nan", "inf", "-inf"):
            return float(value)
        if kind == "bytes":
            return value.encode("latin-1")
        if kind == "scalar":
            return self._scalar(value)
        if kind == "name":
            return self._trusted.find(value)
        if kind == "path":
            return Path(value)
        if kind == "dtype":
            return np.dtype(value)
        if kind == "scalar type":
            return np.dtype(value).type
        raise ArchiveError(f"an object is described as {node!r:.80}")

    def _object(self, index: Any) -> Any:
        if index not in self._made:
            if index in self._begun:
                raise ArchiveError("an object that cannot contains itself")
            self._begun.add(index)
            kind, value = _only_member(self._table[index])
            self._made[index] = getattr(self, f"_{_METHODS[kind]}")(index, value)
        return self._made[index]

    def _all(self, nodes: Any) -> list[Any]:
        return [self.decode(node) for node in nodes]

    def _scalar(self, value: Any) -> Any:
        dtype = np.dtype(value[0])
        if dtype.kind not in "biufSU":
            raise ArchiveError(f"it holds a scalar of {dtype}")
        return dtype.type(self.decode(value[1]))

    def _container(self, index: int, value: Any) -> Any:
        kind = _only_member(self._table[index])[0]
        if kind != "list":
            return CONTAINERS[kind](self._all(value))
        self._made[index] = elements = []  # before its elements, which may contain it
        elements.extend(self._all(value))
        return elements

    def _dict(self, index: int, value: Any) -> Any:
        made: dict[Any, Any] = {}
        self._made[index] = made
        made.update((self.decode(key), self.decode(element)) for key, element in value)
        return made

    def _array(self, index: int, value: Any) -> Any:
        return self._arrays(value)

    def _masked(self, index: int, value: Any) -> Any:
        data, mask, fill = self._all(value)
        return np.ma.MaskedArray(data, mask, fill_value=fill)

    def _objects(self, index: int, value: Any) -> Any:
        shape, nodes = value
        if math.prod(shape) != len(nodes):
            raise ArchiveError(f"the file has {len(nodes)} objects for an array of shape {shape}")
        self._made[index] = array = np.empty(shape, dtype=object)
        flat = array.reshape(-1)
        for i, node in enumerate(nodes):
            flat[i] = self.decode(node)
        return array

    def _vectors(self, index: int, value: Any) -> Any:
        joined, lengths = map(self._arrays, value)
        if np.any(lengths < 0) or sum(lengths.tolist()) != len(joined):
            raise ArchiveError(f"{len(joined)} elements do not make arrays of the lengths stored")
        return [part.copy() for part in np.split(joined, np.cumsum(lengths)[:-1])]

    def _sparse(self, index: int, value: Any) -> Any:
        name, shape, nodes = value
        data, *places = self._all(nodes)
        content = (data, tuple(places)) if name.startswith("coo") else (data, *places)
        return SPARSE[name](content, shape)

    def _slice(self, index: int, value: Any) -> Any:
        start, stop, step = self._all(value)
        return slice(start, stop, step)

    def _random(self, index: int, value: Any) -> Any:
        kind, name, state = value
        generator = BIT_GENERATORS[name](0)
        if kind == "RandomState":
            made = np.random.RandomState(generator)
            made.set_state(self.decode(state))
            return made
        generator.state = self.decode(state)
        return np.random.Generator(generator)

    def _enum(self, index: int, value: Any) -> Any:
        kind = self._trusted.find_class(value[0])
        if not issubclass(kind, Enum):
            raise ArchiveError(f"{value[0]} is no enumeration")
        return kind[value[1]]

    def _named_tuple(self, index: int, value: Any) -> Any:
        kind = self._trusted.find_class(value[0])
        if not (issubclass(kind, tuple) and len(getattr(kind, "_fields", ())) == len(value[1])):
            raise ArchiveError(f"{value[0]} has no {len(value[1])} fields; the versions differ")
        return tuple.__new__(kind, self._all(value[1]))

    def _instance(self, index: int, value: Any) -> Any:
        name, names, nodes = value
        kind = self._trusted.find_class(name)
        if issubclass(kind, (tuple, Enum, type)):
            raise ArchiveError(f"{name} has no attributes")
        self._made[index] = made = object.__new__(kind)
        state = dict(zip(names, self._all(nodes), strict=True))
        restore = getattr(made, "__setstate__", None)
        if restore is not None:
            restore(state)
        else:
            vars(made).update(state)
        return made


#: The methods that make the entries of a table, by kind.
_METHODS = {
    **dict.fromkeys(CONTAINERS, "container"),
    "dict": "dict",
    "array": "array",
    "masked": "masked",
    "objects": "objects",
    "arrays": "vectors",
    "sparse": "sparse",
    "slice": "slice",
    "random": "random",
    "enum": "enum",
    "tuple of": "named_tuple",
    "instance": "instance",
}


def _only_member(node: Any) -> tuple[str, Any]:
    if not isinstance(node, dict) or len(node) != 1:
        raise ArchiveError(f"an object is described as {node!r:.80}")
    return next(iter(node.items()))
