"""Figures on the page on graphs are those of the results."""

from page_text import rows_by, text_of

from benchmarks.store import stored


def test_the_figures_on_horses():
    rows = rows_by("graphs/horses", "32 x 32", "method")
    grid, pixels = (
        f"{rows[method]['mean IoU']:.3f}".lstrip("0")
        for method in ("grid, all weights", "LinearSVC of pixels")
    )
    text = text_of("graphs.md")
    assert f"mean IoU of {grid}, `LinearSVC` on single pixels with {pixels}" in text


def test_the_figures_on_kinds_of_weights():
    rows = stored("graphs/horses")["inference"]
    found = {(row["weights"], row["inference"]): row for row in rows}
    attractive, free = found["attractive", "flow"], found["any", "relaxation"]
    reached = [f"{row['mean IoU']:.3f}".lstrip("0") for row in (free, attractive)]
    text = text_of("graphs.md")
    assert f"stacked graphs reach {reached[0]}" in text
    assert f"attractive weights, which reach {reached[1]}" in text
    assert "thirty times as long" in text and 25 < free["seconds"] / attractive["seconds"] < 35
