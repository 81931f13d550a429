"""The reasons in README.md are the results."""

from page_text import text_of

from benchmarks.store import stored


def readme():
    return text_of("../README.md")


def test_the_time_to_the_accuracy_of_crfsuite():
    rows = {
        row["trainer"]: row
        for row in stored("sequences/scale")["time, memory and accuracy"]
        if row["task"] == "tags, 10 features"
    }
    ours = rows["ChainSVM()"]["to CRFsuite's"]
    other = rows["CRFsuite lbfgs"]["CPU s"]
    assert f"Trained for {ours:.1f} s" in readme()
    assert f"CRFsuite, which trains for {other:.1f} s" in readme()


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
    assert f"accused none of {correct['correct problems']} correct ones" in readme()
    assert correct["with findings"] == 0
