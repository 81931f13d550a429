"""The tables of docs/appendix/speed.md, and one of docs/choose_a_solver.md."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, rounded, short


def overview(tagging: Content, newsgroups: Content, race: Content) -> list[Row]:
    """A row for each kind of data: the plan of "auto" and the usual alternative."""
    return [
        *_overview_of_tagging(first(tagging)),
        *_overview_of_newsgroups(first(newsgroups)),
        *_overview_of_race(first(race)),
    ]


def _overview_of_tagging(rows: list[Row]) -> Iterator[Row]:
    for n in (12544, 2000):
        some = [row for row in rows if row["sentences"] == n]
        other = next(row for row in some if row["trainer"] == "CRFsuite lbfgs")
        for C in (0.1, 0.5):
            ours = [row for row in some if row["trainer"] == f"structsvm C={C}"][-1]
            yield _compared(f"tags of {n} sentences, C={C}", ours, "CRFsuite", other)


def _overview_of_newsgroups(rows: list[Row]) -> Iterator[Row]:
    rows = [row for row in rows if row.get("suboptimality", 1) <= 1e-3]
    for C, intercept in product((0.1, 1.0), ("no", "yes")):
        some = [row for row in rows if row["C"] == C and row["intercept"] == intercept]
        ours, other = (
            min((row for row in some if row["trainer"] == name), key=lambda row: row["CPU s"])
            for name in ("structsvm", "LinearSVC, Crammer-Singer")
        )
        what = f"topics of 11314 articles, C={C:g}"
        what += ", intercept" if intercept == "yes" else ""
        yield _compared(what, ours, "LinearSVC", other)


def _overview_of_race(rows: list[Row]) -> Iterator[Row]:
    rows = [row for row in rows if row["target"] == 1e-3]
    for data in dict.fromkeys(row["data"] for row in rows):
        trainers = {row["solver"].partition(" tol=")[0]: row for row in rows if row["data"] == data}
        name = "LinearSVC" if "LinearSVC" in trainers else "dlib"
        if name in trainers:
            ours = trainers["auto" if "auto" in trainers else "SmoothedLBFGS"]  # in older results
            yield _compared(data, ours, name, trainers[name])


def _compared(what: str, ours: Row, name: str, other: Row) -> Row:
    return {
        "trained": what,
        "CPU s": f"{ours['CPU s']:.2g}",
        "other": f"{other['CPU s']:.2g}, {name}",
        "ratio": f"{ours['CPU s'] / other['CPU s']:.2g}",
    }


def early_stopping(content: Content) -> list[Row]:
    """A row for each data set and solver: with early stopping beside without."""
    rows = []
    for row in first(content):
        seconds = (short(row[name], 2) for name in ("CPU s", "CPU s without"))
        line = {"data, C, solver": f"{row['data']}, {row['C']}, {row['solver']}"}
        line["CPU s"] = "\u00a0/ ".join(seconds)  # may break after the slash
        line["test, %"] = f"{row['test']:.1f} / {row['test without']:.1f}"
        line["gap, %"] = short(100 * row["gap"], 2)
        rows.append(line)
    return rows


def partial_chains(content: Content) -> list[Row]:
    """A row for each size and solver."""
    return [
        {
            "n": row["sentences"],
            "solver": row["solver"],
            "CPU s": short(row["CPU s"]),
            "objective": short(row["objective"]),
            "dev, %": f"{row['dev']:.1f}",
        }
        for row in content["half of the labels"]
    ]


#: Trainers of few wide rows, as the results and as the page name them.
TRAINERS = {
    "MulticlassSVM": "ours",
    "LinearSVC": "SVC",
    "Crammer-Singer": "C.-S.",
    "LogisticRegression": "logistic",
}


def few_wide_rows(content: Content) -> list[Row]:
    """A row for each set of classes: the seconds of all trainers, and the ratio."""
    rows = []
    for row in content["classes, CPU s"]:
        times = {shown: short(row[name], 2) for name, shown in TRAINERS.items()}
        line = {"rows": row["data"], **times}
        rows.append(line | {"ratio": short(row["ratio"], 2)})
    return rows


def few_wide_structures(content: Content) -> list[Row]:
    """A row for each kind of structure."""
    return [
        {
            "structures": row["data"],
            "CPU s": short(row["CPU s"], 2),
            "LinearSVC": short(row["LinearSVC"], 2),
            "ratio": short(row["ratio"], 2),
        }
        for row in content["structures, CPU s"]
    ]


def expensive(content: Content) -> list[Row]:
    """Passes of each solver to both targets, on the handwritten words."""
    found: dict[str, Row] = {}
    for row in first(content):
        if row["data"].startswith("OCR"):
            line = found.setdefault(row["solver"], {"passes": row["solver"]})
            line[f"to {row['target']:g}"] = _text(row["passes"], 1)
    return rounded(list(found.values()), missing="-")


def selected(content: Content, columns: dict[str, str], digits: int) -> list[Row]:
    """Some columns of the first table of a script, under names for the page."""
    rows = [{name: row[column] for column, name in columns.items()} for row in first(content)]
    return rounded(rows, partial(_text, digits=digits))


def first(content: Content) -> list[Row]:
    """The first table of a script."""
    return next(iter(content.values()))


def _text(value: Any, digits: int) -> str:
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1 else f"{value:.{digits}f}"
    return str(value)


PARALLEL = {"work": "work", "where": "where", "speed-up": "speed-up"}
LARGE = {"solver": "solver", "n_jobs": "n_jobs", "wall s": "wall s", "MB, at the end": "MB"}

TABLES = {
    "speed-overview": Table(overview, "speed/tagging", "speed/newsgroups", "speed/race"),
    "speed-early-stopping": Table(early_stopping, "speed/early_stopping"),
    "speed-partial-chains": Table(partial_chains, "speed/partial_chains"),
    "speed-parallel": Table(selected, "speed/parallel", columns=PARALLEL, digits=2),
    "speed-few-wide-rows": Table(few_wide_rows, "speed/few_wide_rows"),
    "speed-few-wide-structures": Table(few_wide_structures, "speed/few_wide_rows"),
    "speed-large": Table(selected, "speed/large", columns=LARGE, digits=1),
    "speed-expensive": Table(expensive, "speed/expensive_oracle"),
}
