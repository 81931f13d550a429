"""Tables of docs/appendix/reproduction.md: MMC with a multivariate loss, ours and the paper's."""

from __future__ import annotations

from benchmarks.reproduction._names import PAIRS
from benchmarks.store import Content, Row
from benchmarks.tables.cells import cell, in_digits, method_row
from benchmarks.tables.table import Table

RESULTS = "reproduction/multivariate_mmc"
#: The measure of each loss.
LOSSES = {"nmi": "NMI", "rand": "RI", "f": "F"}

#: As printed in tables 3 to 5: k-means, normalised cut, MMC, and MMC with a multivariate loss.
PAPER: dict[str, dict[str, tuple[str, str, str, str]]] = {
    "NMI": {
        "digits 1v7": ("0.975", "0.008", "1.00", "1.00"),
        "digits 2v7": ("0.801", "0.075", "1.00", "1.00"),
        "digits 3v8": ("0.714", "0.069", "0.816", "0.861"),
        "digits 8v9": ("0.562", "0.002", "0.845", "0.860"),
        "ionosphere": ("0.072", "0.164", "0.122", "0.197"),
        "ringnorm": ("0.199", "0.220", "0.207", "0.422"),
        "letter AvB": ("0.323", "0.219", "0.695", "0.703"),
        "satellite": ("0.771", "0.765", "0.894", "0.923"),
        "text-1": ("0.021", "0.722", "0.761", "0.830"),
        "text-2": ("0.018", "0.653", "0.808", "0.900"),
    },
    "RI": {
        "digits 1v7": ("0.995", "0.504", "1.00", "1.00"),
        "digits 2v7": ("0.940", "0.550", "1.00", "1.00"),
        "digits 3v8": ("0.904", "0.545", "0.945", "0.961"),
        "digits 8v9": ("0.835", "0.500", "0.956", "0.962"),
        "ionosphere": ("0.564", "0.626", "0.599", "0.640"),
        "ringnorm": ("0.635", "0.653", "0.642", "0.676"),
        "letter AvB": ("0.706", "0.644", "0.873", "0.895"),
        "satellite": ("0.922", "0.919", "0.971", "0.982"),
        "text-1": ("0.499", "0.884", "0.905", "0.939"),
        "text-2": ("0.500", "0.842", "0.929", "0.969"),
    },
    "F": {
        "digits 1v7": ("0.994", "0.503", "1.00", "1.00"),
        "digits 2v7": ("0.940", "0.549", "1.00", "1.00"),
        "digits 3v8": ("0.904", "0.544", "0.945", "0.961"),
        "digits 8v9": ("0.835", "0.498", "0.956", "0.962"),
        "ionosphere": ("0.594", "0.652", "0.627", "0.672"),
        "ringnorm": ("0.689", "0.685", "0.688", "0.724"),
        "letter AvB": ("0.706", "0.644", "0.897", "0.900"),
        "satellite": ("0.944", "0.942", "0.978", "0.986"),
        "text-1": ("0.761", "0.887", "0.907", "0.940"),
        "text-2": ("0.762", "0.849", "0.931", "0.970"),
    },
}


def measures(content: Content, measure: str) -> list[Row]:
    """The table of one measure in the paper, and ours beside it."""
    rows, scored = content["without labels"], content["paper's protocol"]
    loss = next(loss for loss, name in LOSSES.items() if name == measure)
    of = {(row["data"], row["method"], row["scored by"]): row[measure] for row in scored}

    def best(name: str, method: str) -> str:
        value = of.get((name, method, measure))
        return "-" if value is None else in_digits(value, measure)

    return [
        {
            "": name,
            "paper, this loss": PAPER[measure][name][3],
            "paper, MMC": PAPER[measure][name][2],
            "this loss": cell(rows, name, loss, measure),
            "`MMC`": cell(rows, name, "hinge", measure),
            "k-means": cell(rows, name, "k-means", measure),
            "this loss, scored": best(name, loss),
            "`MMC`, scored": best(name, "hinge"),
            "paper, k-means": PAPER[measure][name][0],
            "paper, cut": PAPER[measure][name][1],
        }
        for name in PAIRS
        if method_row(rows, name, "hinge")
    ]


def accuracy(content: Content) -> list[Row]:
    rows = content["without labels"]
    return [
        {"": name, "seeds": found["seeds"]}
        | {
            "`MMC`" if loss == "hinge" else f"`'{loss}'`": cell(rows, name, loss, "accuracy", True)
            for loss in ("hinge", *LOSSES)
        }
        for name in PAIRS
        if (found := method_row(rows, name, "hinge"))
    ]


def time(content: Content) -> list[Row]:
    rows = content["without labels"]
    return [
        {"": name}
        | {
            "`MMC`" if loss == "hinge" else f"`'{loss}'`": f"{row['CPU s']:.2f}"
            for loss in ("hinge", *LOSSES)
            if (row := method_row(rows, name, loss))
        }
        for name in PAIRS
        if method_row(rows, name, "hinge")
    ]


TABLES = {
    "multivariate-ri": Table(measures, RESULTS, measure="RI"),
    "multivariate-nmi": Table(measures, RESULTS, measure="NMI"),
    "multivariate-f": Table(measures, RESULTS, measure="F"),
    "multivariate-accuracy": Table(accuracy, RESULTS),
    "multivariate-time": Table(time, RESULTS),
}
