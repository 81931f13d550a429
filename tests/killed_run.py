"""A run with a checkpoint, for tests that kill it: prints a line after each pass.

    python killed_run.py SOLVER PATH SECONDS

SECONDS is the length of a pause after every pass.
"""

import sys
import time

from sklearn.datasets import load_digits

from structsvm import CCCP, Checkpoint, OneSlackCuttingPlane, SmoothedLBFGS
from structsvm.problems import CPM3CProblem, Multiclass

SOLVERS = {
    "OneSlackCuttingPlane": OneSlackCuttingPlane(),
    "SmoothedLBFGS": SmoothedLBFGS(),
    "CCCP": CCCP(),
}


def trained(name, path, callback=None):
    """The result of the run with this checkpoint."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:60] / 16, y[:60]
    task = (CPM3CProblem(4), [X], None) if name == "CCCP" else (Multiclass(), X, y)
    return SOLVERS[name].solve(*task, 50.0, callback=callback, checkpoint=Checkpoint(path, 0))


if __name__ == "__main__":
    name, path, seconds = sys.argv[1:]

    def after_pass(iteration, w):
        sys.stdout.write("passed\n")
        sys.stdout.flush()
        time.sleep(float(seconds))

    trained(name, path, after_pass)
