"""The tables of docs/defaults.md, made of the results of the other scripts.

python -m benchmarks.defaults.tables
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.defaults._scores import averaged
from benchmarks.report import Row, markdown, stored, write_fragments

#: The collections, as the results and as the page name them.
COLLECTIONS = {"the choice": "choice", "the comparison": "comparison"}


def main() -> None:
    classifiers, measures = stored("defaults/classifiers"), stored("defaults/measures")
    structures, clusterers = stored("defaults/structures"), stored("defaults/clusterers")
    sequences = stored("defaults/sequences")
    fragments = {
        "classifiers": means(classifiers, ["form"], CLASSIFIERS),
        "classifiers-sets": sets(classifiers["the comparison"], ["data", "form"], CLASSIFIERS),
        "classifiers-choice": sets(classifiers["the choice"], ["data", "form"], CLASSIFIERS),
        "classifiers-candidates": classifiers["candidates"],
        "classifiers-factors": [without(row, "sets") for row in classifiers["factors"]],
        "measures": means(measures, ["measure", "form"], MEASURES),
        "measures-candidates": [without(row, "sets") for row in measures["candidates"]],
        "structures": means(structures, ["problem"], STRUCTURES),
        "structures-sets": sets(structures["the comparison"], ["data", "problem"], STRUCTURES),
        "structures-candidates": [without(row, "sets") for row in structures["candidates"]],
    }
    fragments |= {
        "sequences": means(sequences, [], SEQUENCES),
        "sequences-sets": sets(sequences["the comparison"], ["data"], SEQUENCES),
        "sequences-candidates": sequences["candidates"],
    }
    for ours, name in OURS.items():
        columns = [ours, *CLUSTERERS]
        of_ours = {where: clusterers[f"{ours}, {where}"] for where in COLLECTIONS}
        everywhere = of_ours["the choice"] + of_ours["the comparison"]
        by_size = averaged(everywhere, ["items"], [*columns, f"{ours}, clusters too many"])
        fragments |= {
            name: means(of_ours, ["form"], columns),
            f"{name}-sets": averaged(of_ours["the comparison"], ["data", "form"], columns),
            f"{name}-sizes": [without(row, "sets") for row in by_size],
            f"{name}-candidates": clusterers[f"{ours}, candidates"],
        }
    write_fragments({f"defaults-{name}": markdown(rows) for name, rows in fragments.items()})


CLASSIFIERS = ["MulticlassSVM", "LinearSVC", "LogisticRegression"]
MEASURES = [
    *("MultivariateSVM", "LinearSVC", "LinearSVC, balanced"),
    *("LogisticRegression", "LogisticRegression, balanced"),
]
STRUCTURES = ["StructuredSVM", "C by cross-validation", "LinearSVC", "LogisticRegression"]
SEQUENCES = ["ChainSVM", "CRFsuite", "LinearSVC", "LogisticRegression"]
CLUSTERERS = ["KMeans", "average linkage", "logistic regression on pairs"]
#: The supervised clusterers, and the names of their tables.
OURS = {"SupervisedKMeans": "k-means", "CorrelationClustering": "correlation"}


def means(
    tables: Mapping[str, Sequence[Row]], by: Sequence[str], columns: Sequence[str]
) -> list[Row]:
    """The means of both collections, one below the other."""
    return [
        {"collection": name} | row
        for where, name in COLLECTIONS.items()
        for row in averaged(tables[where], by, columns)
    ]


def sets(rows: Sequence[Row], first: Sequence[str], columns: Sequence[str]) -> list[Row]:
    """Some columns of every row, and the standard error."""
    return [{name: row[name] for name in [*first, *columns, "standard error"]} for row in rows]


def without(row: Row, column: str) -> Row:
    return {name: value for name, value in row.items() if name != column}


if __name__ == "__main__":
    main()
