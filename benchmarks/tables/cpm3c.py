"""Tables of docs/appendix/reproduction.md: CPM3C, ours and the paper's."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchmarks.averages import grouped
from benchmarks.reproduction._names import PAIRS, SEVERAL
from benchmarks.store import Content, Row
from benchmarks.tables.cells import MEASURES, cell, in_digits, method_row
from benchmarks.tables.cpm3c_paper import PAPER, PAPER_SECONDS, TARGETS
from benchmarks.tables.table import Table, plain, rounded

RESULTS = "reproduction/cpm3c"
ALL_PAIRS = ("45 digit pairs", "45 MNIST pairs")
#: The results of single sets.
TITLES = ("two clusters", "more clusters", "texts in more clusters", "paper's protocol", "mnist")
FOUR_DIGITS = "{:.4g}".format


def all_rows(content: Content) -> list[Row]:
    return [row for title in (*TITLES, *ALL_PAIRS) for row in content[title]]


def names_in(rows: list[Row]) -> list[str]:
    """The sets with results, in the order of the tables."""
    return [name for name in (*PAIRS, *SEVERAL, *ALL_PAIRS) if method_row(rows, name, "linear")]


def printed(name: str, method: str, measure: str) -> str:
    """The figure of the paper; it has only accuracies and Rand indices."""
    pair = PAPER.get(name, {}).get(method, ("-", "-"))
    return dict(zip(("accuracy", "RI"), pair, strict=True)).get(measure, "-")


def ours(content: Content, measure: str) -> list[Row]:
    rows = all_rows(content)

    def of(name: str, method: str, worst: bool = False) -> str:
        return cell(rows, name, method, measure, worst)

    return [
        {
            "": name,
            "paper": printed(name, "CPM3C", measure),
            "default": of(name, "default", True),
            "plain": of(name, "linear", True),
            "k-means": of(name, "k-means"),
            "`'diffusion'`": of(name, "diffusion", True),
            "k-means on it": of(name, "k-means on diffusion"),
            "scored with labels": of(name, "protocol"),
        }
        for name in names_in(rows)
    ]


def baselines(content: Content, measure: str) -> list[Row]:
    rows = all_rows(content)
    return [
        {
            "": name,
            "paper, k-means": printed(name, "k-means", measure),
            "single starts": cell(rows, name, "k-means, single starts", measure),
            "best of ten": cell(rows, name, "k-means", measure),
            "paper, cut": printed(name, "cut", measure),
            "cut, widest gap": cell(rows, name, "cut", measure),
            "cut, scored": cell(rows, name, "cut, scored", measure),
            "paper, SVR": printed(name, "SVR", measure),
        }
        for name in names_in(rows)
    ]


def whiten(content: Content) -> list[Row]:
    rows = all_rows(content)
    methods = ("linear", "k-means", "whiten", "k-means on whiten")

    def of(method: str, measure: str) -> str:
        return cell(rows, "letter ABCD", method, measure, worst=True)

    return [
        {"letter ABCD": method, "accuracy (worst seed)": of(method, "accuracy")}
        | {measure: of(method, measure) for measure in ("RI", "NMI", "F")}
        for method in methods
        if method_row(rows, "letter ABCD", method)
    ]


def targets(content: Content) -> list[Row]:
    rows = all_rows(content)
    return [
        {
            "": name,
            "features": method,
            "aim": f"{aim:.1f}",
            "reached": f"{found['accuracy']:.2f}",
            "met": "yes" if found["accuracy"] >= aim else "**no**",
        }
        for name, method, aim in TARGETS
        if (found := method_row(rows, name, method))
    ]


def time(content: Content) -> list[Row]:
    rows = all_rows(content)

    def seconds(row: Row | None) -> str:
        return "-" if row is None else f"{row['CPU s']:.2f}"

    return [
        {
            "": name,
            "C": f"{linear['C']:.3g}",
            "passes": f"{linear['passes']:.0f}",
            "CPU s": seconds(linear),
            "seeds": linear["seeds"],
            "CPU s, `'diffusion'`": seconds(diffusion),
            "seeds, `'diffusion'`": diffusion["seeds"] if diffusion else "-",
            "paper's CPU s": PAPER_SECONDS.get(name, "-"),
        }
        for name in names_in(rows)
        for linear in [method_row(rows, name, "linear")]
        for diffusion in [method_row(rows, name, "diffusion")]
        if linear
    ]


def protocol(content: Content) -> list[Row]:
    return [
        {
            "": row["data"],
            "chosen C": row["C"],
            "accuracy": in_digits(row["accuracy"], "accuracy"),
        }
        for row in content["paper's protocol"]
    ]


def objectives(content: Content) -> list[Row]:
    return [
        {
            "": row["data"],
            "features": row["method"],
            "objective": f"{row['objective']:.4f}",
            "accuracy": f"{row['accuracy']:.2f}",
            "from the classes": f"{row['from the classes']:.4f}",
            "its accuracy": f"{row['its accuracy']:.2f}",
            "higher by": f"{100 * (row['from the classes'] / row['objective'] - 1):.2f} %",
        }
        for row in content["objectives"]
    ]


def memory(content: Content) -> list[Row]:
    """Time and memory of the clustering of MNIST."""
    columns = ("data", "CPU s", "passes", "accuracy", "peak GB")
    return rounded([{column: content["mnist"][0][column] for column in columns}], FOUR_DIGITS)


def slope(rows: Iterable[Row], x: str, seconds: str = "CPU s") -> float:
    """The power of x that the CPU time is proportional to."""
    logs = np.log([(row[x], row[seconds]) for row in rows])
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def slopes(content: Content) -> list[Row]:
    """The powers of n, over all n and over the larger ones, where the search uses a sample."""
    rows = content["growth with n"]
    sizes = sorted({row["n"] for row in rows})
    lines = [
        {"clusters": k, "CPU s": what}
        | {
            f"n from {least:.0e}": slope(
                [row for row in rows if row["clusters"] == k and row["n"] >= least], "n", column
            )
            for least in sizes[:-1]
        }
        for what, column in {"a fit": "CPU s", "one start": "one start, CPU s"}.items()
        for k in (2, 4)
    ]
    return rounded(lines)


def tolerance(content: Content) -> list[Row]:
    return [
        {"": name, "power of tol": f"{slope(rows, 'tol'):.2f}"}
        | {f"tol = {row['tol']:g}": f"{row['CPU s']:.2f}" for row in rows}
        for (name,), rows in grouped(content["tolerance"], ["data"]).items()
    ]


TABLES = {
    **{f"cpm3c-{measure.lower()}": Table(ours, RESULTS, measure=measure) for measure in MEASURES},
    **{
        f"cpm3c-baselines-{measure.lower()}": Table(baselines, RESULTS, measure=measure)
        for measure in MEASURES
    },
    "cpm3c-whiten": Table(whiten, RESULTS),
    "cpm3c-targets": Table(targets, RESULTS),
    "cpm3c-protocol": Table(protocol, RESULTS),
    "cpm3c-objectives": Table(objectives, RESULTS),
    "cpm3c-rules": Table(plain, RESULTS, title="rules for C", text=FOUR_DIGITS),
    "cpm3c-constants": Table(plain, RESULTS, title="constants", text=FOUR_DIGITS),
    "cpm3c-time": Table(time, RESULTS),
    "cpm3c-memory": Table(memory, RESULTS),
    "cpm3c-growth": Table(plain, RESULTS, title="growth with n", text=FOUR_DIGITS),
    "cpm3c-slopes": Table(slopes, RESULTS),
    "cpm3c-tolerance": Table(tolerance, RESULTS),
}
