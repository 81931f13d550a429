"""The tables of docs/speed.md, made of the results of the other scripts.

python -m benchmarks.speed.tables
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from benchmarks.report import Row, markdown, stored, write_fragments


def main() -> None:
    write_fragments(
        {
            "speed-overview": markdown(overview()),
            "speed-race": markdown(race()),
            "speed-tagging": markdown(tagging()),
            "speed-newsgroups": markdown(newsgroups()),
            "speed-early-stopping": markdown(early_stopping()),
            "speed-latent": markdown(latent()),
            "speed-single": markdown(single_oracle()),
            "speed-cpu-time": markdown(cpu_time()),
            "speed-parallel": markdown(_rounded(_rows("parallel"), 2)),
            "speed-overhead": markdown(_rounded(_rows("parallel", 1), 0)),
            "speed-large": markdown(_rounded(_rows("large"), 1)),
            "speed-planes": markdown(_rounded(_rows("planes_per_pass"), 2)),
            "speed-pruning": markdown(_rounded(_rows("planes_per_pass", 1), 2)),
            "speed-expensive": markdown(expensive()),
            "speed-oracle-cost": markdown(oracle_cost()),
            "speed-products": markdown(_rounded(_rows("products"), 0)),
            "speed-subnormal": markdown(_rounded(_rows("products", 1), 1)),
        }
    )


def overview() -> list[Row]:
    """A row for each kind of data: SmoothedLBFGS beside what one might take instead."""
    return [*_overview_of_tagging(), *_overview_of_newsgroups(), *_overview_of_race()]


def _overview_of_tagging() -> Iterator[Row]:
    rows = _rows("tagging")
    for n in (12544, 2000):
        some = [row for row in rows if row["sentences"] == n]
        other = next(row for row in some if row["trainer"] == "CRFsuite lbfgs")
        for C in (0.1, 0.5):
            ours = [row for row in some if row["trainer"] == f"structsvm C={C}"][-1]
            yield _compared(f"tags of {n} sentences, C={C}", ours, "CRFsuite, L-BFGS", other)


def _overview_of_newsgroups() -> Iterator[Row]:
    rows = [row for row in _rows("newsgroups") if row.get("suboptimality", 1) <= 1e-3]
    for C, intercept in product((0.1, 1.0), ("no", "yes")):
        some = [row for row in rows if row["C"] == C and row["intercept"] == intercept]
        ours, other = (
            min((row for row in some if row["trainer"] == name), key=lambda row: row["CPU s"])
            for name in ("structsvm", "LinearSVC, Crammer-Singer")
        )
        what = f"topics of 11314 articles, C={C:g}"
        what += ", intercept" if intercept == "yes" else ""
        yield _compared(what, ours, "LinearSVC", other)


def _overview_of_race() -> Iterator[Row]:
    rows = [row for row in _rows("race") if row["target"] == 1e-3]
    for data in dict.fromkeys(row["data"] for row in rows):
        trainers = {row["solver"].partition(" tol=")[0]: row for row in rows if row["data"] == data}
        name = "LinearSVC" if "LinearSVC" in trainers else "dlib"
        if name in trainers:
            yield _compared(data, trainers["SmoothedLBFGS"], name, trainers[name])


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


def race() -> list[Row]:
    """A row for each data set and solver: CPU seconds and the ratio at both targets."""
    found: dict[tuple[str, str], Row] = {}
    for row in _rows("race"):
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


def tagging() -> list[Row]:
    """A row for each trainer and gap."""
    rows = []
    for row in _rows("tagging"):
        line = {name: row[name] for name in ("trainer", "sentences")}
        gap = row.get("certified gap")
        line["certified gap"] = "-" if gap is None else f"{100 * gap:.1f} %"
        line["CPU s"], line["passes"] = f"{row['CPU s']:.1f}", row.get("passes", "-")
        line["dev"], line["test"] = (f"{row[part]:.2f}" for part in ("dev", "test"))
        rows.append(line | {name: f"{row[name]:.2f}" for name in ("GB before", "peak GB")})
    return rows


def newsgroups() -> list[Row]:
    """A row for each trainer, C and tolerance."""
    rows = []
    for row in _rows("newsgroups"):
        line = {name: row[name] for name in ("trainer", "C", "intercept", "tolerance")}
        for name in ("certified gap", "suboptimality"):
            line[name] = f"{100 * row[name]:.2f} %" if name in row else "-"
        line["CPU s"], line["test"] = f"{row['CPU s']:.2f}", f"{row['test']:.2f}"
        rows.append(line | {"peak GB": f"{row['peak GB']:.2f}"})
    return rows


def early_stopping() -> list[Row]:
    """A row for each data set and solver: with early stopping beside without."""
    rows = []
    for row in _rows("early_stopping"):
        line = {name: row[name] for name in ("data", "C", "solver")}
        line["passes"] = f"{row['passes']} / {row['passes without']}"
        line["CPU s"] = f"{row['CPU s']:.3g} / {row['CPU s without']:.3g}"
        gaps = (f"{100 * row[name]:.2g} %" for name in ("gap", "gap without"))
        line["gap"] = " / ".join(gaps)
        line["test"] = f"{row['test']:.2f} / {row['test without']:.2f}"
        rows.append(line)
    return rows


def latent() -> list[Row]:
    """A row for each problem and C."""
    columns = (
        "problem",
        "C",
        "oracle calls",
        "joint features per call",
        "losses per call",
        "CPU s",
    )
    return _rounded([{name: row[name] for name in columns} for row in _rows("latent")], 1)


def single_oracle() -> list[Row]:
    """Microseconds of the engine per call, by the number of examples."""
    found: dict[tuple[str, str], Row] = {}
    for row in _rows("single_oracle"):
        solver = row["solver"].replace("TimedDescent", "SmoothedCuttingPlane, its descents aside")
        key = row["joint feature"], solver
        line = found.setdefault(key, {"joint feature": key[0], "solver": key[1]})
        line[f"n = {row['n']}"] = f"{row['engine, us a call']:.0f}"
    columns = ("joint feature", "solver", "n = 200", "n = 1000")
    return [{column: line.get(column, "-") for column in columns} for line in found.values()]


def expensive() -> list[Row]:
    """Passes of each solver to both targets."""
    found: dict[tuple[str, str], Row] = {}
    for row in _rows("expensive_oracle"):
        line = found.setdefault(
            (row["data"], row["solver"]), {"data": row["data"], "solver": row["solver"]}
        )
        line[f"passes to {row['target']:g}"] = _text(row["passes"], 1)
    columns = ["data", "solver", "passes to 0.01", "passes to 0.001"]
    return [{column: line.get(column, "-") for column in columns} for line in found.values()]


def oracle_cost() -> list[Row]:
    """The summary for the oracles as they are, and for calls that take 1 ms more."""
    summary = _rounded(_rows("oracle_cost", 1), 2)
    return [row for row in summary if row["a call takes"] in ("as it does", "1 ms more")]


def cpu_time() -> list[Row]:
    """CPU time by part, in whole percent."""
    rows = []
    for row in _rows("cpu_time_by_part"):
        line = {name: row.pop(name) for name in ("data", "solver")}
        line["CPU s"] = f"{row.pop('CPU s'):.3g}"
        rows.append(line | {part: f"{percent:.0f}" for part, percent in row.items()})
    return rows


def _rows(name: str, table: int = 0) -> list[Row]:
    return list(stored(f"speed/{name}").values())[table]


def _rounded(rows: list[Row], digits: int) -> list[Row]:
    return [{column: _text(value, digits) for column, value in row.items()} for row in rows]


def _text(value: Any, digits: int) -> str:
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1 else f"{value:.{digits}f}"
    return str(value)


if __name__ == "__main__":
    main()
