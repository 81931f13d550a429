"""One-slack cutting planes: one plane a pass, when they stop, and which point they return."""

import numpy as np
from toy_problems import Multilabel, multilabel_data

from structsvm import OneSlackCuttingPlane, Status

X, Y = multilabel_data()
C = 100.0


def solve(**parameters):
    return OneSlackCuttingPlane(**parameters).solve(Multilabel(), X, Y, C)


def test_each_pass_adds_at_most_one_plane():
    history = solve(rtol=1e-6).history
    planes = [step.n_planes for step in history]
    assert planes[0] == 0
    assert set(np.diff(planes)) <= {0, 1}


def test_rtol_and_atol_decide_when_to_stop():
    loose, tight = solve(rtol=0.1), solve(rtol=1e-6)
    assert loose.iterations < tight.iterations
    assert tight.gap <= 1e-6 * tight.primal < loose.gap <= 0.1 * loose.primal
    absolute = solve(rtol=0, atol=0.5)
    assert absolute.status is Status.CONVERGED
    assert absolute.gap <= 0.5
    assert absolute.history[-2].gap > 0.5
