"""What users pass in the place of an optimizer."""

import numpy as np
import pytest

from structsvm.problems.decisions.optimizers import CallableOptimizer, GridPaths, as_optimizer


def hasty(costs):
    return np.zeros_like(costs)


hasty.oracle_quality = "undergenerating"


def test_an_optimizer_stays():
    grid = GridPaths(2, 2)
    assert as_optimizer(grid) is as_optimizer(grid, "min") is grid


def test_another_sense_is_refused():
    with pytest.raises(ValueError, match="GridPaths minimises: write sense='min'"):
        as_optimizer(GridPaths(2, 2), "max")
    maximising = CallableOptimizer(hasty, sense="max")
    with pytest.raises(ValueError, match="CallableOptimizer maximises: write sense='max'"):
        as_optimizer(maximising)


def test_a_function_keeps_its_quality():
    made = as_optimizer(hasty, "max")
    assert isinstance(made, CallableOptimizer) and made.function is hasty
    assert (made.sense, made.oracle_quality) == ("max", "undergenerating")
    assert as_optimizer(np.sign).oracle_quality == "exact"


@pytest.mark.parametrize(
    "given, message",
    [
        (GridPaths, r"expected an optimizer; got a class: write GridPaths\(\.\.\.\)"),
        (
            None,
            "expected an optimizer, a Program, a model of PyEPO, or a function from costs to a "
            "decision; got None",
        ),
        ("grid", "got 'grid'"),
    ],
)
def test_anything_else_is_refused(given, message):
    with pytest.raises(TypeError, match=message):
        as_optimizer(given)
