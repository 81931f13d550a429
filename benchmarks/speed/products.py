"""Products of many rows with few vectors: in stacks or whole, and with subnormal numbers.

Both times depend on the processor and on BLAS's kernels for it; the results name them.

    python -m benchmarks.speed.products
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.report import one_thread, report
from structsvm.problems.classification.products import combined, products

#: Rows, columns and vectors: half of digits, a block of mnist, the letters of OCR, and of letter.
SHAPES = ((900, 64, 10), (382, 784, 10), (5375, 128, 26), (5769, 16, 26))
#: A subnormal number in single precision.
SUBNORMAL = 1e-40
#: Fractions of subnormal numbers in a factor.
FRACTIONS = (0.0, 0.01, 0.1)
#: Each time is the least of this many measurements.
REPEATS = 20
#: Least CPU seconds of a measurement, which repeats the product until then.
LEAST = 5e-3


def main() -> None:
    rng = np.random.default_rng(0)
    stacked, slowed = [], []
    for n, d, k in SHAPES:
        X, W, P = (rng.random(shape, dtype=np.float32) for shape in ((n, d), (k, d), (k, n)))
        shape = {"rows": n, "columns": d, "vectors": k}
        for name, whole, ours in (
            ("W X'", lambda X=X, W=W: W @ X.T, lambda X=X, W=W: products(W, X)),
            ("P X", lambda X=X, P=P: P @ X, lambda X=X, P=P: combined(P, X)),
        ):
            times = {"whole, us": 1e6 * seconds(whole), "stacks, us": 1e6 * seconds(ours)}
            ratio = times["stacks, us"] / times["whole, us"]
            stacked.append(shape | {"product": name} | times | {"ratio": ratio})
        slowed += [shape | row for row in with_subnormals(X, P, rng)]
    report(
        "speed/products",
        {"In stacks of rows": stacked, "P X with subnormal numbers in P": slowed},
    )


def with_subnormals(X: Any, P: Any, rng: np.random.Generator) -> list[dict[str, Any]]:
    """The time of the whole product by the fraction of subnormal numbers."""
    order, rows = rng.permutation(P.size), []
    for fraction in FRACTIONS:
        mixed = P.copy()
        mixed.reshape(-1)[order[: int(fraction * P.size)]] = SUBNORMAL
        taken = 1e6 * seconds(lambda mixed=mixed: mixed @ X)
        first = rows[0]["us"] if rows else taken
        rows.append({"subnormal fraction": fraction, "us": taken, "ratio": taken / first})
    return rows


def seconds(run: Callable[[], Any]) -> float:
    """CPU time of one run."""
    number, best = 1, 0.0
    while best < LEAST:
        number *= 2
        best = _total(run, number)
    return min(_total(run, number) for _ in range(REPEATS)) / number


def _total(run: Callable[[], Any], number: int) -> float:
    started = time.process_time()
    for _ in range(number):
        run()
    return time.process_time() - started


if __name__ == "__main__":
    with one_thread():
        main()
