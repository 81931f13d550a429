"""Figures on the page on measures are those of the results."""

import pytest
from page_text import text_of

from benchmarks.store import stored


def f1(data):
    rows = stored("reproduction/multivariate_svm")["held-out"]
    return next(row for row in rows if (row["data"], row["measure"]) == (data, "f1"))


def letter():
    row = f1("letter A")
    return [
        f"F1 on letter A is {row['ours']:.2f} %, with `LinearSVC` {row['plain']:.2f} %",
        f"balanced class weights {row['balanced']:.2f} %",
    ]


def satellite():
    row, kernel = f1("satellite 4"), f1("satellite 4 RBF")
    return [
        f"it is {row['ours']:.2f} %, with balanced class weights {row['balanced']:.2f} %",
        f"F1 is {kernel['ours']:.2f} %, and `LinearSVC` has {kernel['plain']:.2f} %",
    ]


@pytest.mark.parametrize("source", [letter, satellite])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("multivariate_svm.md"), figure
