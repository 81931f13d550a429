"""The known outputs of an example, measured: losses, and products with all points visited."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structsvm.check.equality import TOLERANCE, key, norm
from structsvm.check.findings import attempted, short
from structsvm.check.subject import Subject
from structsvm.contract.capabilities import defines
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


#: Outputs that are enumerated at most, over all examples and labels: it bounds time and memory.
MAX_OUTPUTS = 10_000
#: The note where no outputs are listed.
NOT_OFFERED = (
    "outputs(x) is not offered, so oracles were compared only with what calls returned; offer it "
    "for a stricter test on small inputs"
)


def enumerated(subject: Subject, most_labels: int) -> list[list[Any]]:
    """All outputs of each example; empty if there are too many or they are not offered.

    All of them are measured against each label that an example has had, at most ``most_labels``.
    """
    n = subject.calls.n
    listed: list[list[Any]] = [[] for _ in range(n)]
    if not defines(subject.problem, "outputs"):
        subject.notes.append(NOT_OFFERED)
        return listed
    room = MAX_OUTPUTS // most_labels
    for i in range(n):
        # One more than there is room for shows that there are too many.
        found = _outputs(subject, i, room + 1)
        if found is None:
            subject.notes.append(NOT_OFFERED)
            return [[] for _ in range(n)]
        if len(found) <= room:
            listed[i], room = found, room - len(found)
    if missing := sum(not found for found in listed):
        subject.notes.append(
            f"{missing} of {n} examples have too many outputs to enumerate; use smaller inputs for "
            "a stricter test"
        )
    return listed


def _outputs(subject: Subject, i: int, most: int) -> list[Any] | None:
    """The first outputs of example i, at most ``most``.

    An empty list after an error; None where the problem says that it cannot list them.
    """
    calls = subject.calls
    # It may be a generator, which raises its exceptions where it is read.
    found, error = attempted(lambda: list(islice(calls.call("outputs", i, calls.x[i]), most)))
    if isinstance(error and error.__cause__, NotImplementedError):
        return None
    if error:
        calls.errors.append(calls.finding("outputs", error, i))
        return []
    keys = [key(output) for output in found]
    if not found:
        calls.report("outputs", i, "it enumerates nothing; the true y is an output too")
    elif any(output is None for output in found):
        calls.report("outputs", i, "it enumerates None, which is no output")
    elif len(set(keys)) < len(keys):
        twice = next(output for k, output in enumerate(found) if keys[k] in keys[:k])
        message = f"it enumerates {short(twice)} more than once; every output must come once"
        calls.report("outputs", i, message)
    return list(dict(zip(keys, found, strict=True)).values())
