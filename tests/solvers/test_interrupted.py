"""Ctrl-C at any line of any solver leaves the best w so far, and a certificate that is right."""

from functools import cache

import numpy as np
import pytest
from pressed import Press
from toy_problems import LatentTopics, topics_data

import structsvm.solvers
from structsvm import Plan, Status
from structsvm.problems import Multiclass

SOLVERS = [getattr(structsvm.solvers, name) for name in structsvm.solvers.__all__]
AT_WORK = "structsvm/planes/", "structsvm/qp/", "structsvm/oracle/", "structsvm/solvers/"
#: What is around the passes, or works when there is a result.
AROUND = "shared/loop.py", "shared/solver.py", "oracle/workers.py"
PARTS = 60


def pressed(kind, place=None, visit=1):
    """A run with Ctrl-C at a visit of a line after the first pass, and the visits."""
    rng, press = np.random.default_rng(0), Press(AT_WORK, place, visit)
    task = LatentTopics(), topics_data(0, n=4)
    if kind.requires.known_outputs:
        y = rng.integers(3, size=12)
        task = Multiclass(), np.eye(3, 6)[y] + 0.6 * rng.normal(size=(12, 6)), y

    def arm(iteration, w):
        press.armed = True

    with press.watching():
        result = kind(rtol=1e-6, max_iter=9).solve(*task, C=10.0, callback=arm)
    return result, press, task


@cache
def visits(kind):
    """The lines visited after the first pass, and how often."""
    found = pressed(kind)[1].visits.items()
    return sorted(visit for visit in found if not visit[0][0].endswith(AROUND))


@pytest.mark.sampled(PARTS + 1)
@pytest.mark.parametrize("kind", [kind for kind in SOLVERS if kind is not Plan])
@pytest.mark.parametrize("part", range(PARTS))
def test_ctrl_c_at_any_line(kind, part):
    for place, times in visits(kind)[part::PARTS]:
        result, press, task = pressed(kind, place, (times + 1) // 2)
        assert press.pressed and result.status is Status.INTERRUPTED, place
        assert result.verify(*task).matches and result.dual <= result.primal, place
