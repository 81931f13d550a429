"""How many pairs of a feature and a label should have a weight by default, and how they are kept.

Tasks and columns as in benchmarks/sequences/scale.py. "pairs" is how many pairs may have a weight
though they do not occur (MANY, in problems/classification/states), and "frequent" the fraction of
the labels with which a feature must occur, so that products have a weight for every label of it
(FREQUENT), which changes the time and memory alone. Every row has a process of its own.

    python -m benchmarks sequences/states    # needs the treebank in STRUCTSVM_DATA; Linux
"""

from __future__ import annotations

import json
import subprocess
import sys

from benchmarks.report import one_thread, report
from benchmarks.sequences import scale
from benchmarks.sequences.templates import TASKS
from benchmarks.store import Row
from structsvm.problems.classification.states import choice, seen_states

RESULTS = "sequences/states"
PAIRS = (0, 125_000, 250_000, 500_000, 1_000_000)
FREQUENT = (0.05, 0.15, 0.5)


def row(task: str, pairs: int, frequent: float) -> Row:
    """The row of a new process."""
    command = [sys.executable, "-m", "benchmarks.sequences.states", task, str(pairs), str(frequent)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: Row = {"task": task, "pairs": pairs, "frequent": frequent}
    found |= json.loads(done.stdout.splitlines()[-1])
    print(found, flush=True)
    return found


def main() -> None:
    tasks = (*TASKS, scale.DRAWN)
    by_pairs = [row(task, pairs, seen_states.FREQUENT) for task in tasks for pairs in PAIRS]
    by_frequent = [row(task, 0, frequent) for task in tasks for frequent in FREQUENT]
    report(RESULTS, {"by pairs": by_pairs, "by frequent features": by_frequent})


if __name__ == "__main__":
    with one_thread():
        if len(sys.argv) == 1:
            main()
        else:
            choice.MANY, seen_states.FREQUENT = int(sys.argv[2]), float(sys.argv[3])
            print(json.dumps(scale.ours(sys.argv[1], {})))
