"""The tables of docs/decisions.md."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, plain, short

TWO_DIGITS, ONE_PLACE = partial(short, digits=2), "{:.1f}".format

SPO = "PyEPO SPO+"
TWO_STAGE = ("least squares", "ridge", "forest", "Hamming SVM")
FOR_DECISIONS = (SPO, "PyEPO perturbed", "ours, auto", "ours, chosen")
#: Of all methods, those whose calls and seconds are shown.
COMPARED = {SPO: "PyEPO", "ours, auto": "auto", "ours, chosen": "chosen"}
#: Elmachtoub & Grigas, 2022: percent, by degree and number of examples, the mean of 50 draws.
PAPER = {
    (8, 100): {"least squares": 25.51, "forest": 33.04, "Hamming SVM": 18.45, "SPO+": 16.79},
    (4, 1000): {"least squares": 8.96, "forest": 8.92, "Hamming SVM": 8.27, "SPO+": 7.78},
    (6, 1000): {"least squares": 12.93, "forest": 10.43, "Hamming SVM": 8.58, "SPO+": 8.33},
    (8, 1000): {"least squares": 21.38, "forest": 15.16, "Hamming SVM": 10.92, "SPO+": 10.66},
    (8, 5000): {"least squares": 21.79, "forest": 9.72, "Hamming SVM": 10.40, "SPO+": 10.26},
}


def regrets(content: Content, several: bool) -> list[Row]:
    return [_case(row, several) | _regrets(row) for row in content["regret, percent"]]


def path_regrets(content: Content) -> list[Row]:
    """With the published regret of SPO+ in a column of its own."""
    return [
        own | {"published SPO+": _number(PAPER.get((own["degree"], own["n"]), {}).get("SPO+"))}
        for own in regrets(content, several=False)
    ]


def published(content: Content) -> list[Row]:
    """Regrets here, and those of the paper; for SPO+ ours with C chosen, as the paper chose."""
    rows = []
    for row in content["regret, percent"]:
        paper = PAPER.get((row["degree"], row["n"]))
        if paper is not None:
            own: Row = {"degree": row["degree"], "n": row["n"]}
            for method, value in paper.items():
                own[method] = _number(row["ours, chosen" if method == "SPO+" else method])
                own[f"{method}, published"] = _number(value)
            rows.append(own)
    return rows


def costs(content: Content, several: bool) -> list[Row]:
    """Differences of the regrets, and what a fit takes; in brackets all fits it was chosen from."""
    titles = "differences", "calls per example", "CPU seconds"
    return [
        _case(difference, several)
        | {
            f"{COMPARED[method]} - PyEPO's best": _difference(difference, method)
            for method in ("ours, auto", "ours, chosen")
        }
        | {
            f"calls: {short_name}": _fit(calls, name, ONE_PLACE)
            for name, short_name in COMPARED.items()
        }
        | {
            f"CPU s: {short_name}": _fit(seconds, name, TWO_DIGITS)
            for name, short_name in COMPARED.items()
        }
        for difference, calls, seconds in zip(*(content[title] for title in titles), strict=True)
    ]


def pool(content: Content) -> list[Row]:
    """Calls of each solver with and without the pool, and the seconds of the smoothed one."""
    rows: dict[tuple[str, int, float | str], Row] = {}
    for fit in content["fits"]:
        case = {"problem": fit["problem"], "n": fit["n"], "C": _C(fit["C"])}
        row = rows.setdefault(tuple(case.values()), case)
        row[_pooled(fit["solver"], fit)] = ONE_PLACE(fit["calls"])
    for fit in content["fits"]:
        if fit["solver"] == "smoothed":
            row = rows[fit["problem"], fit["n"], _C(fit["C"])]
            row.setdefault("1-slack, no pool", "-")
            row[_pooled("CPU s, smoothed", fit)] = TWO_DIGITS(fit["seconds"])
    columns = list(next(iter(rows.values())))
    return [{column: row[column] for column in columns} for row in rows.values()]


def _pooled(name: str, fit: Row) -> str:
    return name if fit["pool"] else f"{name}, no pool"


def _C(C: float | str) -> str:
    return C if isinstance(C, str) else f"{C:g}"


def _case(row: Row, several: bool) -> Row:
    """What was compared; the problem and the draws where they differ."""
    names = ("problem", "degree", "n", "draws") if several else ("degree", "n")
    return {name: row[name] for name in names}


def _regrets(row: Row) -> Row:
    return {method: _number(row.get(method)) for method in TWO_STAGE} | {
        method: _spread(row, method) for method in FOR_DECISIONS
    }


def _spread(row: Row, method: str) -> str:
    """Mean and standard deviation over the draws."""
    return f"{row[method]:.2f} ± {row[f'{method}, deviation']:.2f}" if method in row else "-"


def _difference(row: Row, method: str) -> str:
    """Mean of the paired differences and its standard error."""
    return f"{row[method]:+.2f} ± {row[f'{method}, standard error']:.2f}" if method in row else "-"


def _fit(row: Row, method: str, text: Callable[[float], str]) -> str:
    """That of the fit, and in brackets of the whole search for it."""
    search = row.get(f"{method}, search")
    own = text(row[method]) if method in row else "-"
    return own if search is None else f"{own} ({text(search)})"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


TABLES = {
    "decisions-paths": Table(path_regrets, "decisions/paths"),
    "decisions-paths-cost": Table(costs, "decisions/paths", several=False),
    "decisions-published": Table(published, "decisions/paths"),
    "decisions-others": Table(regrets, "decisions/others", several=True),
    "decisions-others-cost": Table(costs, "decisions/others", several=True),
    "decisions-epochs": Table(plain, "decisions/epochs", title="CPU seconds", text=TWO_DIGITS),
    "decisions-pool": Table(pool, "decisions/pool"),
}
