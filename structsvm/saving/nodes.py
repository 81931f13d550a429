"""The description of objects as JSON.

An archive consists of a description and arrays.

None, truth values, integers, finite floats and strings are written as plain JSON values. A JSON
object with one member describes any value that has no JSON form of its own. In the JSON object of a
value, the name of the only member is the kind of the value:

=================  =================================================================
kind               value
=================  =================================================================
``object``         the index of an entry of the table of objects
``external``       the name of an object that the file does not contain
``float``          'nan', 'inf' or '-inf'
``bytes``          the bytes, as characters of Latin-1
``scalar``         dtype and value of a numpy scalar
``name``           the name of a class or function
``path``           the path of a file
``dtype``          a dtype
``scalar type``    the name of a class of numpy's scalars
=================  =================================================================

The table of objects has an entry for each object that several other objects may refer to. An object
that occurs twice has only one entry in the table of objects. An entry of the table of objects is a
JSON object with one member, whose name is the kind of the object:

=================  =================================================================
kind               value
=================  =================================================================
``list``           the elements; likewise for ``tuple``, ``set`` and ``frozenset``
``dict``           pairs of key and value
``array``          the number of a member of the archive
``masked``         data, mask and fill value of an array with masked entries
``objects``        shape and elements of an array of objects
``arrays``         two members of the archive: the elements of a list of arrays of
                   one dimension and dtype, one after the other; and their lengths
``sparse``         format, shape and arrays of a sparse matrix
``slice``          start, stop and step
``random``         the class of a generator of random numbers, and its state
``enum``           class and name
``tuple of``       class and values of a named tuple
``instance``       class and state of any other object
=================  =================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

#: A description, which ``json`` can read and write.
Node = Any

#: The classes of scipy's sparse matrices that files may contain, by name.
SPARSE = {
    name: getattr(sparse, name)
    for name in (f"{form}_{kind}" for form in ("csr", "csc", "coo") for kind in ("matrix", "array"))
}
#: The arrays of sparse matrices, by format.
SPARSE_PARTS = {"coo": ("data", "row", "col")} | dict.fromkeys(
    ("csr", "csc"), ("data", "indices", "indptr")
)
#: Generators of random numbers, by name.
BIT_GENERATORS = {
    name: getattr(np.random, name) for name in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
}
#: Positions in the buffers of these generators, by name, with the largest value. numpy does not
#: check the positions.
POSITIONS = {"pos": 624, "buffer_pos": 4}
#: Kinds of descriptions whose value begins with the name of a class.
OF_CLASSES = ("enum", "tuple of", "instance")
#: Types that may contain nodes.
NESTED = (list, dict)
#: Containers of elements, by name.
CONTAINERS = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


def names_in(description: Any) -> Iterator[str]:
    """Yield the names of the classes and functions in a list of nodes, at any depth."""
    left = [description]
    while left:
        part = left.pop()
        if type(part) is list:  # most elements are the strings of a vocabulary
            left += [inner for inner in reversed(part) if type(inner) in NESTED]
            continue
        for kind, value in part.items():
            if kind in OF_CLASSES or kind == "name":
                name = value[0] if kind != "name" and value else value
                if isinstance(name, str) and name.count(":") in (1, 2):
                    yield name
            if type(value) in NESTED:
                left.append(value)
