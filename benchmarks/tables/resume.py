"""The table of docs/save_and_resume.md."""

from __future__ import annotations

from benchmarks.tables.table import Table, plain

TABLES = {"resume": Table(plain, "robustness/resume", title="killed twenty times")}
