"""The tables of docs/networks.md."""

from __future__ import annotations

from benchmarks.tables.table import Table, plain

TABLES = {
    "networks-letters": Table(plain, "networks/letters", title="error of a letter"),
    "networks-choice": Table(plain, "networks/letters", title="held-out words of fold 0, percent"),
    "networks-speed": Table(plain, "networks/speed", title="CPU time"),
    "networks-perturbed": Table(plain, "networks/perturbed", title="errors"),
    "networks-variance": Table(plain, "networks/perturbed", title="variance"),
}
