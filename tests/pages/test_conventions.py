"""Figures on the page on conventions are those of the results."""

from page_text import rows_by, text_of


def test_the_figures_on_rounding_are_those_of_the_results():
    text = text_of("conventions.md")
    solvers = rows_by("robustness/certificates", "certificates", "solver")
    assert not any(row["wrong primal"] or row["wrong dual"] for row in solvers.values())
    problems = sum(solvers[name]["problems"] for name in ("one slack", "CCCP"))
    assert f"no wrong bound on {problems} small random problems" in text
    auto = rows_by("robustness/scales", "by solver", "solver")["auto"]
    assert f"of {auto['runs']} problems with badly scaled features" in text
    assert f"left {auto['not converged']} unconverged, and {auto['unsolved']} of these" in text
