"""The tables of docs/graphs.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, plain


def horses(content: Content) -> list[Row]:
    """A row for each size of the images and method."""
    return [
        {
            "method": f"{row['method']}, {size}",
            "pixel accuracy": f"{row['pixel accuracy']:.4f}",
            "mean IoU": f"{row['mean IoU']:.3f}",
            "CPU seconds": f"{row['seconds']:.0f}",
            "passes": row.get("passes", ""),
            "relative gap": f"{row['relative gap']:.4f}" if "relative gap" in row else "",
        }
        for size in ("32 x 32", "64 x 64")
        for row in content[size]
    ]


def inference(content: Content) -> list[Row]:
    """A row for each kind of inference; a star marks a value that bounds nothing."""
    return [
        {
            "weights, inference": f"{row['weights']}, {row['inference']}",
            "CPU seconds": f"{row['seconds']:.0f}",
            "passes": row["passes"],
            "dual": f"{row['dual']:.0f}" + ("" if row["lower bound"] else " *"),
            "primal": f"{row['primal']:.0f}" + ("" if row["upper bound"] else " *"),
            "whole labels": f"{100 * row['persistent']:.2f} %",
            "pixel accuracy": f"{row['pixel accuracy']:.4f}",
            "mean IoU": f"{row['mean IoU']:.3f}",
        }
        for row in content["inference"]
    ]


TABLES = {
    "graphs-horses": Table(horses, "graphs/horses"),
    "graphs-inference": Table(inference, "graphs/horses"),
    "graphs-flow": Table(plain, "speed/graphs", title="flow oracle beside maximum_flow"),
    "graphs-trees": Table(plain, "speed/graphs", title="max-product beside a loop"),
}
