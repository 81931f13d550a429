"""Figures on the page on networks are those of the results."""

from page_text import rows_by, text_of

from benchmarks.store import stored

SOFTMAX, HINGE, SMOOTHED = (
    f"network, {name}" for name in ("softmax", "chain, hinge", "chain, mu = 0.3")
)


def test_the_errors_of_letters_on_the_page_are_those_of_the_results():
    rows = rows_by("networks/letters", "error of a letter", "trainer")
    error = {name: f"{row['error']:.1f} %" for name, row in rows.items()}
    seconds = {name: f"{row['CPU s a fold']:.0f}" for name, row in rows.items()}
    text = text_of("networks.md")
    assert f"smoothed loss {error[SMOOTHED]} of handwritten letters are wrong" in text
    assert f"hinge loss of the same chain {error[HINGE]}" in text
    assert f"softmax for each letter {error[SOFTMAX]}" in text
    assert f"chain of pixels {error['ChainSVM()']}" in text
    assert f"{seconds[SMOOTHED]} CPU seconds, with the softmax {seconds[SOFTMAX]}" in text
    assert rows[SMOOTHED]["error"] < rows[SOFTMAX]["error"] / 2


def test_the_times_on_the_page_are_those_of_the_results():
    hinge, smoothed = (row for row in stored("networks/speed")["CPU time"] if row["words"] == 32)
    text = text_of("networks.md")
    assert {f"{row['tensors, ms']:.0f}" for row in (hinge, smoothed)} == {"2"}
    assert "take 2 ms for 32 words, and two to five times as long by the methods" in text
    ratios = [row["oracles, ms"] / row["tensors, ms"] for row in (hinge, smoothed)]
    assert [round(ratio) for ratio in ratios] == [2, 5]


def test_more_samples_make_no_fewer_errors():
    rows = rows_by("networks/perturbed", "errors", "samples")
    two, eight = ([v for v in rows[name].values() if v != name] for name in ("2", "8, pairs"))
    assert min(eight) >= min(two)
