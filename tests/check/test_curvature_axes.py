"""Training names the method of wrong axes of the curvature."""

import numpy as np
import pytest

from benchmarks.robustness._planted.bugs import smoothing
from benchmarks.robustness._planted.correct.labels import SoftLabels, labels
from benchmarks.robustness._planted.register import changed
from structsvm import ProblemError, SmoothedLBFGS


def test_axes_of_another_type_are_refused():
    problem = changed(SoftLabels, ".axes", lambda right, task: np.eye(task.size))()
    with pytest.raises(ProblemError, match=r"axes must return structsvm.Axes or None"):
        SmoothedLBFGS().solve(problem, *labels(), C=10.0)


@pytest.mark.parametrize("name", ["Negative", "AMatrix", "Nothing", "OneTooMany"])
def test_training_names_the_method_of_wrong_curvatures(name):
    kind = getattr(smoothing, name)
    problem = changed(SoftLabels, ".axes", lambda right, task: kind(task.X))()
    with pytest.raises(ProblemError, match="axes"):
        SmoothedLBFGS().solve(problem, *labels(), 10.0)
