"""The tables of BayesianMMC on docs/papers/bayesian_mmc.md, ours and the paper's."""

from __future__ import annotations

from benchmarks.tables.table import Table, beside, lines

RESULTS = "reproduction/bayesian_mmc"
UNIVERSUMS = ("None", "mean", "marginal")
NAMED = {"": "{data}, n = {n}"}
ERRORS = {
    "paper": "{paper's Bayesian:g}",
    "best kernel by labels": "{scored:.1f} / {scored, best:.1f}",
    "default": "{Bayesian:.1f} / {best:.1f}",
    "k-means, paper / here": "{paper's k-means:g} / {k-means:.1f}",
    "cut, paper / here": "{paper's cut:g} / {cut:.1f}",
}
SECONDS = {
    "CPU s, paper": "{paper's CPU s:~3}",
    "CPU s, here": "{Bayesian, CPU s:~2}",
    "calibration error": "{Bayesian, ECE:.1f}",
}


def slashes(template: str) -> str:
    """A template for each Universum."""
    return " / ".join(template.format(name) for name in UNIVERSUMS)


SETS = {"title": "sets", "more": beside("bayesian_mmc")}
TABLES = {
    "bayesian-errors": Table(lines, RESULTS, columns=NAMED | ERRORS, **SETS),
    "bayesian-seconds": Table(lines, RESULTS, columns=NAMED | SECONDS, **SETS),
    "bayesian-universum": Table(
        lines,
        RESULTS,
        title="universum",
        columns={"": "{data}", "paper": slashes("{{paper's {}:g}}")}
        | {kernel: slashes(f"{{{{{kernel}, {{}}:.1f}}}}") for kernel in ("rbf", "diffusion")},
        more=beside("bayesian_mmc_universum"),
    ),
}
