"""The tables of docs/graphs.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table


def horses(content: Content) -> list[Row]:
    """A row for each size of the images and method."""
    return [
        {
            "method": f"{row['method']}, {size}",
            "mean IoU": f"{row['mean IoU']:.3f}",
            "pixel accuracy": f"{row['pixel accuracy']:.4f}",
            "CPU seconds": f"{row['seconds']:.0f}",
        }
        for size in ("32 x 32", "64 x 64")
        for row in content[size]
    ]


def inference(content: Content) -> list[Row]:
    """A row for each kind of weights and inference."""
    return [
        {
            "weights, inference": f"{row['weights']}, {row['inference']}",
            "mean IoU": f"{row['mean IoU']:.3f}",
            "CPU seconds": f"{row['seconds']:.0f}",
        }
        for row in content["inference"]
    ]


def snakes(content: Content) -> list[Row]:
    """A row for each method and time limit."""
    return [
        {
            "method": row["method"],
            "accuracy": f"{row['accuracy']:.3f}",
            "CPU seconds": f"{row['seconds']:.0f}",
        }
        for row in content["snakes"]
    ]


TABLES = {
    "graphs-horses": Table(horses, "graphs/horses"),
    "graphs-inference": Table(inference, "graphs/horses"),
    "graphs-snakes": Table(snakes, "graphs/snakes"),
}
