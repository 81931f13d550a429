"""The tables of SDPMMC on docs/papers/sdp_mmc.md, ours and the paper's: errors in percent."""

from __future__ import annotations

from benchmarks.tables.table import Table, beside, lines

RESULTS = "reproduction/sdp_mmc"
OURS = {
    "": "{data}",
    "paper": "{paper's SDP:g}",
    "width of spectral clustering": "{SDP, width of spectral:.1f}",
    "default width": "{SDP, admm:.1f}",
    "default": "{SDP:.1f}",
}


def errors(title: str, others: dict[str, str]) -> Table:
    """The paper's figure and ours; of the other methods, by their names, both in one cell."""
    both = {
        f"{name}, paper / here": f"{{paper's {name}:g}} / {{{key}:.1f}}"
        for name, key in ({"spectral clustering": "spectral, scored"} | others).items()
    }
    more = beside(f"sdp_mmc_{title}")
    return Table(lines, RESULTS, title=title, columns=OURS | both, more=more)


TABLES = {
    "sdp-clusters": errors("clusters", {"k-means": "k-means"}),
    "sdp-labels": errors("labels", {"TSVM": "TSVM, scored", "SVM": "SVM, cross-validated"}),
    # The paper's program, all triangle inequalities included.
    "sdp-reference": Table(
        lines,
        RESULTS,
        title="time",
        columns={
            "rows": "{n}",
            "f(M)": "{f(M):.4f}",
            "lower bound": "{lower bound:.4f}",
            "CPU s": "{CPU s:~3}",
        },
    ),
}
