"""A run with a checkpoint, for tests and benchmarks that kill it: prints each pass and the result.

    python killed_run.py SOLVER PATH SECONDS

SECONDS is the length of a pause after every pass.
"""

import hashlib
import sys
import time

from sklearn.datasets import load_digits

from structsvm import (
    CCCP,
    BlockCoordinateFrankWolfe,
    Checkpoint,
    DualCoordinateAscent,
    DualInteriorPoint,
    LatentProblem,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    SmoothedCCCP,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
)
from structsvm.problems import CPM3CProblem, Multiclass

SOLVERS = {
    "OneSlackCuttingPlane": OneSlackCuttingPlane(),
    "NSlackCuttingPlane": NSlackCuttingPlane(rtol=1e-6),
    "BlockCoordinateFrankWolfe": BlockCoordinateFrankWolfe(),
    "SmoothedLBFGS": SmoothedLBFGS(rtol=1e-5),
    "SmoothedCuttingPlane": SmoothedCuttingPlane(rtol=1e-6),
    "DualCoordinateAscent": DualCoordinateAscent(rtol=1e-5),
    "DualInteriorPoint": DualInteriorPoint(rtol=1e-9),
    "CCCP": CCCP(),
    "SmoothedCCCP": SmoothedCCCP(),
}


class HalfKnown(LatentProblem, Multiclass):
    """Digits of which half have no label."""


def main(name, path, seconds):
    X, Y = load_digits(return_X_y=True)
    X, Y = X[:200] / 16, Y[:200]
    task = {
        "CCCP": (CPM3CProblem(4), [X], None),
        "SmoothedCCCP": (HalfKnown(), X, [y if i % 2 else None for i, y in enumerate(Y.tolist())]),
    }.get(name, (Multiclass(), X, Y))

    def after_pass(iteration, w):
        sys.stdout.write(f"{iteration.iteration}\n")
        sys.stdout.flush()
        time.sleep(float(seconds))

    result = SOLVERS[name].solve(*task, 50.0, callback=after_pass, checkpoint=Checkpoint(path, 0))
    history = repr([step._replace(seconds=0.0) for step in result.history])
    digest = hashlib.sha256(result.w.tobytes() + history.encode()).hexdigest()
    sys.stdout.write(f"result {digest} {result.iterations}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
