"""Trainings that are killed at random moments, and go on: is the result the same to the last bit?

    python -m benchmarks.robustness.resume

A training has a checkpoint after every pass. It is killed by SIGKILL after some passes and some
milliseconds, and started again, until it has been killed twenty times; where it ends before, its
file is removed and another begins. Every end is compared with that of a run that nothing has
interrupted: the w, and the numbers of every pass but the times.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.report import report
from benchmarks.store import Row

SCRIPT = Path(__file__).parents[2] / "tests" / "killed_run.py"
SOLVERS = (
    "OneSlackCuttingPlane", "NSlackCuttingPlane", "BlockCoordinateFrankWolfe",
    "SmoothedLBFGS", "SmoothedCuttingPlane", "DualCoordinateAscent", "DualInteriorPoint",
    "CCCP", "SmoothedCCCP",
)  # fmt: skip
KILLS = 20
#: Passes that a process makes before it is killed, at most, and seconds after these.
MOST_PASSES, MOST_SECONDS = 5, 0.04
#: The pause of the script after a pass, so that the moment of the kill is between any two passes.
PAUSE = 0.02


def killed(solver: str) -> Row:
    """Kill a run again and again; count the ends that are the same."""
    rng, same, ends, kills = np.random.default_rng(0), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        expected = ended(start(solver, Path(folder) / "whole.npz", 0.0))
        path = Path(folder) / "run.npz"
        while kills < KILLS or path.exists():
            if kills < KILLS:
                result = interrupt(process := start(solver, path, PAUSE), rng)
            else:
                result = ended(process := start(solver, path, 0.0))
            if process.returncode == -signal.SIGKILL:
                kills += 1
                continue
            ends, same = ends + 1, same + (result == expected)
            path.unlink()
    return {
        "solver": f"`{solver}`",
        "passes": int(expected.split()[-1]),
        "kills": kills,
        "trainings that ended": ends,
        "with the same bits": same,
    }


def start(solver: str, path: Path, pause: float) -> subprocess.Popen[str]:
    command = [sys.executable, str(SCRIPT), solver, str(path), str(pause)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def interrupt(process: subprocess.Popen[str], rng: np.random.Generator) -> str:
    """Kill a process after some passes, each of which is a line; return its last line."""
    assert process.stdout is not None
    read = [process.stdout.readline() for _ in range(int(rng.integers(1, MOST_PASSES + 1)))]
    time.sleep(float(rng.uniform(0, MOST_SECONDS)))
    process.kill()
    return ended(process, "".join(read))


def ended(process: subprocess.Popen[str], read: str = "") -> str:
    """The last line that a process prints: the digest of its result, if it was not killed."""
    return (read + process.communicate()[0]).splitlines()[-1]


def main() -> None:
    rows = [killed(solver) for solver in SOLVERS]
    report("robustness/resume", {"killed twenty times": rows})


if __name__ == "__main__":
    main()
