"""The known outputs of an example, measured: losses, and products with all points visited."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structsvm.check.closeness import TOLERANCE, norm
from structsvm.check.copies import key
from structsvm.check.subject import Subject
from structsvm.data.arrays import Vector


class Pool(NamedTuple):
    """All known outputs of an example, measured against the same label, at all points.

    Attributes
    ----------
    rows : dict
        From the key of an output to its row in the other attributes.
    origins : list of str
        The method that returned the output, 'the truth' or 'outputs'.
    outputs : list
    losses : ndarray of shape (n_outputs,)
    products : ndarray of shape (n_outputs, n_points)
        <w, Psi(x, y) - Psi(x, y_hat)>.
    sizes : ndarray of shape (n_outputs,)
        Norms of the vectors that the products are made of, for their rounding.
    outside : ndarray of bool, shape (n_outputs,)
        Whether outputs(x) proves that this is no output: nothing in it has the same joint feature
        and loss. Relaxed outputs, which an overgenerating problem may use, do not count.
    """

    rows: dict[Any, int]
    origins: list[str]
    outputs: list[Any]
    losses: Vector
    products: Vector
    sizes: Vector
    outside: NDArray[np.bool_]

    def enumerated(self, outputs: Iterable[Any]) -> list[int]:
        """Return the rows of these outputs, each once."""
        return sorted({self.rows[key(output)] for output in outputs if key(output) in self.rows})


def pool(
    subject: Subject, i: int, label: Any, known: dict[Any, tuple[str, Any]], points: Vector
) -> Pool | None:
    """Measure the known outputs of example i against a label; None if that cannot be measured.

    ``known`` has the outputs by key, each with its origin.
    """
    truth = None if label is None else subject.joint_feature(i, label)
    if truth is None:
        return None
    rows: dict[Any, int] = {}
    losses, products, sizes = [], [], []
    for k, (origin, output) in known.items():
        if (measured := subject.measure(i, label, origin, output, truth)) is None:
            continue
        rows[k] = len(rows)
        loss, difference = measured
        losses.append(loss)
        products.append(points @ difference)
        sizes.append(norm(difference) + norm(truth))
    kept = [known[k] for k in rows]
    origins, outputs = [origin for origin, _ in kept], [output for _, output in kept]
    inside = [False] * len(rows)
    return Pool(rows, origins, outputs, *map(np.array, (losses, products, sizes, inside)))


def outside(pool: Pool, listed: list[int], points: Vector) -> NDArray[np.bool_]:
    """Which outputs in a pool are proven, by the rows listed, not to be outputs."""
    found = pool.outside.copy()
    for row in set(range(len(found))).difference(listed):
        loss, products = float(pool.losses[row]), pool.products[row]
        found[row] = not is_listed(pool, listed, loss, products, points)
    return found


def is_listed(pool: Pool, listed: list[int], loss: float, products: Vector, points: Vector) -> bool:
    """Whether an output has the loss and the joint feature of an output in the listed rows.

    An output may have several forms, for example list and tuple: its key proves nothing.
    """
    scale = TOLERANCE * np.linalg.norm(points, axis=1) * pool.sizes.max()
    alike = np.all(np.abs(pool.products[listed] - products) <= scale, axis=1)
    off = np.abs(pool.losses[listed] - loss)
    return bool(np.any(alike & (off <= TOLERANCE * pool.losses.max())))
