"""The decoder, which restores objects from their descriptions and runs only code of structsvm."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from structsvm.data.sparse_indices import require_indices
from structsvm.exceptions import ArchiveError
from structsvm.saving.archive import Content
from structsvm.saving.nodes import BIT_GENERATORS, CONTAINERS, POSITIONS, SPARSE, Node
from structsvm.saving.trusted import Trusted

#: For a kind of object, the function that makes it of its elements. Lists are left out, because a
#: list may contain itself.
OF_ELEMENTS: dict[str, Callable[[list[Any]], Any]] = {
    **{kind: make for kind, make in CONTAINERS.items() if kind != "list"},
    "slice": lambda elements: slice(*elements),
}


class Decoder:
    """The decoder of a file, which restores the objects that the file describes.

    Parameters
    ----------
    content : Content
        The content of the file.
    trusted : Trusted
        The classes and functions that may occur in the file.
    external : mapping of str to object, optional
        The objects that the file refers to but does not contain, by name.
    """

    def __init__(
        self, content: Content, trusted: Trusted, external: Mapping[str, Any] | None = None
    ) -> None:
        self._table, self._trusted = content.table, trusted
        self._arrays = dict(enumerate(content.arrays))
        self._external = external or {}
        self._made: dict[int, Any] = {}

    def decode(self, node: Node) -> Any:
        """Return the object that a node describes.

        Raises
        ------
        ArchiveError
            If the node is not a node that :class:`structsvm.saving.encoder.Encoder` creates.
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
            dtype = np.dtype(value[0])
            if dtype.kind not in "biufSU" or (isinstance(value[1], dict) and "object" in value[1]):
                raise ArchiveError(f"it holds a scalar of {dtype} of {value[1]!r:.40}")
            return dtype.type(self.decode(value[1]))
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
            kind, value = _only_member(self._table[index])
            if kind in OF_ELEMENTS:
                self._made[index] = OF_ELEMENTS[kind](self._all(value))
            else:
                make = getattr(self, f"_make_{kind}".replace(" ", "_"))
                self._made[index] = make(index, value)
        return self._made[index]

    def _all(self, nodes: Any) -> list[Any]:
        return [self.decode(node) if type(node) is dict else node for node in nodes]

    def _make_list(self, index: int, value: Any) -> Any:
        self._made[index] = elements = []  # made first, since its elements may contain it
        elements.extend(self._all(value))
        return elements

    def _make_dict(self, index: int, value: Any) -> Any:
        made: dict[Any, Any] = {}
        self._made[index] = made
        made.update((self.decode(key), self.decode(element)) for key, element in value)
        return made

    def _make_array(self, index: int, value: Any) -> Any:
        if value not in self._arrays:
            raise ArchiveError(f"its array {value!r:.40} is missing, or belongs to two objects")
        return self._arrays.pop(value)

    def _make_masked(self, index: int, value: Any) -> Any:
        data, mask, fill = self._all(value)
        if not all(isinstance(part, (np.ndarray, np.generic, str)) for part in (data, mask, fill)):
            raise ArchiveError("the parts of a masked array are no arrays")
        return np.ma.MaskedArray(data, mask, fill_value=fill)

    def _make_objects(self, index: int, value: Any) -> Any:
        shape, nodes = value
        if math.prod(shape) != len(nodes):
            raise ArchiveError(f"the file has {len(nodes)} objects for an array of shape {shape}")
        self._made[index] = array = np.empty(shape, dtype=object)
        flat = array.reshape(-1)
        for i, node in enumerate(nodes):
            flat[i] = self.decode(node)
        return array

    def _make_arrays(self, index: int, value: Any) -> Any:
        joined, lengths = (self._make_array(index, number) for number in value)
        if np.any(lengths < 0) or sum(lengths.tolist()) != len(joined):
            raise ArchiveError(f"{len(joined)} elements do not make arrays of the lengths stored")
        return [part.copy() for part in np.split(joined, np.cumsum(lengths)[:-1])]

    def _make_sparse(self, index: int, value: Any) -> Any:
        name, shape, nodes = value
        data, *places = self._all(nodes)
        if not all(isinstance(part, np.ndarray) for part in (data, *places)):
            raise ArchiveError("the parts of a sparse matrix are no arrays")
        content = (data, tuple(places)) if name.startswith("coo") else (data, *places)
        made = SPARSE[name](content, shape)
        require_indices(made, "a sparse matrix")
        return made

    def _make_random(self, index: int, value: Any) -> Any:
        kind, name, state = value
        generator, found = BIT_GENERATORS[name](0), self.decode(state)
        inner = {**found, **found["state"]}
        for part, most in POSITIONS.items():
            if not 0 <= inner.get(part, 0) <= most:
                raise ArchiveError(f"the {part} of {name} is {inner[part]!r:.40}, not 0 to {most}")
        if any(isinstance(value, (list, tuple)) for value in inner.values()):
            raise ArchiveError(f"the state of {name} holds lists, not arrays")
        if kind == "RandomState":
            made = np.random.RandomState(generator)
            made.set_state(found)
            return made
        generator.state = found
        return np.random.Generator(generator)

    def _make_enum(self, index: int, value: Any) -> Any:
        kind = self._trusted.find_class(value[0])
        if not issubclass(kind, Enum):
            raise ArchiveError(f"{value[0]} is no enumeration")
        return kind[value[1]]

    def _make_tuple_of(self, index: int, value: Any) -> Any:
        kind = self._trusted.find_class(value[0])
        if not (issubclass(kind, tuple) and len(getattr(kind, "_fields", ())) == len(value[1])):
            raise ArchiveError(f"{value[0]} has no {len(value[1])} fields; the versions differ")
        return tuple.__new__(kind, self._all(value[1]))

    def _make_instance(self, index: int, value: Any) -> Any:
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


def _only_member(node: Any) -> tuple[str, Any]:
    if not isinstance(node, dict) or len(node) != 1:
        raise ArchiveError(f"an object is described as {node!r:.80}")
    return next(iter(node.items()))
