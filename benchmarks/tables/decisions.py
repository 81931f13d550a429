"""The tables of docs/decisions.md."""

from __future__ import annotations

from functools import partial

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, short

TWO_DIGITS = partial(short, digits=2)
PYEPO, OURS = ("PyEPO SPO+", "PyEPO perturbed"), "ours, auto"
#: Other methods, as the results and as the page name them.
OTHERS = {"least squares": "linear", "forest": "forest", "Hamming SVM": "SVM"}
#: The methods whose calls and seconds are shown.
COMPARED = {"PyEPO": PYEPO[0], "ours": OURS}
#: SPO+ of Elmachtoub & Grigas, 2022: percent, by degree and number of examples.
PAPER = {(8, 100): 16.79, (4, 1000): 7.78, (6, 1000): 8.33, (8, 1000): 10.66, (8, 5000): 10.26}


def regrets(content: Content, problem: str) -> list[Row]:
    """In percent; PyEPO's is of its loss of the smaller mean regret."""
    return [
        {"degree, n": f"{row['degree']}, {row['n']}"}
        | {name: f"{row[method]:.2f}" for method, name in OTHERS.items()}
        | {
            "PyEPO": f"{min(row[name] for name in PYEPO):.2f}",
            "ours": f"{row[OURS]:.2f}",
            "±": f"{difference[f'{OURS}, standard error']:.2f}",
        }
        for row, difference in zip(content["regret, percent"], content["differences"], strict=True)
        if row["problem"] == problem
    ]


def costs(content: Content) -> list[Row]:
    """Calls of the optimizer for each example, and CPU seconds, of PyEPO's SPO+ and of ours."""
    return [
        _case(calls)
        | {f"calls, {name}": f"{calls[key]:.1f}" for name, key in COMPARED.items()}
        | {f"CPU s, {name}": TWO_DIGITS(seconds[key]) for name, key in COMPARED.items()}
        for calls, seconds in zip(content["calls per example"], content["CPU seconds"], strict=True)
    ]


def _case(row: Row) -> Row:
    return {"problem, degree, n": f"{row['problem']}, {row['degree']}, {row['n']}"}


def published(content: Content) -> list[Row]:
    """Regrets of SPO+ with C chosen, as the paper chose it, and those of the paper."""
    return [
        _case(row) | {"here": f"{row['ours, chosen']:.2f}", "published": f"{paper:.2f}"}
        for row in content["regret, percent"]
        if (paper := PAPER.get((row["degree"], row["n"]))) is not None
    ]


TABLES = {
    "decisions-paths": Table(regrets, "decisions/paths", problem="paths"),
    "decisions-paths-cost": Table(costs, "decisions/paths"),
    "decisions-published": Table(published, "decisions/paths"),
    "decisions-knapsacks": Table(regrets, "decisions/others", problem="knapsacks"),
    "decisions-tours": Table(regrets, "decisions/others", problem="tours"),
    "decisions-others-cost": Table(costs, "decisions/others"),
}
