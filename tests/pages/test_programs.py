"""Figures on the page on integer programs are those of the results."""

from page_text import DOCS, text_of

from benchmarks.store import stored

SPEED = "speed/programs_and_matchings"


def test_the_figures_on_cells():
    f1 = {
        (row["weights"], row["annotated"]): f"{row['F1']:.3f}".lstrip("0")
        for row in stored("programs/cell_tracking")["tracking"]
    }
    text = text_of("programs.md")
    by_hand, half = f1["by hand", 0.0], f1["learned", 0.5]
    assert f"{by_hand} with weights by hand, {f1['learned', 1.0]} learned, {half} from half" in text
    assert f"{f1['prior', 0.5]} learned near the weights by hand from half the annotation" in text
    tenth = f"{f1['learned', 0.1]} learned alone and {f1['prior', 0.1]} near the weights by hand"
    assert f"With a tenth it is {tenth}" in text


def test_the_overhead_of_a_search():
    rows = stored(SPEED)["IntegerProgram beside scipy.optimize.milp"]
    percent = [round(100 * row["ratio"]) - 100 for row in rows]
    text = text_of("programs.md")
    assert f"{min(percent)} to {max(percent)} % longer than `scipy.optimize.milp` alone" in text


def test_what_local_search_saves():
    rows = stored(SPEED)["Training of IntegerProgram without and with local search"]
    for row in rows:
        saved = 1 - row["searches with"] / row["searches without"]
        assert saved < 0.1 if row["programs"] == "cell tracking" else 0.45 < saved < 0.6
    assert "saves half of the calls in packing problems" in text_of("programs.md")


def test_the_code_for_motile_is_that_of_the_file():
    assert (DOCS / "examples" / "from_motile.py").read_text() in (DOCS / "programs.md").read_text()
