"""Figures in the paper are those of the results, and what it cites is in its bibliography."""

import re
from pathlib import Path

from page_text import rows_by

from benchmarks.store import stored

PAPER = Path(__file__).parents[2] / "paper"
TEXT = " ".join((PAPER / "paper.md").read_text().split())


def test_the_checker_and_the_certificates():
    results = stored("robustness/planted")
    totals = [row for row in results["totals"] if row["bugs"] == "all"]
    planted, named = (sum(row[key] for row in totals) for key in ("number", "named alone"))
    assert f"on {planted} bugs planted" in TEXT and f"alone in {named} cases" in TEXT
    (complaints,) = results["false complaints"]
    assert complaints["with findings"] == 0
    assert f"on {complaints['correct problems']} correct problems" in TEXT
    rows = stored("robustness/certificates")["certificates"]
    assert not any(row["wrong primal"] or row["wrong dual"] for row in rows)
    problems = max(row["problems"] for row in rows)
    words = (
        f"of {len(rows)} ways to train were compared with exact arithmetic on up to {problems:,}"
    )
    assert words in TEXT


def test_the_accuracy_and_time_of_tags():
    rows = rows_by("sequences/tags", "accuracy", "trainer")
    ours = rows.pop("ChainSVM()")
    best = max(rows.values(), key=lambda row: row["test"])
    assert f"has {ours['test']:.2f} % right after {ours['training']:.1f} CPU seconds" in TEXT
    assert f"algorithms {best['test']:.2f} % after {best['training']:.1f}" in TEXT


def test_the_regret_and_calls_of_paths():
    def row(table):
        rows = stored("decisions/paths")[table]
        return next(row for row in rows if (row["degree"], row["n"]) == (6, 1000))

    regret, calls = row("regret, percent"), row("calls per example")
    best = min(regret["PyEPO SPO+"], regret["PyEPO perturbed"])
    assert "with 1,000 training examples of degree 6" in TEXT
    assert f"regret is {regret['ours, auto']:.2f} %, with {calls['ours, auto']:.1f} calls" in TEXT
    assert f"has {best:.2f} %, and its SPO+ {calls['PyEPO SPO+']:.1f} calls" in TEXT


def test_the_bibliography_is_that_of_the_citations():
    entries = re.findall(r"^@\w+\{(\w+),", (PAPER / "paper.bib").read_text(), re.MULTILINE)
    assert {*re.findall(r"\[@(\w+)\]", TEXT)} == {*entries} and len({*entries}) == len(entries)
