"""The tables of docs/decisions.md."""

from __future__ import annotations

from functools import partial

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, short

TWO_DIGITS = partial(short, digits=2)
PYEPO, OURS = ("PyEPO SPO+", "PyEPO perturbed"), "ours, auto"
#: The methods whose calls and seconds are shown.
COMPARED = {"PyEPO": PYEPO[0], "ours": OURS}
#: SPO+ of Elmachtoub & Grigas, 2022: percent, by degree and number of examples.
PAPER = {(8, 100): 16.79, (4, 1000): 7.78, (6, 1000): 8.33, (8, 1000): 10.66, (8, 5000): 10.26}


def regrets(content: Content) -> list[Row]:
    """In percent; PyEPO's is of its loss of the smaller mean regret."""
    return [
        _case(row)
        | {method: f"{row[method]:.2f}" for method in ("least squares", "forest", "Hamming SVM")}
        | {
            "PyEPO": f"{min(row[name] for name in PYEPO):.2f}",
            "ours": f"{row[OURS]:.2f}",
            "ours - PyEPO": _difference(difference),
        }
        for row, difference in zip(content["regret, percent"], content["differences"], strict=True)
    ]


def _difference(row: Row) -> str:
    """The mean over the draws, with its standard error."""
    return f"{row[OURS]:+.2f} ± {row[f'{OURS}, standard error']:.2f}"


def costs(content: Content) -> list[Row]:
    """Calls of the optimizer for each example, and CPU seconds, of PyEPO's SPO+ and of ours."""
    return [
        _case(calls)
        | {f"calls, {name}": f"{calls[key]:.1f}" for name, key in COMPARED.items()}
        | {f"CPU s, {name}": TWO_DIGITS(seconds[key]) for name, key in COMPARED.items()}
        for calls, seconds in zip(content["calls per example"], content["CPU seconds"], strict=True)
    ]


def published(content: Content) -> list[Row]:
    """Regrets of SPO+ with C chosen, as the paper chose it, and those of the paper."""
    return [
        _case(row) | {"here": f"{row['ours, chosen']:.2f}", "published": f"{paper:.2f}"}
        for row in content["regret, percent"]
        if (paper := PAPER.get((row["degree"], row["n"]))) is not None
    ]


def _case(row: Row) -> Row:
    return {"problem, degree, n": f"{row['problem']}, {row['degree']}, {row['n']}"}


TABLES = {
    "decisions-paths": Table(regrets, "decisions/paths"),
    "decisions-paths-cost": Table(costs, "decisions/paths"),
    "decisions-published": Table(published, "decisions/paths"),
    "decisions-others": Table(regrets, "decisions/others"),
    "decisions-others-cost": Table(costs, "decisions/others"),
}
