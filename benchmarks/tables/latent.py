"""The tables of docs/latent.md."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, plain, short

ONE_DIGIT = "{:.1f}".format
#: The columns of the letters, as the results and as the page name them.
LETTERS = {
    "known alone, C 200": "known alone, C 200",
    "known alone, C 1000": "C 1000",
    "completed, weight 0": "completed",
    "all known, C 200": "all known",
}


def letters(content: Content) -> list[Row]:
    """Wrong letters in percent, means and standard errors."""
    return [
        {"known": row["known"]}
        | {name: f"{row[key]:.1f} ± {row[f'{key}, se']:.1f}" for key, name in LETTERS.items()}
        for row in content["wrong letters, percent"]
    ]


def digits(content: Content) -> list[Row]:
    return [
        {
            "start": row["start"],
            "starts": row["starts"],
            "wrong digits, %": f"{row['wrong digits, percent']:.1f}",
            "lowest objective": f"{row['lowest objective']:.1f}",
            "CPU s": f"{row['CPU s']:.1f}",
        }
        for row in content["latent"]
    ]


def semi_supervised(content: Content) -> list[Row]:
    """Objectives with the CPU seconds, by the fraction known and the C of a row."""
    return [
        {"data": row["data"], "known": row["known"], "C": row["C for each row"]}
        | {
            solver: f"{short(row[solver])}, {short(row[f'{solver}, CPU s'], 2)} s"
            for solver in ("CCCP", "SmoothedCCCP")
        }
        for row in content["objectives"]
    ]


TABLES = {
    "latent-semi-supervised": Table(semi_supervised, "latent/semi_supervised"),
    "latent-digits": Table(digits, "latent/digits"),
    "latent-digits-beside": Table(plain, "latent/digits", title="beside", text=ONE_DIGIT),
    "latent-letters": Table(letters, "latent/letters"),
}
