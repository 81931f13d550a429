"""Tables of docs/appendix/reproduction_relatives.md: clustering by semidefinite programming."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table

RESULTS = "reproduction/sdp_mmc"
#: As printed: maximum margin, spectral clustering and k-means, in percent.
TABLE_1 = {
    "gaussians": (1.25, 1.25, 5),
    "circles": (0, 0, 50),
    "ai": (0, 0, 38.5),
    "joined circles": (1, 24, 50),
    "digits 2v3": (3, 6, 7),
}
#: As printed: maximum margin, spectral clustering, TSVM and SVM, in percent.
TABLE_2 = {
    "digits 1v7": (3.3, 4.2, 4.6, 4.5),
    "digits 2v3": (4.7, 6.4, 5.4, 10.9),
    "australian": (32, 48.7, 38.7, 37.5),
    "vote": (14, 13.8, 17.5, 20.4),
    "diabetes": (35.55, 44.67, 35.89, 39.44),
}


def percent(value: float) -> str:
    return f"{value:.1f}"


def clusters(content: Content) -> list[Row]:
    columns = ("SDP", "k-means", "spectral", "MMC", "Bayesian")
    scored = ("SDP, scored", "SDP, width of spectral", "spectral, scored")
    return [
        {"": row["data"], "paper, SDP": TABLE_1[row["data"]][0]}
        | {"SDP": f"{percent(row['SDP'])} ({percent(row['worst'])})"}
        | {column: percent(row[column]) for column in (*columns[1:], *scored)}
        | {"paper, spectral": TABLE_1[row["data"]][1], "paper, k-means": TABLE_1[row["data"]][2]}
        for row in content["clusters"]
    ]


def certificates(content: Content) -> list[Row]:
    return [
        {
            "": row["data"],
            "lower bound": f"{row['lower bound']:.2f}",
            "f(M)": f"{row['f(M)']:.2f}",
            "f of the labels": f"{row['f of the labels']:.2f}",
            "violation": f"{row['violation']:.4f}",
            "passes": f"{row['passes']:.0f}",
            "CPU s": f"{row['CPU s']:.2f}",
        }
        for row in content["clusters"]
    ]


def labels(content: Content) -> list[Row]:
    columns = ("SDP", "SDP, predict", "SVM", "TSVM", "spectral", "SVM, cross-validated")
    scored = ("SDP, scored", "SVM, scored", "TSVM, scored")
    printed = ("paper, SDP", "paper, spectral", "paper, TSVM", "paper, SVM")
    return [
        {"": row["data"]}
        | {column: percent(row[column]) for column in columns}
        | {"better / worse": f"{row['better']} / {row['worse']}"}
        | {column: percent(row[column]) for column in scored}
        | dict(zip(printed, TABLE_2[row["data"]], strict=True))
        for row in content["labels"]
    ]


def time(content: Content) -> list[Row]:
    digits = {"f(M)": 4, "lower bound": 4, "violation": 4, "f of the labels": 2, "CPU s": 2}
    return [
        {key: f"{row[key]:.{digits[key]}f}" if key in digits else row[key] for key in row}
        for row in content["time"]
    ]


def pairs(content: Content) -> list[Row]:
    digits = {"CPU s": 1, "candidates, CPU s": 2, "lower bound": 2, "f of the labels": 2}
    return [
        {"": row["data"], "n": row["n"], "passes": row["passes"]}
        | {key: f"{row[key]:.{places}f}" for key, places in digits.items()}
        for row in content["pairs"]
    ]


def balance(content: Content) -> list[Row]:
    def found(row: Row, column: str) -> str:
        return f"{row[column]:.1f} ({row[f'smaller, {column}']})"

    return [
        {"": f"{row['data']}, {row['sizes'][0]} and {row['sizes'][1]}"}
        | {"balance=.1": found(row, "default")}
        | {"the warning names": "" if row["advice"] is None else f"{row['advice']:g}"}
        | {"with that": "" if row["advice"] is None else found(row, "advised")}
        | {"balance=.8": found(row, "large")}
        for row in content["balance"]
    ]


def solvers(content: Content) -> list[Row]:
    return [
        {
            "": row["data"],
            "n": row["n"],
            "bound, ADMM": f"{row['admm']['lower bound']:.2f}",
            "bound, low rank": f"{row['low_rank']['lower bound']:.2f}",
            "ratio": f"{row['low_rank']['lower bound'] / row['admm']['lower bound']:.4f}",
            "f of the labels": f"{row['admm']['f of the labels']:.2f}",
            "low rank": f"{row['low_rank']['f of the labels']:.2f}",
            "error": f"{row['admm']['error']:.1f}",
            "error, low rank": f"{row['low_rank']['error']:.1f}",
            "CPU s": f"{row['admm']['CPU s']:.1f}",
            "CPU s, low rank": f"{row['low_rank']['CPU s']:.1f}",
        }
        for row in content["solvers"]
    ]


def sizes(content: Content) -> list[Row]:
    digits = {"CPU s": 1, "peak MB": 0, "lower bound": 2, "f(M)": 2, "f of the labels": 2}
    return [
        {"": row["data"], "n": row["n"], "passes": row["passes"], "error": percent(row["error"])}
        | {key: f"{row[key]:.{places}f}" for key, places in digits.items()}
        for row in content["sizes"]
    ]


def several(content: Content) -> list[Row]:
    return [
        {"": row["data"], "n": row["n"], "k": row["k"]}
        | {column: percent(row[column]) for column in ("SDP", "CPM3C", "k-means")}
        | {"lower bound": f"{row['lower bound']:.2f}"}
        | {"f of the labels": f"{row['f of the labels']:.2f}"}
        | {"gap": f"{1 - row['lower bound'] / row['f of the labels']:.2f}"}
        | {"CPU s": f"{row['CPU s']:.1f}", "CPM3C, CPU s": f"{row['CPM3C, CPU s']:.1f}"}
        for row in content["several"]
    ]


def offset(content: Content) -> list[Row]:
    settings = [f"balance {b}, offset {o}" for b in ("0.1", "0.8") for o in (0, 1)]
    return [
        {"": f"{row['data']}, {row['sizes'][0]} and {row['sizes'][1]}"}
        | {
            setting: f"{row[setting]:.1f} ({row[f'{setting}, smaller']}), "
            f"{row[f'{setting}, gap']:.2f}"
            for setting in settings
        }
        for row in content["offset"]
    ]


TABLES = {
    "sdp-clusters": Table(clusters, RESULTS),
    "sdp-certificates": Table(certificates, RESULTS),
    "sdp-labels": Table(labels, RESULTS),
    "sdp-time": Table(time, RESULTS),
    "sdp-pairs": Table(pairs, RESULTS),
    "sdp-balance": Table(balance, RESULTS),
    "sdp-solvers": Table(solvers, RESULTS),
    "sdp-sizes": Table(sizes, RESULTS),
    "sdp-several": Table(several, RESULTS),
    "sdp-offset": Table(offset, RESULTS),
}
