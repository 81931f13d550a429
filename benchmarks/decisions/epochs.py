"""CPU time of an epoch of PyEPO's SPO+, with a batched solver and one by one.

    python -m benchmarks.decisions.epochs    # needs torch, and pip install pyepo==2.2.7

1000 examples of degree 4 in batches of 32: the solver is ours, in the batch form that PyEPO takes
of an optMpaxModel, and one call for each example, as any other model of PyEPO makes.
"""

from __future__ import annotations

import importlib.util
import statistics
from itertools import islice

from benchmarks.decisions._draws import knapsacks, paths, tours
from benchmarks.report import one_thread, report
from benchmarks.store import Row

N, DEGREE, EPOCHS = 1000, 4, 5


def seconds() -> list[Row]:
    from benchmarks.decisions._pyepo import Batched, Single, epochs, spo_plus

    rows = []
    for drawn in (paths, knapsacks, tours):
        draw, row = drawn(N, DEGREE, seed=0), {"problem": drawn.__name__}
        for name, model in (("batched", Batched), ("one by one", Single)):
            runs = epochs(draw, spo_plus(model(draw.optimizer)), rate=0.01, seed=0)
            row[name] = statistics.median(took for _, took in islice(runs, EPOCHS))
        rows.append(row)
    return rows


if __name__ == "__main__":
    if importlib.util.find_spec("pyepo") is None:
        print("PyEPO is not installed: nothing is measured")
    else:
        import torch

        torch.set_num_threads(1)
        with one_thread():
            report("decisions/epochs", {"CPU seconds": seconds()})
