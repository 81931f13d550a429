"""Figures on the page on graphs are those of the results."""

import pytest
from page_text import rows_by, text_of


def horses():
    rows = rows_by("graphs/horses", "32 x 32", "method")
    names = ("mean IoU", 3), ("pixel accuracy", 4)
    grid, pixels = (
        [f"{rows[method][name]:.{digits}f}".lstrip("0") for name, digits in names]
        for method in ("grid, all weights", "LinearSVC of pixels")
    )
    return [
        f"mean IoU {grid[0]}, pixels {grid[1]}",
        f"`LinearSVC` of pixels {pixels[0]} and {pixels[1]}",
    ]


@pytest.mark.parametrize("source", [horses])
def test_the_figures_are_those_of_the_results(source):
    for figure in source():
        assert figure in text_of("problems.md"), figure
