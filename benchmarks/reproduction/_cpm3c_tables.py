"""The documentation's tables and figures of CPM3C, beside those of the paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import Row, markdown
from benchmarks.reproduction._protocol import MEASURES, cell, in_digits, method_row
from benchmarks.reproduction._sets import PAIRS, SEVERAL

FIGURES = Path(__file__).parents[2] / "docs" / "_static"


#: Accuracy in percent and Rand index as printed in tables 2 and 3, '-' where there is none.
PAPER: dict[str, dict[str, tuple[str, str]]] = {
    "digits 3v8": {"k-means": ("94.68", "0.904"), "cut": ("65.00", "0.545"),
                   "SVR": ("96.64", "0.940"), "CPM3C": ("96.92", "0.945")},
    "digits 1v7": {"k-means": ("94.45", "0.995"), "cut": ("55.00", "0.504"),
                   "SVR": ("99.45", "0.995"), "CPM3C": ("100.0", "1.00")},
    "digits 2v7": {"k-means": ("96.91", "0.940"), "cut": ("66.00", "0.550"),
                   "SVR": ("100.0", "1.00"), "CPM3C": ("100.0", "1.00")},
    "digits 8v9": {"k-means": ("90.68", "0.835"), "cut": ("52.00", "0.500"),
                   "SVR": ("96.33", "0.934"), "CPM3C": ("97.74", "0.956")},
    "letter AvB": {"k-means": ("82.06", "0.706"), "cut": ("76.80", "0.644"),
                   "SVR": ("92.80", "0.867"), "CPM3C": ("94.47", "0.897")},
    "satellite": {"k-means": ("95.93", "0.922"), "cut": ("95.79", "0.919"),
                  "SVR": ("96.82", "0.939"), "CPM3C": ("98.48", "0.971")},
    "text-1": {"k-means": ("50.53", "0.500"), "cut": ("93.79", "0.884"),
               "SVR": ("96.82", "0.939"), "CPM3C": ("95.00", "0.905")},
    "text-2": {"k-means": ("50.38", "0.500"), "cut": ("91.35", "0.842"),
               "SVR": ("93.99", "0.887"), "CPM3C": ("96.28", "0.929")},
    "45 digit pairs": {"k-means": ("96.38", "0.933"), "cut": ("97.57", "0.956"),
                       "SVR": ("98.18", "0.967"), "CPM3C": ("99.38", "0.989")},
    "45 MNIST pairs": {"k-means": ("89.21", "0.808"), "cut": ("89.92", "0.818"),
                       "SVR": ("92.41", "0.860"), "CPM3C": ("95.71", "0.921")},
    "digits 0689": {"k-means": ("42.23", "0.696"), "cut": ("93.13", "0.939"),
                    "CPM3C": ("96.63", "0.968")},
    "digits 1279": {"k-means": ("40.42", "0.681"), "cut": ("90.11", "0.909"),
                    "CPM3C": ("94.01", "0.943")},
    "rec": {"k-means": ("35.27", "0.581"), "cut": ("41.89", "0.496"),
            "CPM3C": ("70.63", "0.782")},
    "webkb cornell": {"k-means": ("55.71", "0.603"), "cut": ("61.43", "0.602"),
                      "CPM3C": ("71.95", "0.728")},
    "webkb texas": {"k-means": ("45.05", "0.604"), "cut": ("35.38", "0.514"),
                    "CPM3C": ("69.29", "0.707")},
    "webkb washington": {"k-means": ("53.52", "0.616"), "cut": ("32.85", "0.581"),
                         "CPM3C": ("77.96", "0.747")},
    "webkb wisconsin": {"k-means": ("49.53", "0.581"), "cut": ("33.31", "0.509"),
                        "CPM3C": ("73.88", "0.752")},
}  # fmt: skip


#: CPU seconds of CPM3C as printed in table 4, on a PC of its year.
PAPER_SECONDS = {
    "digits 3v8": 1.10, "digits 1v7": 0.95, "digits 2v7": 0.75, "digits 8v9": 0.85,
    "letter AvB": 0.87, "satellite": 4.54, "text-1": 19.75, "text-2": 16.16, "digits 0689": 9.66,
    "digits 1279": 17.47, "webkb cornell": 9.534, "webkb texas": 10.53,
    "webkb washington": 10.67, "webkb wisconsin": 9.041, "rec": 215.6,
}  # fmt: skip


#: Targets of the fits without labels, accuracy in percent.
TARGETS = (
    ("digits 3v8", "default", 96.92), ("digits 8v9", "default", 97.74),
    ("digits 0689", "default", 96.63), ("digits 1279", "default", 94.01),
    ("45 digit pairs", "default", 99.38),
    ("digits 3v8", "linear", 96.0), ("digits 1v7", "linear", 100.0),
    ("digits 2v7", "linear", 100.0), ("digits 8v9", "linear", 95.7),
    ("letter AvB", "linear", 94.4), ("satellite", "linear", 98.2),
    ("text-1", "linear", 95.0), ("text-2", "linear", 95.8), ("rec", "linear", 94.0),
    ("digits 0689", "diffusion", 98.0), ("digits 1279", "diffusion", 94.0),
    ("digits 8v9", "diffusion", 97.7), ("satellite", "diffusion", 98.5),
    ("45 digit pairs", "diffusion", 98.9), ("digits", "diffusion", 89.0),
    ("letter ABCD", "whiten", 85.0),
)  # fmt: skip


ALL_PAIRS = ("45 digit pairs", "45 MNIST pairs")


def slope(rows: Iterable[Row], x: str, seconds: str = "CPU s") -> float:
    """The power of x that the CPU time is proportional to."""
    logs = np.log([(row[x], row[seconds]) for row in rows])
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def slopes(rows: list[Row]) -> list[Row]:
    """The powers of n, over all n and over the larger ones, where the search uses a sample."""
    sizes = sorted({row["n"] for row in rows})
    return [
        {"clusters": k, "CPU s": what}
        | {
            f"n from {least:.0e}": slope(
                [row for row in rows if row["clusters"] == k and row["n"] >= least], "n", column
            )
            for least in sizes[:-1]
        }
        for what, column in {"a fit": "CPU s", "one start": "one start, CPU s"}.items()
        for k in (2, 4)
        if sum(row["clusters"] == k for row in rows) == len(sizes)
    ]


def plot_growth(rows: list[Row]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3.6), layout="constrained")
    axes = figure.add_subplot()
    n = np.unique([row["n"] for row in rows])
    for k, colour in ((2, "C0"), (4, "C1")):
        those = [row for row in rows if row["clusters"] == k]
        for column, line, what in (
            ("CPU s", "o-", "a fit"),
            ("one start, CPU s", "s--", "a start"),
        ):
            seconds = [row[column] for row in those]
            axes.loglog(
                n[: len(seconds)], seconds, line, color=colour, label=f"{k} clusters, {what}"
            )
    axes.loglog(n, 2e-5 * n, "k:", label="proportional to n")
    axes.set(xlabel="rows n", ylabel="CPU seconds")
    axes.legend(fontsize="small")
    figure.savefig(FIGURES / "time-against-n.png", dpi=100)


def plot_tolerance(rows: list[Row]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.4), layout="constrained")
    time, accurate = figure.subplots(1, 2)
    for name in dict.fromkeys(row["data"] for row in rows):
        those = [row for row in rows if row["data"] == name]
        tol = [row["tol"] for row in those]
        time.loglog(tol, [row["CPU s"] for row in those], marker=".", label=name)
        accurate.semilogx(tol, [row["accuracy"] for row in those], marker=".")
    time.set(xlabel="tol", ylabel="CPU seconds of a fit, 10 starts")
    accurate.set(xlabel="tol", ylabel="accuracy, percent")
    time.legend(fontsize="x-small", loc="lower left")
    figure.savefig(FIGURES / "time-against-tol.png", dpi=90)


def all_rows(content: dict[str, Any]) -> list[Row]:
    tables = (
        "two clusters",
        "more clusters",
        "texts in more clusters",
        "paper's protocol",
        "mnist",
    )
    return [row for table in (*tables, *ALL_PAIRS) for row in content.get(table, [])]


def names_in(rows: list[Row]) -> list[str]:
    """The sets with results, in the order of the tables."""
    return [name for name in (*PAIRS, *SEVERAL, *ALL_PAIRS) if method_row(rows, name, "linear")]


def printed(name: str, method: str, measure: str) -> str:
    """The paper's figure; it has only accuracies and Rand indices."""
    pair = PAPER.get(name, {}).get(method, ("-", "-"))
    return dict(zip(("accuracy", "RI"), pair, strict=True)).get(measure, "-")


def our_table(rows: list[Row], measure: str) -> str:
    def of(name: str, method: str, worst: bool = False) -> str:
        return cell(rows, name, method, measure, worst)

    return markdown(
        [
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
    )


def baseline_table(rows: list[Row], measure: str) -> str:
    return markdown(
        [
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
    )


def whiten_table(rows: list[Row]) -> str:
    methods = ("linear", "k-means", "whiten", "k-means on whiten")

    def of(method: str, measure: str) -> str:
        return cell(rows, "letter ABCD", method, measure, worst=True)

    return markdown(
        [
            {"letter ABCD": method, "accuracy (worst seed)": of(method, "accuracy")}
            | {measure: of(method, measure) for measure in ("RI", "NMI", "F")}
            for method in methods
            if method_row(rows, "letter ABCD", method)
        ]
    )


def target_table(rows: list[Row]) -> str:
    return markdown(
        [
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
    )


def time_table(rows: list[Row]) -> str:
    def seconds(row: Row | None) -> str:
        return "-" if row is None else f"{row['CPU s']:.2f}"

    return markdown(
        [
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
    )


def protocol_table(rows: list[Row]) -> str:
    return markdown(
        [
            {
                "": row["data"],
                "chosen C": row["C"],
                "accuracy": in_digits(row["accuracy"], "accuracy"),
            }
            for row in rows
        ]
    )


def objective_table(rows: list[Row]) -> str:
    return markdown(
        [
            {
                "": row["data"],
                "features": row["method"],
                "objective": f"{row['objective']:.4f}",
                "accuracy": f"{row['accuracy']:.2f}",
                "from the classes": f"{row['from the classes']:.4f}",
                "its accuracy": f"{row['its accuracy']:.2f}",
                "higher by": f"{100 * (row['from the classes'] / row['objective'] - 1):.2f} %",
            }
            for row in rows
        ]
    )


def memory_table(rows: list[Row]) -> str:
    """Time and memory of the clustering of MNIST."""
    columns = ("data", "CPU s", "passes", "accuracy", "peak GB")
    return rounded([{column: rows[0][column] for column in columns}])


def rounded(rows: list[Row], digits: int = 4) -> str:
    """All columns of the rows, numbers rounded."""
    return markdown(
        [
            {
                column or " ": f"{value:.{digits}g}" if isinstance(value, float) else value
                for column, value in row.items()
            }
            for row in rows
        ]
    )


def tolerance_table(rows: list[Row]) -> str:
    return markdown(
        [
            {"": name, "power of tol": f"{slope(those, 'tol'):.2f}"}
            | {f"tol = {row['tol']:g}": f"{row['CPU s']:.2f}" for row in those}
            for name in dict.fromkeys(row["data"] for row in rows)
            for those in [[row for row in rows if row["data"] == name]]
        ]
    )


def fragments(content: dict[str, Any]) -> dict[str, str]:
    """The tables of the page, by name; those of parts that were not run are left out."""
    rows = all_rows(content)
    made = {f"cpm3c-{measure.lower()}": our_table(rows, measure) for measure in MEASURES}
    made |= {
        f"cpm3c-baselines-{measure.lower()}": baseline_table(rows, measure) for measure in MEASURES
    }
    made |= {
        "cpm3c-whiten": whiten_table(rows),
        "cpm3c-targets": target_table(rows),
        "cpm3c-time": time_table(rows),
    }
    writers: dict[str, tuple[str, Callable[[list[Row]], str]]] = {
        "cpm3c-protocol": ("paper's protocol", protocol_table),
        "cpm3c-objectives": ("objectives", objective_table),
        "cpm3c-rules": ("rules for C", rounded),
        "cpm3c-memory": ("mnist", memory_table),
        "cpm3c-constants": ("constants", rounded),
        "cpm3c-growth": ("growth with n", rounded),
        "cpm3c-slopes": ("growth with n", lambda rows: rounded(slopes(rows), 3)),
        "cpm3c-tolerance": ("tolerance", tolerance_table),
    }
    return made | {
        name: write(content[table]) for name, (table, write) in writers.items() if table in content
    }


def figures(content: dict[str, Any]) -> None:
    FIGURES.mkdir(exist_ok=True)
    for table, plot in {"growth with n": plot_growth, "tolerance": plot_tolerance}.items():
        if table in content:
            plot(content[table])
