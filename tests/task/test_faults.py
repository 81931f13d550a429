"""Outputs that no method can read are charged to the search that returned them."""

import numpy as np
import pytest
from changed_tasks import with_answer
from engine_parts import examples_of
from toy_problems import LatentTopics, Multilabel, Refining, multilabel_data, topics_data

from structsvm import CCCP, NSlackCuttingPlane, OneSlackCuttingPlane, ProblemError, StructuredSVM
from structsvm.oracle.support import example_planes
from structsvm.planes.plane import Source
from structsvm.problems import Multiclass

X, Y = multilabel_data()
X = list(X)
UNREADABLE = r"returned an output that cannot be read, while others can: "
both = pytest.mark.parametrize("solver", [OneSlackCuttingPlane, NSlackCuttingPlane])
garbage = pytest.mark.parametrize("output", [7, (np.nan, 1, 0), object()])


def returning(output, *methods, base=Multilabel):
    """A problem of which searches return this for example 3."""

    def search(method):
        def changed(self, x, *others):
            return output if x is X[3] else getattr(base, method)(self, x, *others)

        return changed

    return type("Wrong", (base,), {method: search(method) for method in methods})()


class Readable(Multilabel):
    """Its loss compares anything, and its joint feature does not."""

    def loss(self, y, y_hat):
        return float(y != y_hat)


@both
@garbage
@pytest.mark.parametrize(
    ("base", "method", "measure"),
    [
        (Multilabel, "separation_oracle", "loss"),
        (Readable, "separation_oracle", "joint_feature"),
        (Multilabel, "slack_oracle", ""),
        (Refining, "separation_oracle", ""),
        (Refining, "refined_output", ""),
    ],
)
def test_the_search_is_charged(solver, output, base, method, measure):
    if measure == "loss" and isinstance(output, tuple):
        measure = "joint_feature"  # NaN is a label like any other for this loss
    charged = r"RefiningTask\.refine" if method == "refined_output" else method
    rescaling = "slack" if method == "slack_oracle" else "margin"
    message = rf"^{charged} {UNREADABLE}(\w+\.)?\w*{measure} r.* for example 3"
    with pytest.raises(ProblemError, match=message):
        solver(rescaling=rescaling).solve(returning(output, method, base=base), X, Y)


def test_the_task_is_charged():
    wrong = with_answer(Multiclass, "search", lambda a: [*a[:3], 99, *a[4:]])
    message = rf"^WrongMulticlassTask\.search {UNREADABLE}.*losses raised .*unknown label '99'"
    with pytest.raises(ProblemError, match=message):
        OneSlackCuttingPlane().solve(wrong(), *Multiclass.example_data())


@garbage
def test_the_imputation_is_charged(output):
    data = topics_data()

    class Wrong(LatentTopics):
        def impute(self, x, y, w):
            return output if x is data[3] else super().impute(x, y, w)

        def separation_oracle(self, x, y, w):
            return super().separation_oracle(x, (0,) * len(x), w)

    with pytest.raises(ProblemError, match=f"^impute {UNREADABLE}.* for example 3"):
        CCCP().solve(Wrong(), data)


@garbage
def test_the_decoder_is_charged(output):
    problem = returning(output, "decode")
    with pytest.warns(UserWarning, match=f"no output can be predicted: decode {UNREADABLE}"):
        svm = StructuredSVM(problem).fit(X[3:] + X[:3], Y[3:] + Y[:3])
    if isinstance(output, tuple):
        return  # NaN is a label like any other for the loss
    with pytest.raises(ProblemError, match=f"^decode {UNREADABLE}.*loss.* for example 3"):
        svm.score(X, Y)


class DividingByCounts(Multilabel):
    """Its loss divides by the number of labels that an output has."""

    def loss(self, y, y_hat):
        return super().loss(y, y_hat) / sum(y_hat)

    def separation_oracle(self, x, y, w):
        return (0, 0, 0)


@both
def test_a_measure_that_is_not_finite_for_some_outputs_is_at_fault(solver):
    some = [i for i, y in enumerate(Y) if sum(y)]
    blamed = r"^(\w+\.)?loss r.*What separation_oracle returned is finite .* is wrong"
    with pytest.raises(ProblemError, match=blamed):
        solver().solve(DividingByCounts(), [X[i] for i in some], [Y[i] for i in some])


@both
def test_a_label_out_of_range_may_be_the_fault_of_either(solver):
    class Table(Multilabel):
        def loss(self, y, y_hat):
            return float(sum((0.0, 1.0)[abs(a - b)] for a, b in zip(y, y_hat, strict=True)))

    problem = returning((3, 1, 1), "separation_oracle", base=Table)
    blamed = r"^Wrong\.loss raised IndexError for example 3.* Either separation_oracle .*, or the"
    with pytest.raises(ProblemError, match=blamed):
        solver().solve(problem, X, Y)


def test_relaxed_outputs_may_have_another_form():
    class Relaxed(Multilabel):
        oracle_quality = "overgenerating"

        def separation_oracle(self, x, y, w):
            return {"relaxed": y}

    with pytest.raises(ProblemError, match=r"^Relaxed\.loss raised .* Either separation_oracle"):
        OneSlackCuttingPlane().solve(Relaxed(), X, Y)


def test_an_output_of_an_earlier_solve_is_not_charged_to_the_refinement():
    support = [(Source(0, [7], np.ones(1)), 1.0)]
    with pytest.raises(ProblemError, match=f"^an earlier solve {UNREADABLE}"):
        list(example_planes(examples_of(Refining(), X, Y), Y, support))
