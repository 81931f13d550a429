"""CCCP on a problem with latent variables that defines the four single methods only.

A signal shows the motif of its class at an unknown shift: an output is a class and a shift, an
annotation the class (Yu & Joachims, Learning Structural SVMs with Latent Variables, ICML 2009).
There are 3 classes and 25 shifts, so 75 outputs. Every change of labels changes all planes kept:
the joint features and losses per oracle call show what that costs.

    python -m benchmarks.speed.latent
"""

from __future__ import annotations

import itertools
import time
import tracemalloc
import warnings
from typing import Any

import numpy as np

from benchmarks.report import one_thread, report
from structsvm import CCCP, SelfLabelledProblem

CLASSES, SHIFTS, LENGTH = 3, 25, 20
#: Number of examples.
N = 200
#: C, which multiplies the mean slack.
WEIGHTS = (1.0, 10.0, 100.0)


class HiddenShift(SelfLabelledProblem):
    """An output is a class and the shift of its motif; an annotation is the class."""

    max_loss = 1.0

    def initialize(self, X: Any, Y: Any) -> None:
        self.size_joint_feature = CLASSES * LENGTH
        self.features = self.losses = 0

    def joint_feature(self, x: Any, y: Any) -> Any:
        self.features += 1
        label, shift = y
        psi = np.zeros((CLASSES, LENGTH))
        psi[label] = x[shift]
        return psi.ravel()

    def loss(self, y: Any, y_hat: Any) -> float:
        self.losses += 1
        return self.evaluation_loss(y[0], y_hat)

    def evaluation_loss(self, y: Any, y_hat: Any) -> float:
        return float(y != y_hat[0])

    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        return best(scores(x, w) + (np.arange(CLASSES) != y[0])[:, None])

    def decode(self, x: Any, w: Any) -> Any:
        return best(scores(x, w))

    def impute(self, x: Any, y: Any, w: Any) -> Any:
        return y, int(scores(x, w)[y].argmax())


class LocalSearchShift(HiddenShift):
    """It tries the shifts near that of the label only, so the planes have weights of their own."""

    oracle_quality = "undergenerating"

    def separation_oracle(self, x: Any, y: Any, w: Any) -> Any:
        found = scores(x, w) + (np.arange(CLASSES) != y[0])[:, None]
        first = max(0, y[1] - 5)
        label, shift = best(found[:, first : y[1] + 6])
        return label, first + shift


def scores(x: Any, w: Any) -> Any:
    """The score of every class and shift."""
    return w.reshape(CLASSES, LENGTH) @ x.T


def best(found: Any) -> tuple[int, int]:
    """The class and shift of the largest entry."""
    label, shift = divmod(int(found.argmax()), found.shape[1])
    return label, shift


def signals(n: int) -> tuple[list[Any], list[int]]:
    """The parts of noisy signals that begin at each shift, and the classes of their motifs."""
    rng = np.random.default_rng(0)
    motifs = rng.normal(size=(CLASSES, LENGTH))
    X, Y = [], rng.integers(CLASSES, size=n).tolist()
    for label in Y:
        x = rng.normal(size=SHIFTS + LENGTH - 1)
        shift = rng.integers(SHIFTS)
        x[shift : shift + LENGTH] += motifs[label]
        X.append(np.lib.stride_tricks.sliding_window_view(x, LENGTH).copy())
    return X, Y


def trained(kind: type[HiddenShift], C: float) -> dict[str, Any]:
    """One fit: its calls and CPU time."""
    X, Y = signals(N)
    problem = kind()
    started = time.process_time()
    result = CCCP().solve(problem, X, Y, C, copy=False)
    seconds = time.process_time() - started
    return {
        "problem": kind.__name__,
        "C": C,
        "status": result.status.name,
        "objective": result.primal,
        "oracle calls": result.oracle_calls,
        "joint features per call": problem.features / result.oracle_calls,
        "losses per call": problem.losses / result.oracle_calls,
        "CPU s": seconds,
    }


def peak_megabytes(kind: type[HiddenShift]) -> float:
    """The most memory that a fit takes, at the first C."""
    X, Y = signals(N)
    tracemalloc.start()
    CCCP().solve(kind(), X, Y, WEIGHTS[0])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def main() -> None:
    kinds, fits = (HiddenShift, LocalSearchShift), []
    for kind, C in itertools.product(kinds, WEIGHTS):
        fits.append(trained(kind, C))
        print(fits[-1], flush=True)
    memory = [{"problem": kind.__name__, "MB": peak_megabytes(kind)} for kind in kinds]
    report(
        "speed/latent",
        {f"Latent variables, {N} examples, 75 outputs": fits, "peak memory": memory},
    )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with one_thread():
        main()
