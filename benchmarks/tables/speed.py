"""The tables of docs/appendix/speed.md, and one of docs/choose_a_solver.md."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, lines, rounded


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


#: With early stopping beside without.
EARLY_STOPPING = {
    "data, C, solver": "{data}, {C}, {solver}",
    "CPU s": "{CPU s:~2}\u00a0/ {CPU s without:~2}",  # may break after the slash
    "test, %": "{test:.1f} / {test without:.1f}",
    "gap, %": "{gap %:~2}",
}
#: Trainers of few wide rows.
FEW_WIDE_ROWS = {
    "rows": "{data}",
    "ours": "{MulticlassSVM:~2}",
    "SVC": "{LinearSVC:~2}",
    "C.-S.": "{Crammer-Singer:~2}",
    "logistic": "{LogisticRegression:~2}",
    "ratio": "{ratio:~2}",
}
FEW_WIDE_STRUCTURES = {
    "structures": "{data}",
    **{name: f"{{{name}:~2}}" for name in ("CPU s", "LinearSVC", "ratio")},
}


def expensive(content: Content) -> list[Row]:
    """Passes of each solver to both targets, on the handwritten words."""
    found: dict[str, Row] = {}
    for row in first(content):
        line = found.setdefault(row["solver"], {"passes": row["solver"]})
        line[f"to {row['target']:g}"] = _text(row["passes"], 1)
    return rounded(list(found.values()), missing="-")


def programs(content: Content) -> list[Row]:
    """A row for each sequence of quadratic programs: the seconds of all solvers."""
    found: dict[str, Row] = {}
    for row in first(content):
        line = found.setdefault(row["sequence"], {"CPU s": row["sequence"], "m": row["m"]})
        line[row["method"].partition("[")[0]] = _text(row["CPU s"], 1)  # cvxopt's last: sparse
    order = ("CPU s", "m", "structsvm", "PIQP", "Clarabel", "cvxopt")
    return [{name: line[name] for name in order} for line in found.values()]


def many_workers(content: Content) -> list[Row]:
    """A row for each kind of pass: its speed-up by numbers of workers, and in other designs."""
    found: dict[tuple[int, float], Row] = {}
    for row in content["Speed-up of a pass over 100000 examples, simulated"]:
        size, ms = row["length of w"], row["ms"]
        line = found.setdefault((size, ms), {"length of w": f"{size:,}", "ms": f"{ms:g}"})
        line[f"{row['workers']}"] = f"{row['now']:.3g}"
        if row["workers"] == 1000:
            line["1000, tree"] = f"{row['tree']:.3g}"
    return list(found.values())


def first(content: Content) -> list[Row]:
    """The first table of a script."""
    return next(iter(content.values()))


def _text(value: Any, digits: int) -> str:
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1 else f"{value:.{digits}f}"
    return str(value)


PARALLEL = {"work": "{work}", "where": "{where}", "speed-up": "{speed-up:.2f}"}
LARGE = {
    **{name: f"{{{name}}}" for name in ("solver", "n_jobs")},
    "wall s": "{wall s:.1f}",
    "MB": "{MB, at the end:.1f}",
}
PREDICTION = {
    "examples": "{examples}",
    "predictor": "{predictor}",
    "one, ms": "{ms for one:.2f}",
    "a second": "{examples a second:.0f}",
}
KERNELS = {"work": "{work}", "kernels": "{kernels}", "CPU s": "{CPU s:.2f}"}

TABLES = {
    "speed-overview": Table(overview, "speed/tagging", "speed/newsgroups", "speed/race"),
    "speed-early-stopping": Table(
        lines,
        "speed/early_stopping",
        title="",
        columns=EARLY_STOPPING,
        more=lambda row: {"gap %": 100 * row["gap"]},
    ),
    "speed-prediction": Table(lines, "speed/prediction", title="", columns=PREDICTION),
    "speed-kernels": Table(lines, "speed/kernels", title="", columns=KERNELS),
    "speed-parallel": Table(
        lines,
        "speed/parallel",
        title="Wall seconds of a fit, and the speed-up",
        columns=PARALLEL,
    ),
    "speed-many-workers": Table(many_workers, "speed/many_workers"),
    "speed-few-wide-rows": Table(
        lines, "speed/few_wide_rows", title="classes, CPU s", columns=FEW_WIDE_ROWS
    ),
    "speed-few-wide-structures": Table(
        lines, "speed/few_wide_rows", title="structures, CPU s", columns=FEW_WIDE_STRUCTURES
    ),
    "speed-large": Table(lines, "speed/large", title="", columns=LARGE),
    "speed-expensive": Table(expensive, "speed/expensive_oracle"),
    "speed-programs": Table(programs, "speed/qp"),
}
