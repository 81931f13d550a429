"""Worker processes end with their parent, and leave Ctrl-C to it; in real processes."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from structsvm.oracle.processes import _interrupts_held

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks for shared memory in /dev/shm"),
]

#: Seconds for what must happen by itself; without the code under test it takes five minutes.
PATIENCE = 30

PROBLEM = """
import signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores Ctrl-C
import numpy as np
from structsvm import OneSlackCuttingPlane, Problem, StructuredSVM

class Slow(Problem):
    seconds = 0.01
    def joint_feature(self, x, y):
        return np.outer(np.eye(3)[y], x).ravel()
    def loss(self, y, y_hat):
        return float(y != y_hat)
    def separation_oracle(self, x, y, w):
        time.sleep(self.seconds)
        return (y + 1) % 3
    def decode(self, x, w):
        time.sleep(self.seconds)
        return 0

def say(*parts):
    print("now", flush=True)

X, Y = np.eye(40, 20_000), [0, 1, 2, 0] * 10  # large enough for shared memory
endless = OneSlackCuttingPlane(rtol=1e-12, max_iter=100_000)
"""

#: Each prints "now" and works on until it is stopped.
FIT = "StructuredSVM(Slow(), C=1e6, solver=endless, n_jobs=2, callback=say).fit(X, Y)"
FIRST_PASS = "Slow.seconds = 60; say(); StructuredSVM(Slow(), n_jobs=2, solver=endless).fit(X, Y)"
PREDICT = """
model = StructuredSVM(Slow(), solver=OneSlackCuttingPlane(max_iter=1)).fit(X[:2], Y[:2])
Slow.seconds, model.n_jobs = 60, 2
say()
model.predict(X)
"""


@pytest.fixture
def started(tmp_path):
    """Start a script in a process group of its own, with its shared memory in a folder."""
    groups = []

    def start(script):
        environment = dict(os.environ, OMP_NUM_THREADS="1", JOBLIB_TEMP_FOLDER=str(tmp_path))
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", PROBLEM + script],
            cwd=tmp_path, env=environment, start_new_session=True, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        groups.append(process.pid)
        assert process.stdout.readline() == "now\n", process.stderr.read()
        return process

    yield start
    for group in groups:
        if alive(group):
            os.killpg(group, signal.SIGKILL)


def alive(group):
    """Whether the process group has a process that is not a zombie."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, of_group = status.read_text().rpartition(")")[2].split()[:3]
        except OSError:  # it has just ended
            continue
        if int(of_group) == group and state != "Z":
            return True
    return False


def shared(folder, pid):
    return [*folder.iterdir(), *Path("/dev/shm").glob(f"sem.loky-{pid}-*")]


@pytest.mark.parametrize(
    ("script", "how"),
    [(FIT, signal.SIGKILL), (FIRST_PASS, signal.SIGTERM)],
    ids=["fit", "first pass"],
)
def test_killing_the_parent_leaves_nothing_behind(started, tmp_path, script, how):
    process = started(script)
    time.sleep(1)
    process.send_signal(how)
    process.wait()
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and (alive(process.pid) or shared(tmp_path, process.pid)):
        time.sleep(0.1)
    assert not alive(process.pid)
    assert shared(tmp_path, process.pid) == []


@pytest.mark.parametrize(
    ("script", "delay", "last"),
    [
        (FIRST_PASS, 0.2, "KeyboardInterrupt: no pass was completed"),
        (FIRST_PASS, 3, "KeyboardInterrupt: no pass was completed"),
        (PREDICT, 1, "KeyboardInterrupt"),
    ],
    ids=["start", "first pass", "predict"],
)
def test_ctrl_c_is_reported_once(started, script, delay, last):
    process = started(script)
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert errors.count("Traceback") == 1, errors
    assert errors.splitlines()[-1] == last
    assert process.returncode == -signal.SIGINT


@pytest.fixture
def ctrl_c():
    """Ctrl-C raises here, even in a background job."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    signal.signal(signal.SIGINT, before)


def test_held_interrupts_come_at_the_end(ctrl_c):
    reached = False
    with pytest.raises(KeyboardInterrupt), _interrupts_held():
        ctrl_c()
        time.sleep(0.01)
        reached = True
    assert reached
