"""Figures on the page on programs are those of the results."""

import pytest
from page_text import text_of

from benchmarks.store import stored


def cells():
    f1 = {
        (row["weights"], row["annotated"]): f"{row['F1']:.3f}".lstrip("0")
        for row in stored("programs/cell_tracking")["tracking"]
    }
    assert f1["prior", 1.0] == f1["prior", 0.5]
    return [
        f"F1 of links {f1['learned', 1.0]}; {f1['learned', 0.5]} from half the labels",
        f"{f1['prior', 1.0]} from either near weights by hand",
        f"weights by hand {f1['by hand', 0.0]}",
    ]


@pytest.mark.parametrize("source", [cells])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("problems.md"), figure
