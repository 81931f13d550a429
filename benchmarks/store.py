"""Results of the scripts, as JSON in benchmarks/results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"

Row = dict[str, Any]
#: The rows of each table of a script, by title.
Content = dict[str, list[Row]]


def stored(name: str) -> Content:
    """The tables of an earlier run; empty if there was none."""
    content = _read(name)
    content.pop("environment", None)
    return content


def write(name: str, content: dict[str, Any]) -> None:
    """Write results/NAME.json; the name includes the folder."""
    path = _path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n")


def save(name: str, title: str, rows: list[Row]) -> None:
    """Put one table into the results, so that an interrupted run keeps what it has."""
    write(name, _read(name) | {title: rows})


def merge(name: str, title: str, rows: list[Row], *keys: str) -> None:
    """Put rows into one table of the results, replacing rows with the same ``keys``.

    Rows and columns that this run skipped stay.
    """
    merged: dict[str, Row] = {}
    for row in [*stored(name).get(title, []), *rows]:
        key = json.dumps([row[key] for key in keys])
        merged[key] = merged.get(key, {}) | row
    save(name, title, list(merged.values()))


def _read(name: str) -> dict[str, Any]:
    path = _path(name)
    try:
        return json.loads(path.read_text()) if path.exists() else {}
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is no JSON: {error}; restore it, or remove it and run") from error


def _path(name: str) -> Path:
    return RESULTS / f"{name}.json"
