"""Figures on the page on ranking are those of the results."""

from page_text import rows_by, text_of

from benchmarks.store import stored


def test_the_figures_on_mq2008():
    rows = rows_by("ranking/mq2008", "MQ2008", "method")
    by_default = {name: f"{row['MAP, default']:.3f}".lstrip("0") for name, row in rows.items()}
    text = text_of("ranking.md")
    assert f"MAP is {by_default['RankingSVM, average precision']} for average" in text
    assert f"and {by_default['RankingSVM, pairs']} for pairs" in text
    assert f"{by_default['LinearSVC of pairs']} for `LinearSVC` of pairs" in text
    assert f"{by_default['single feature']} for the best single feature" in text
    assert f"{by_default['LightGBM lambdarank']} for LightGBM" in text
    chosen = {name: f"{row['MAP, chosen']:.3f}".lstrip("0") for name, row in rows.items()}
    ours = max(value for name, value in chosen.items() if name.startswith("RankingSVM"))
    assert f"LightGBM has {chosen['LightGBM lambdarank']} and `RankingSVM` up to {ours}." in text


def test_ridge_has_about_the_same_scores_on_small_tables():
    for row in stored("ranking/small_tables")["small tables"]:
        assert abs(row["m"] - row["Ridge"]) < 0.5
    assert "`Ridge` on standardised columns has about the same scores" in text_of("ranking.md")


def test_whitening_is_for_spectra():
    for row in stored("ranking/collinear")["NDCG"]:
        if row["kind"] != "spectra":
            assert 1 < row["1"] - row["whitened"] < 4
        elif row["tables"] == "confirming":
            assert max(row["3"], row["sqrt(d)"], row["d / e"]) < row["whitened"]
            figures = f"NDCG is {row['whitened']:.1f} in place of {row['1']:.1f} on those of meats"
            assert figures in text_of("ranking.md")


def test_the_default_C_is_confirmed():
    for row in stored("ranking/small_tables")["small tables"]:
        assert row["m"] > max(row["1"], row["3"])
        assert max(row["3 m"], row["10 m"]) < row["m"] + 0.25
