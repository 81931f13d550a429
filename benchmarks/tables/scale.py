"""The tables of docs/many_cores.md."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.averages import grouped
from benchmarks.scale._network import MOST_WORKERS
from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, plain, short


def backends(content: Content) -> list[Row]:
    return [_run(row) for row in content["runs"]]


def _run(row: Row) -> Row:
    texts = {key: f"{row[key]:.1f}" if key in row else "-" for key in ("wall s", "CPU s")}
    kept = {key: row[key] for key in row if key not in texts and key != "same bits"}
    return kept | texts | {"same bits": "yes" if row["same bits"] else "no"}


def hours(content: Content) -> list[Row]:
    """A row for each training: hours, with the efficiency in percent."""
    lines = []
    for line, rows in _trainings(content["hours"]):
        first = rows[0]
        line |= {"passes": short(first["passes"]), "alone": short(first["hours alone"])}
        for row in rows:
            percent = f"{100 * row['efficiency']:.2g} %"
            line[f"{row['way']}, {row['workers']}"] = f"{short(row['hours'])} ({percent})"
        lines.append(line)
    return lines


def traffic(content: Content) -> list[Row]:
    lines = []
    for line, rows in _trainings(content["hours"]):
        for row in rows:
            if row["workers"] != 100 and row["way"] != "tree":
                name = f"{row['way']}, {row['workers']}"
                line[f"MB, {name}"] = short(row["MB a pass and worker"])
                line[f"GB held, {name}"] = short(row["GB held"])
        lines.append(line)
    return lines


def limits(content: Content) -> list[Row]:
    lines = []
    for line, rows in _trainings(content["limits"]):
        for row in rows:
            most = f"> {MOST_WORKERS}" if row["half"] == MOST_WORKERS else str(row["half"])
            fast = "-" if row["fastest"] == MOST_WORKERS else str(row["fastest"])
            line[f"{row['way']}, {row['case']}"] = f"{most} / {fast}"
        lines.append(line)
    return lines


def _trainings(rows: list[Row]) -> Iterator[tuple[Row, list[Row]]]:
    """The first columns of a line, and the rows that belong into it."""
    for (training, size), line in grouped(rows, ["training", "size of w"]).items():
        yield {"training": training, "size of w": f"{size:.0e}"}, line


TABLES = {
    "scale-backends": Table(backends, "scale/backends"),
    "scale-costs": Table(plain, "scale/measure", title="oracles", text=short, missing="-"),
    "scale-passes": Table(plain, "scale/measure", title="passes", text=short),
    "scale-bytes": Table(plain, "scale/plan", title="bytes", text=short),
    "scale-plan": Table(hours, "scale/plan"),
    "scale-traffic": Table(traffic, "scale/plan"),
    "scale-limits": Table(limits, "scale/plan"),
}
