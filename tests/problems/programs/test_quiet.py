"""Searches print nothing, and take nothing from what others print."""

import subprocess
import sys

import pytest

#: A program for which HiGHS 1.12 prints the line that is kept back, beside prints of others.
CODE = """
import os, sys, threading
import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from structsvm.problems.programs.quiet import without_debug_line
rng, v = np.random.default_rng(49), 40
A = np.zeros((20, v))
for i in range(20):
    A[i, rng.choice(20, 5)], A[i, 20 + i] = rng.random(5), -1e3
rows = [LinearConstraint(A, -np.inf, 0), LinearConstraint(np.eye(v)[:20].sum(0), 5.3, np.inf)]
upper = np.r_[np.full(20, 1e3 / 3), np.ones(20)]
costs, integrality = 1e6 * np.abs(rng.normal(size=v)), np.r_[np.zeros(20), np.ones(20)]
def search():
    milp(costs, integrality=integrality, bounds=Bounds(0, upper), constraints=rows)
def quiet():
    with without_debug_line():
        search()
if sys.argv[1] == "bare":
    search()
elif sys.argv[1] == "threads":
    threads = [threading.Thread(target=quiet) for _ in range(4)]
    [thread.start() for thread in threads]
    print("main", flush=True)
    [thread.join() for thread in threads]
elif sys.argv[1] == "closed":
    os.close(1)
    quiet()
    sys.stderr.write("done")
elif sys.argv[1] == "forked":
    done = threading.Event()
    def search_on():
        while not done.is_set():
            quiet()
    thread = threading.Thread(target=search_on)
    thread.start()
    for _ in range(20):
        child = os.fork()
        if not child:
            quiet()
            os.write(1, b"child\\n")
            os._exit(0)
        os.waitpid(child, 0)
    done.set()
    thread.join()
else:
    with without_debug_line():
        print("before", flush=True)
        quiet()
        os.write(1, b"inside\\n")
    print("after", flush=True)
"""


def printed(how):
    command = [sys.executable, "-c", CODE, how]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("how", "lines"),
    [
        ("nested", "before\ninside\nafter\n"),
        ("threads", "main\n"),
        ("closed", "done"),
        ("forked", "child\n" * 20),
    ],
)
def test_the_line_of_highs_is_kept_back_and_nothing_else(how, lines):
    assert printed(how) == lines


def test_without_the_context_this_version_of_highs_prints_it():
    if "tmpSolver.run()" not in printed("bare"):
        pytest.skip("the HiGHS of this scipy does not print the line")
