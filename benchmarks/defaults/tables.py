"""The tables of docs/defaults.md, made of the results of the other scripts.

python -m benchmarks.defaults.tables
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.defaults._scores import averaged, spread
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
        fragments |= of_clusterers(clusterers, ours, name)
    write_fragments({f"defaults-{name}": markdown(rows) for name, rows in fragments.items()})


CLASSIFIERS = ["MulticlassSVM", "LinearSVC", "LogisticRegression"]
MEASURES = [
    *("MultivariateSVM", "LinearSVC", "LinearSVC, balanced"),
    *("LogisticRegression", "LogisticRegression, balanced"),
]
STRUCTURES = ["StructuredSVM", "C by cross-validation", "LinearSVC", "LogisticRegression"]
SEQUENCES = ["ChainSVM", "CRFsuite", "LinearSVC", "LogisticRegression"]
#: The supervised clusterers, and the names of their tables.
OURS = {"SupervisedKMeans": "k-means", "CorrelationClustering": "correlation"}
#: What is beside them.
CLUSTERERS = {
    "SupervisedKMeans": ["pairs, Iterative", "KMeans", "average linkage"],
    "CorrelationClustering": ["pairs, greedy", "KMeans", "average linkage"],
}


def of_clusterers(
    results: Mapping[str, Sequence[Row]], ours: str, name: str
) -> dict[str, list[Row]]:
    """The tables of a supervised clusterer, with the spread over the draws."""
    columns = [ours, *CLUSTERERS[ours]]
    by_form = [
        {"collection": short} | row
        for where, short in COLLECTIONS.items()
        for row in spread(results[f"{ours}, {where}"], ["form"], columns)
    ]
    everywhere = [row for where in COLLECTIONS for row in results[f"{ours}, {where}"]]
    excess = [f"{each}, clusters too many" for each in columns[:2]]
    by_size = spread(everywhere, ["items"], columns + excess * (ours == "CorrelationClustering"))
    return {
        name: by_form,
        f"{name}-sets": spread(results[f"{ours}, the comparison"], ["data", "form"], columns),
        f"{name}-sizes": [without(row, "sets") for row in by_size],
    }


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
