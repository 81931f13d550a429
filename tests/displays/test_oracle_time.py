"""OracleTimeDisplay: the parts add up to the total."""

import numpy as np
import pytest

from structsvm import NSlackCuttingPlane, OneSlackCuttingPlane
from structsvm.displays import OracleTimeDisplay
from structsvm.problems import SDPMMC, Multiclass

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def results():
    X, y = Multiclass.example_data()
    solvers = {"one slack": OneSlackCuttingPlane(), "n slacks": NSlackCuttingPlane()}
    return {name: solver.solve(Multiclass(), X, y, C=10.0) for name, solver in solvers.items()}


def test_bars_add_up_to_the_total(results):
    display = OracleTimeDisplay.from_results(results)
    lengths = [[bar.get_width() for bar in bars] for bars in display.bars_.values()]
    totals = [result.seconds["total"] for result in results.values()]
    np.testing.assert_allclose(np.sum(lengths, axis=0), totals)
    assert display.bars_["qp"][0].get_width() == results["one slack"].seconds["qp"]
    assert display.bars_["qp"][0].get_x() == pytest.approx(
        sum(results["one slack"].seconds[part] for part in ("oracle", "joint_feature"))
    )
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == list(results)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_parts_that_were_not_measured_are_the_rest():
    X = np.random.default_rng(0).normal(size=(12, 2))
    sdp = SDPMMC().fit(X)
    display = OracleTimeDisplay.from_estimator(sdp)
    assert display.seconds["rest"][0] == sdp.result_.seconds["total"]


def test_unusable_arguments(results):
    with pytest.raises(TypeError, match="results must be a dict of names and Results"):
        OracleTimeDisplay.from_results(list(results.values()))
    with pytest.raises(TypeError, match="result must be a Result"):
        OracleTimeDisplay.from_results({"one": 3})
    with pytest.raises(ValueError, match="a part must be one of"):
        OracleTimeDisplay({"decoding": [1.0]}, ["a"])
    with pytest.raises(ValueError, match="31 results is not readable, at most 30 are drawn"):
        OracleTimeDisplay({"rest": np.ones(31)}, ["a"] * 31)
