"""Figures on the page on sdp are those of the results."""

from page_text import text_of

from benchmarks.store import stored


def test_the_comparisons_of_sdp_mmc_are_those_of_the_results():
    results = stored("reproduction/sdp_mmc")
    page = text_of("appendix/reproduction_relatives.md")
    pairs = [(row["data"], row["admm"], row["low_rank"]) for row in results["solvers"]]
    above = {name: low["f of the labels"] / admm["f of the labels"] for name, admm, low in pairs}
    assert f"their f is {100 * (above.pop('diabetes') - 1):.1f} %".replace("0.", ".") in page
    assert max(above.values()) < 1.001
    worse = [name for name, admm, low in pairs if low["error"] > admm["error"]]
    assert worse == ["vote"]  # by one of 200 rows
    several = results["several"]
    ahead = [sum(row["SDP"] > row[other] for row in several) for other in ("k-means", "CPM3C")]
    words = "more right rows than k-means on {} of these {} sets, and more than `CPM3C` on {}"
    assert words.format(ahead[0], len(several), ahead[1]) in page
