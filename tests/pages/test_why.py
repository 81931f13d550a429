"""The reasons in README.md are the results."""

from page_text import text_of

from benchmarks.store import stored


def readme():
    return text_of("../README.md")


def test_the_time_and_accuracy_of_crfsuite():
    rows = {row["trainer"]: row for row in stored("sequences/tags")["accuracy"]}
    ours, default = rows.pop("ChainSVM()"), rows["CRFsuite lbfgs"]
    best = max(rows.values(), key=lambda row: row["test"])
    for row, words in (
        (
            ours,
            "trains for {training:.1f} s to get {test:.2f} % of the tags of English words right",
        ),
        (default, "CRFsuite takes {training:.1f} s for {test:.2f} %"),
        (best, "with the best of its four algorithms {training:.1f} s for {test:.2f} %"),
    ):
        assert words.format(**row) in readme()
    assert ours["test"] > best["test"] and ours["training"] < best["training"]


def test_the_calls_of_a_solver_and_the_regret():
    calls, regret = (
        next(
            row
            for row in stored("decisions/paths")[title]
            if (row["degree"], row["n"]) == (6, 1000)
        )
        for title in ("calls per example", "regret, percent")
    )
    found = f"{calls['ours, auto']:.1f} times for each example, PyEPO's SPO+"
    assert f"{found} {calls['PyEPO SPO+']:.1f} times" in readme()
    assert regret["ours, auto"] <= regret["PyEPO SPO+"]


def test_the_planted_mistakes():
    results = stored("robustness/planted")
    totals = [row for row in results["totals"] if row["bugs"] == "all"]
    named, planted = (sum(row[key] for row in totals) for key in ("named alone", "number"))
    (correct,) = results["false complaints"]
    assert f"the wrong method for {named} of {planted} mistakes" in readme()
    page = text_of("check_a_problem.md")
    assert f"for {named} of {planted} mistakes" in page
    assert f"none of {correct['correct problems']} correct" in page
    assert f"accused none of {correct['correct problems']} correct ones" in readme()
    assert correct["with findings"] == 0
