"""The tables of docs/ranking.md."""

from __future__ import annotations

from functools import partial

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, plain, slashed


def comparison(content: Content) -> list[Row]:
    return [_method(row) for row in content["MQ2008"]]


def _method(row: Row) -> Row:
    return {
        "scores": row["method"],
        "MAP": _fraction(row["MAP, default"], 4),
        "MAP, chosen": _fraction(row["MAP, chosen"], 4),
        "beside one feature": "{:+.4f} ± {:.4f}".format(
            row["MAP - single feature"], row["standard error"]
        ),
        "CPU s": f"{row['CPU s of a fit']:.2f}",
    }


def _fraction(value: float, digits: int) -> str:
    """A number in [0, 1), without the 0 before the point."""
    return f"{value:.{digits}f}".lstrip("0")


def small(content: Content) -> list[Row]:
    """A row for each C and for Ridge: scores of tables that chose / of those that confirm."""
    scores = {(row["measure"], row["tables"]): row for row in content["small tables"]}
    titles = {"ndcg": "NDCG", "roc_area": "pairs", "average_precision": "average precision"}
    return [
        {"C": name}
        | {
            title: slashed(*(f"{scores[measure, t][name]:.1f}" for t in ("choosing", "confirming")))
            for measure, title in titles.items()
        }
        for name in ("1", "3", "m", "3 m", "10 m", "Ridge")
    ]


TABLES = {
    "ranking-small": Table(small, "ranking/small_tables"),
    "ranking-mq2008": Table(comparison, "ranking/mq2008"),
    "ranking-C": Table(
        plain,
        "ranking/mq2008",
        title="MAP of validation queries by C, in n m / s",
        text=partial(_fraction, digits=3),
    ),
}
