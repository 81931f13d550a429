"""A result: its numbers fit together, and it prints in a few lines."""

from toy_problems import (
    Assignment,
    LatentTopics,
    Multilabel,
    assignment_data,
    multilabel_data,
    topics_data,
)

from structsvm import CCCP, NSlackCuttingPlane, OneSlackCuttingPlane

C = 10.0


def test_numbers_of_the_result_fit_together():
    X, Y = assignment_data()
    result = NSlackCuttingPlane().solve(Assignment(), X, Y, C)
    assert result.oracle_calls == len(X) * result.iterations
    parts = {name: result.seconds[name] for name in ("oracle", "joint_feature", "qp")}
    assert all(seconds > 0 for seconds in parts.values())
    assert sum(parts.values()) <= result.seconds["total"]
    text = str(result)
    assert text.startswith("CONVERGED: the duality gap is within the tolerance")
    assert f"{result.oracle_calls} oracle calls" in text
    assert "support" not in repr(result), "a result prints in a few lines"


def test_what_was_given_and_imputed_labels_are_kept():
    X, Y = multilabel_data()
    result = OneSlackCuttingPlane(rescaling="slack").solve(Multilabel(), X, Y, C)
    assert (result.n_examples, result.C, result.rescaling) == (6, C, "slack")
    assert result.solver == f"OneSlackCuttingPlane, {result.iterations} passes, converged"
    assert result.multipliers.shape == (0,)
    X = topics_data()
    result = CCCP().solve(LatentTopics(), X, C=C)
    assert [len(labels) for labels in result.labels] == [len(x) for x in X]
    assert str(result).endswith(f"\nCCCP, {result.iterations} passes, converged")
