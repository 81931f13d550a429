"""Figures on the page on decisions are those of the results."""

from page_text import text_of

from benchmarks.store import stored

PYEPO, OURS = ("PyEPO SPO+", "PyEPO perturbed"), "ours, auto"


def cases(results, title):
    """The rows of a stored table by problem, degree and number of examples."""
    return {(row["problem"], row["degree"], row["n"]): row for row in stored(results)[title]}


def percent(value):
    return f"{value:.2f} %"


def test_the_regrets_of_paths():
    rows, text = cases("decisions/paths", "regret, percent"), text_of("decisions.md")
    row = rows["paths", 6, 1000]
    pyepo = percent(min(row[name] for name in PYEPO))
    assert f"regret is {percent(row[OURS])} ours, {pyepo} with PyEPO" in text
    assert f"{percent(row['least squares'])} with least squares" in text
    row = rows["paths", 8, 5000]
    assert f"a forest is, with {percent(row['forest'])} against {percent(row[OURS])}" in text
    methods = ("least squares", "forest", "Hamming SVM", *PYEPO, OURS)
    for (_, degree, n), row in rows.items():
        best = min(methods, key=row.get)
        if degree == 1:
            assert best == "least squares"
        if (degree, n) == (8, 5000):
            assert best == "forest"


def test_the_calls_for_paths():
    row = cases("decisions/paths", "calls per example")["paths", 6, 1000]
    found = f"{row[OURS]:.1f} calls of the solver per example, PyEPO's SPO+ {row[PYEPO[0]]:.1f}"
    assert found in text_of("decisions.md")


def test_where_ours_is_behind_with_knapsacks_and_tours():
    for (problem, degree, n), row in cases("decisions/others", "differences").items():
        if degree <= 4:
            assert row[OURS] < 0.01
        elif problem == "knapsacks" or n == 100:
            assert row[OURS] > 0
    row = cases("decisions/others", "regret, percent")["tours", 8, 100]
    pyepo = percent(min(row[name] for name in PYEPO))
    assert f"{percent(row[OURS])} against {pyepo}" in text_of("decisions.md")
    for (problem, *_), row in cases("decisions/others", "CPU seconds").items():
        assert problem != "knapsacks" or row[PYEPO[0]] < row[OURS]
