"""Figures on the page on convex and Bayesian clustering are those of the results."""

import pytest
from page_text import rows_by, text_of

from benchmarks.store import stored
from benchmarks.tables import relatives


def labels():
    rows = rows_by("reproduction/sdp_mmc", "labels", "data")
    digits, diabetes = rows["digits 1v7"], rows["diabetes"]
    assert diabetes["SDP"] > diabetes["SVM, cross-validated"]
    return [
        f"it errs on {digits['SDP']:.1f} %, "
        f"a cross-validated support vector machine on {digits['SVM, cross-validated']:.1f} %"
    ]


def several():
    rows = stored("reproduction/sdp_mmc")["several"]
    k_means, cpm3c = (sum(row["SDP"] > row[name] for row in rows) for name in ("k-means", "CPM3C"))
    assert (min(row["k"] for row in rows), max(row["k"] for row in rows)) == (3, 10)
    return [f"k-means on {k_means} of {len(rows)} data sets, and more than `CPM3C` on {cpm3c}"]


def bounds():
    rows = stored("reproduction/sdp_mmc")["solvers"]
    pairs = [(row["admm"], row["low_rank"]) for row in rows]
    larger = sum(admm["lower bound"] > low_rank["lower bound"] for admm, low_rank in pairs)
    ratios = [admm["CPU s"] / low_rank["CPU s"] for admm, low_rank in pairs]
    return [
        f"the bound was larger on {larger} of {len(rows)}",
        f"{min(ratios):.0f} to {max(ratios):.0f} times the seconds",
    ]


def seconds():
    sizes = stored("reproduction/sdp_mmc")["sizes"]
    few, many = ([row["CPU s"] for row in sizes if row["n"] == n] for n in (400, 10_000))
    assert 1.4 < max(few) <= 1.5
    return ["400 rows take 1.5 seconds", f"10,000 take {min(many):.0f} to {max(many):.0f}"]


@pytest.mark.parametrize("source", [labels, several, bounds, seconds])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("relatives.md"), figure


def test_probabilities():
    table = relatives.probabilities(stored("reproduction/bayesian_mmc"))
    for column in list(table[0])[1:]:
        mean = {row[""]: float(row[column]) for row in table}
        assert 0 < mean["`BayesianMMC`"] - mean["k-means"] < 1
        assert mean["with `calibrate=True`"] < 0.7 * mean["calibration error"]
    rows = stored("reproduction/bayesian_mmc")["calibration"]
    most = max(rows, key=lambda row: row["rows"])
    assert round(most["confidence"], 2) in (0.88, 0.89)
