"""The known outputs of an example, measured: losses, and products with all points visited."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structsvm.check.closeness import norm
from structsvm.check.copies import key
from structsvm.data.arrays import Vector

if TYPE_CHECKING:
    from structsvm.check.evidence import Evidence

#: Error of a computed value that is accepted, relative to its terms: single precision passes.
TOLERANCE = 1e-5


#: The score that each search maximises, from the losses and the products
#: <w, Psi(x, y) - Psi(x, y_hat)> of outputs. The score of the true output is subtracted, which
#: changes no maximiser.
SCORES = {
    "separation_oracle": lambda losses, products: losses - products,
    "slack_oracle": lambda losses, products: losses * (1 - products),
    "decode": lambda losses, products: -products,
}


def term_sizes(method: str, losses: Any, products: Any) -> Any:
    """The sizes of the terms of scores, from the sizes of the terms of their products."""
    return {
        "separation_oracle": losses + products,
        "slack_oracle": losses * (1 + products),
        "decode": products,
    }[method]


class Pool(NamedTuple):
    """All known outputs of one example, measured against one label, at all points.

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


def pool(evidence: Evidence, i: int, label: Any) -> Pool | None:
    """Measure the known outputs of example i against a label; None if that cannot be measured."""
    truth = None if label is None else evidence.joint_feature(i, label)
    if truth is None:
        return None
    known = _known(evidence, i, label)
    rows: dict[Any, int] = {}
    losses, products, sizes = [], [], []
    for k, (origin, output) in known.items():
        if (measured := evidence.measure(i, label, origin, output, truth)) is None:
            continue
        rows[k] = len(rows)
        loss, difference = measured
        losses.append(loss)
        products.append(evidence.points @ difference)
        sizes.append(norm(difference) + norm(truth))
    kept = [known[k] for k in rows]
    origins, outputs = [origin for origin, _ in kept], [output for _, output in kept]
    inside = [False] * len(rows)
    made = Pool(rows, origins, outputs, *map(np.array, (losses, products, sizes, inside)))
    return made._replace(outside=_outside(evidence, i, made))


def _known(evidence: Evidence, i: int, label: Any) -> dict[Any, tuple[str, Any]]:
    """The outputs by key, each with its origin.

    The truth comes first: loss_is_valid and the hints look for it in row 0.
    """
    known: dict[Any, tuple[str, Any]] = {key(label): ("the truth", label)}
    for method in evidence.searches:
        for visit in evidence.visits:
            if (entry := visit.found[method][i]) is not None:
                known.setdefault(entry[0], (method, entry[1]))
    for output in evidence.enumerated[i]:
        known.setdefault(key(output), ("outputs", output))
    return known


def is_listed(
    evidence: Evidence, pool: Pool, listed: list[int], loss: float, products: Vector
) -> bool:
    """Whether an output has the loss and the joint feature of one in the rows that are listed.

    An output may have several forms, such as list and tuple: its key proves nothing.
    """
    scale = TOLERANCE * np.linalg.norm(evidence.points, axis=1) * pool.sizes.max()
    alike = np.all(np.abs(pool.products[listed] - products) <= scale, axis=1)
    off = np.abs(pool.losses[listed] - loss)
    return bool(np.any(alike & (off <= TOLERANCE * pool.losses.max())))


def _outside(evidence: Evidence, i: int, pool: Pool) -> NDArray[np.bool_]:
    """The outputs in a pool that outputs(x) proves to be none."""
    outside = pool.outside.copy()
    listed = pool.enumerated(evidence.enumerated[i])
    if not listed or evidence.problem.oracle_quality == "overgenerating":
        return outside
    for row in set(range(len(outside))).difference(listed):
        loss, products = float(pool.losses[row]), pool.products[row]
        outside[row] = not is_listed(evidence, pool, listed, loss, products)
    if outside[:1].any() and not evidence.self_labelled:
        outside[1:] = False  # the list, or Y, is wrong
    return outside
