"""The tables of docs/decisions.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, filled

#: The tables of the results, by the word before their columns in templates.
TITLES = {
    "": "regret, percent",
    "difference ": "differences",
    "calls ": "calls per example",
    "seconds ": "CPU seconds",
}
#: SPO+ of Elmachtoub & Grigas, 2022: percent, by degree and number of examples.
PAPER = {(8, 100): 16.79, (4, 1000): 7.78, (6, 1000): 8.33, (8, 1000): 10.66, (8, 5000): 10.26}
#: In percent; PyEPO's is of its loss of the smaller mean regret.
REGRETS = {
    "degree, n": "{degree}, {n}",
    "linear": "{least squares:.2f}",
    "forest": "{forest:.2f}",
    "SVM": "{Hamming SVM:.2f}",
    "PyEPO": "{PyEPO:.2f}",
    "ours": "{ours, auto:.2f}",
    "±": "{difference ours, auto, standard error:.2f}",
}
CASE = {"problem, degree, n": "{problem}, {degree}, {n}"}
#: Calls of the optimizer for each example, and CPU seconds, of PyEPO's SPO+ and of ours.
COSTS = {
    "calls, PyEPO": "{calls PyEPO SPO+:.1f}",
    "calls, ours": "{calls ours, auto:.1f}",
    "CPU s, PyEPO": "{seconds PyEPO SPO+:~2}",
    "CPU s, ours": "{seconds ours, auto:~2}",
}
#: Regrets of SPO+ with C chosen, as the paper chose it, and those of the paper.
PUBLISHED = {"here": "{ours, chosen:.2f}", "published": "{paper:.2f}"}


def joined(content: Content) -> list[Row]:
    """Return the figures of all tables for the same draws, and of the paper, in one row."""
    rows: list[Row] = [{} for _ in content[TITLES[""]]]
    for word, title in TITLES.items():
        for row, part in zip(rows, content[title], strict=True):
            row.update({word + column: value for column, value in part.items()})
    for row in rows:
        regrets = [row[name] for name in ("PyEPO SPO+", "PyEPO perturbed") if name in row]
        row.update({"PyEPO": min(regrets)} if regrets else {})
        paper = PAPER.get((row["degree"], row["n"]))
        row.update({"paper": paper} if paper else {})
    return rows


def shown(content: Content, columns: dict[str, str], **where: str) -> list[Row]:
    return filled([row for row in joined(content) if where.items() <= row.items()], columns)


def published(content: Content) -> list[Row]:
    return filled([row for row in joined(content) if "paper" in row], CASE | PUBLISHED)


PATHS, OTHERS = "decisions/paths", "decisions/others"
TABLES = {
    "decisions-paths": Table(shown, PATHS, columns=REGRETS, problem="paths"),
    "decisions-paths-cost": Table(shown, PATHS, columns=CASE | COSTS),
    "decisions-published": Table(published, PATHS),
    "decisions-knapsacks": Table(shown, OTHERS, columns=REGRETS, problem="knapsacks"),
    "decisions-tours": Table(shown, OTHERS, columns=REGRETS, problem="tours"),
    "decisions-others-cost": Table(shown, OTHERS, columns=CASE | COSTS),
}
