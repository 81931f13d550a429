"""The tables of docs/appendix/speed.md, and one of docs/choose_a_solver.md."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, plain, rounded

LATENT = (
    *("problem", "C", "oracle calls", "joint features per call", "losses per call"),
    "CPU s",
)


def overview(tagging: Content, newsgroups: Content, race: Content) -> list[Row]:
    """A row for each kind of data: the plan of 'auto' beside what one might take instead."""
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
            yield _compared(f"tags of {n} sentences, C={C}", ours, "CRFsuite, L-BFGS", other)


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
    gap = ours["certified gap"] if "certified gap" in ours else ours["certified"]
    tests = [f"{row['test']:.1f}" if "test" in row else "-" for row in (ours, other)]
    return {
        "trained": what,
        "certified gap": f"{100 * gap:.2g} %",
        "CPU s": f"{ours['CPU s']:.2g}",
        "beside": name,
        "its CPU s": f"{other['CPU s']:.2g}",
        "ratio": f"{ours['CPU s'] / other['CPU s']:.2g}",
        "test": tests[0],
        "its test": tests[1],
    }


def race(content: Content) -> list[Row]:
    """A row for each data set and solver: CPU seconds and the ratio at both targets."""
    found: dict[tuple[str, str], Row] = {}
    for row in first(content):
        name = row["solver"].partition(" tol=")[0]
        line = found.setdefault((row["data"], name), {"data": row["data"], "solver": name})
        target = f"{row['target']:g}"
        line[f"CPU s to {target}"] = f"{row['CPU s']:.3g}"
        line[f"ratio at {target}"] = f"{row['ratio']:.3g}"
        if row["target"] == 1e-3:
            line["passes"] = _text(row["passes"], 0)
            line["certified gap"] = _text(row["certified"], 5)
            line["peak MB"] = _text(row["peak MB"], 0)
    return list(found.values())


def tagging(content: Content) -> list[Row]:
    """A row for each trainer and gap."""
    rows = []
    for row in first(content):
        line = {name: row[name] for name in ("trainer", "sentences")}
        gap = row.get("certified gap")
        line["certified gap"] = "-" if gap is None else f"{100 * gap:.1f} %"
        line["CPU s"], line["passes"] = f"{row['CPU s']:.1f}", row.get("passes", "-")
        line["dev"], line["test"] = (f"{row[part]:.2f}" for part in ("dev", "test"))
        rows.append(line | {name: f"{row[name]:.2f}" for name in ("GB before", "peak GB")})
    return rows


def newsgroups(content: Content) -> list[Row]:
    """A row for each trainer, C and tolerance."""
    rows = []
    for row in first(content):
        line = {name: row[name] for name in ("trainer", "C", "intercept", "tolerance")}
        for name in ("certified gap", "suboptimality"):
            line[name] = f"{100 * row[name]:.2f} %" if name in row else "-"
        line["CPU s"], line["test"] = f"{row['CPU s']:.2f}", f"{row['test']:.2f}"
        rows.append(line | {"peak GB": f"{row['peak GB']:.2f}"})
    return rows


def early_stopping(content: Content) -> list[Row]:
    """A row for each data set and solver: with early stopping beside without."""
    rows = []
    for row in first(content):
        line = {name: row[name] for name in ("data", "C", "solver")}
        line["passes"] = f"{row['passes']} / {row['passes without']}"
        line["CPU s"] = f"{row['CPU s']:.3g} / {row['CPU s without']:.3g}"
        gaps = (f"{100 * row[name]:.2g} %" for name in ("gap", "gap without"))
        line["gap"] = " / ".join(gaps)
        line["test"] = f"{row['test']:.2f} / {row['test without']:.2f}"
        rows.append(line)
    return rows


def latent(content: Content) -> list[Row]:
    """A row for each problem and C."""
    return [{name: _text(row[name], 1) for name in LATENT} for row in first(content)]


def single_oracle(content: Content) -> list[Row]:
    """Microseconds of the engine per call, by the number of examples."""
    found: dict[tuple[str, str], Row] = {}
    for row in first(content):
        solver = row["solver"].replace("TimedDescent", "SmoothedCuttingPlane, its descents aside")
        key = row["joint feature"], solver
        line = found.setdefault(key, {"joint feature": key[0], "solver": key[1]})
        line[f"n = {row['n']}"] = f"{row['engine, us a call']:.0f}"
    return rounded(list(found.values()), missing="-")


def expensive(content: Content) -> list[Row]:
    """Passes of each solver to both targets."""
    found: dict[tuple[str, str], Row] = {}
    for row in first(content):
        line = found.setdefault(
            (row["data"], row["solver"]), {"data": row["data"], "solver": row["solver"]}
        )
        line[f"passes to {row['target']:g}"] = _text(row["passes"], 1)
    return rounded(list(found.values()), missing="-")


def oracle_cost(content: Content) -> list[Row]:
    """The summary for the oracles as they are, and for calls that take 1 ms more."""
    shown = ("as it does", "1 ms more")
    rows = [row for row in content["summary"] if row["a call takes"] in shown]
    return rounded(rows, partial(_text, digits=2))


def cpu_time(content: Content) -> list[Row]:
    """CPU time by part, in whole percent."""
    rows = []
    for row in first(content):
        line = {name: row.pop(name) for name in ("data", "solver")}
        line["CPU s"] = f"{row.pop('CPU s'):.3g}"
        rows.append(line | {part: f"{percent:.0f}" for part, percent in row.items()})
    return rows


def numbered(content: Content, digits: int, number: int = 0) -> list[Row]:
    """One of the tables of a script."""
    return rounded(list(content.values())[number], partial(_text, digits=digits))


def first(content: Content) -> list[Row]:
    """The first table of a script."""
    return next(iter(content.values()))


def _text(value: Any, digits: int) -> str:
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1 else f"{value:.{digits}f}"
    return str(value)


TABLES = {
    "speed-overview": Table(overview, "speed/tagging", "speed/newsgroups", "speed/race"),
    "speed-race": Table(race, "speed/race"),
    "speed-tagging": Table(tagging, "speed/tagging"),
    "speed-newsgroups": Table(newsgroups, "speed/newsgroups"),
    "speed-early-stopping": Table(early_stopping, "speed/early_stopping"),
    "speed-partial-chains": Table(
        plain, "speed/partial_chains", title="half of the labels", text="{:.4g}".format
    ),
    "speed-latent": Table(latent, "speed/latent"),
    "speed-single": Table(single_oracle, "speed/single_oracle"),
    "speed-cpu-time": Table(cpu_time, "speed/cpu_time_by_part"),
    "speed-parallel": Table(numbered, "speed/parallel", digits=2),
    "speed-overhead": Table(numbered, "speed/parallel", digits=0, number=1),
    "speed-large": Table(numbered, "speed/large", digits=1),
    "speed-planes": Table(numbered, "speed/planes_per_pass", digits=2),
    "speed-pruning": Table(numbered, "speed/planes_per_pass", digits=2, number=1),
    "speed-expensive": Table(expensive, "speed/expensive_oracle"),
    "speed-oracle-cost": Table(oracle_cost, "speed/oracle_cost"),
    "speed-products": Table(numbered, "speed/products", digits=0),
    "speed-subnormal": Table(numbered, "speed/products", digits=1, number=1),
}
