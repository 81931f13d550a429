"""Figures on the page on solvers are those of the results."""

from page_text import text_of

from benchmarks.store import stored


def test_the_figures_on_early_stopping_are_those_of_the_results():
    text = text_of("choose_a_solver.md")
    (rows,) = stored("speed/early_stopping").values()
    row = next(r for r in rows if r["data"] == "EWT, 12544 sentences" and r["C"] == 0.5)
    assert row["status without"] == "TIME_LIMIT"
    for figure in (
        f"{row['CPU s']:.1f} CPU seconds, and {row['test']:.1f} % of the tags",
        f"after {row['CPU s without']:.0f} CPU seconds, with {row['test without']:.1f} %",
        f"{max(r['test without'] - r['test'] for r in rows):.1f} points",
    ):
        assert figure in text, figure
    late = [r for r in rows if r["gap without"] > 1e-3]
    assert late == [row]
    assert f"at most 0.1 %, and {100 * row['gap without']:.1f} % where time ran out" in text
