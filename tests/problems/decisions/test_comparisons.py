"""Decisions that are better than those known as the best: what messages say."""

import numpy as np
import pytest

from structsvm.data.examples import Spans
from structsvm.exceptions import ProblemError
from structsvm.problems.decisions.checks import losses, require_best_known, require_not_worse
from structsvm.problems.decisions.data import Optima

ROUND = "decisions of whole numbers are not rounded: .* round what they return"
COSTS = np.array([2.0, 3.0, 2.0, 4.0])


def two_examples(decisions):
    return Optima(COSTS, np.array(decisions), Spans(np.array([2, 2])), np.arange(2))


def unrounded(better):
    """Decisions of two examples of which the second is better by this for the first."""
    return [1.0, 0.0, 1.0 - better, 0.0]


@pytest.mark.parametrize(("better", "rounds"), [(1e-6, True), (0.5, False)])
def test_values_that_look_equal_have_a_difference(better, rounds):
    optima, other = two_examples(unrounded(0)), np.array(unrounded(better))
    shown = f"{2 * better:.3g}"
    calls = {
        rf"for other costs has \S* \({shown} less\)": lambda: require_best_known(
            two_examples(other), 1.0, True
        ),
        rf"improve, returned for other costs has \S* \({shown} less\), which is": lambda: losses(
            optima, other, 1.0, exact=True
        ),
        rf"true costs has \S* \({shown} less\), which is better": lambda: require_not_worse(
            two_examples(other), COSTS, optima.decisions, 1.0
        ),
    }
    for message, call in calls.items():
        with pytest.raises((ValueError, ProblemError), match=message) as caught:
            call()
        assert ("not rounded" in str(caught.value)) == rounds


def test_a_difference_of_values_that_are_maximised_is_more():
    optima, other = two_examples(unrounded(0)), np.array([1.0 + 1e-6, 0.0, 1.0, 0.0])
    with pytest.raises(ProblemError, match=rf"\(2e-06 more\), which is better.*{ROUND}"):
        losses(optima, other, -1.0, exact=True)
