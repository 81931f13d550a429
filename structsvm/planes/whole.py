"""Changes that Ctrl-C cannot end halfway."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from structsvm.data.arrays import Vector


@contextmanager
def whole(*objects: object, part: Vector | None = None) -> Iterator[None]:
    """Make a change of objects whole or not at all: Ctrl-C may end it anywhere.

    Their attributes are replaced for this; only ``part`` of one may be changed in place.
    """
    before, entries = [dict(vars(one)) for one in objects], None if part is None else part.copy()
    try:
        yield
    except BaseException:
        for one, attributes in zip(objects, before, strict=True):
            vars(one).update(attributes)
        if part is not None:
            part[:] = entries
        raise
