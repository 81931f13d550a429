"""Ctrl-C in the first epoch: the weights of the dual solution are worth more than w = 0."""

import numpy as np
import pytest

from structsvm import DualCoordinateAscent, Status
from structsvm.problems import Multiclass
from structsvm.solvers.dual_ascent.ascent import Ascent


@pytest.mark.parametrize("C", [1.0, 1000.0])
@pytest.mark.parametrize("step", [1, 2, 3])
def test_ctrl_c_in_the_first_epoch(step, C, monkeypatch):
    rng, calls, whole = np.random.default_rng(0), [], Ascent._step

    def press(self, *arguments):
        calls.append(0)
        if len(calls) == step:
            raise KeyboardInterrupt
        return whole(self, *arguments)

    monkeypatch.setattr(Ascent, "_step", press)
    y = rng.integers(6, size=4000)
    X = np.eye(6, 40)[y] + 0.5 * rng.normal(size=(4000, 40))
    result = DualCoordinateAscent().solve(Multiclass(), X, y, C)
    assert result.status is Status.INTERRUPTED and result.verify(Multiclass(), X, y).matches
    assert result.w.any() == (step > 1)
    assert result.primal <= C * (1 + 2e-3)
    assert ("w = 0, at which all outputs score the same" in result.message) == (step == 1)
