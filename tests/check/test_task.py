"""Bugs planted in tasks: in their searches, measures and sums, and in what they hold."""

import numpy as np
import pytest
from correct_problems import Multilabel, MultilabelTask, Prepared, PreparedTask, Rows, vectors
from planted_bugs import (
    FIELDS,
    Mutants,
    assert_caught,
    blobs,
    eight_classes,
    label_sequences,
    with_task,
)
from scipy import sparse

from structsvm import ContractViolation, Task, check_problem
from structsvm.problems import Chain, MMCProblem, Multiclass, RankingProblem
from structsvm.problems.classification.multiclass.task import MulticlassTask
from structsvm.problems.margin_clustering.problem import ClusteringTask
from structsvm.problems.ranking.problem import RankingTask
from structsvm.problems.sequences.chain.problem import ChainTask

MUTANTS = Mutants()
mutant = MUTANTS.register_task

# ------------------------------------------------------------------ searches


@mutant(Multilabel, vectors, "search")
class SearchPermuted(MultilabelTask):
    def search(self, w):
        return np.roll(super().search(w), 1, axis=0)


@mutant(Multilabel, vectors, "search")
class SearchDropsOne(MultilabelTask):
    def search(self, w):
        found = super().search(w)
        return found if self.n == 1 else found[1:]


@mutant(Multilabel, vectors, "search")
class SearchChangesY(MultilabelTask):
    def search(self, w):
        found = super().search(w)
        if self.n > 1:
            self.Y[...] = found
        return found


@mutant(Multilabel, vectors, "search_rescaled")
class RescaledSearchIsTheMarginOne(MultilabelTask):
    def search_rescaled(self, w):
        return self.search(w)


@mutant(Multilabel, vectors, "decode")
class DecodesInReverse(MultilabelTask):
    def decode(self, w):
        return super().decode(w)[::-1]


@mutant(Multilabel, vectors, "decode")
class DecodesWithTheTruth(MultilabelTask):
    """It needs Y, which is None where outputs are predicted."""

    def decode(self, w):
        return super().decode(w)[: len(self.Y)]


@mutant(Multiclass, eight_classes, "decode")
class DecodesAtMost40(MulticlassTask):
    def decode(self, w):
        return np.resize(super().decode(w)[:40], self.n)


@mutant(Multiclass, eight_classes, "search")
class SearchSqueezes(MulticlassTask):
    def search(self, w):
        return np.squeeze(super().search(w))


# ------------------------------------------------------------------ measures


@mutant(Multilabel, vectors, "losses")
class LossesTransposed(MultilabelTask):
    def losses(self, outputs):
        return self.problem.cost_[outputs, self.Y].sum(axis=1)


@mutant(Multilabel, vectors, "losses")
class LossesReversed(MultilabelTask):
    def losses(self, outputs):
        return super().losses(outputs)[::-1]


@mutant(Multilabel, vectors, "losses")
class LossesAreTheMean(MultilabelTask):
    def losses(self, outputs):
        return super().losses(outputs).mean()


class LossesStopIfTheFirstIsRight(MulticlassTask):
    def losses(self, outputs):
        return super().losses(outputs) * float(self.Y[0] != outputs[0])


@mutant(Multilabel, vectors, "joint_features")
class JointFeaturesAreOfAllPlaces(MultilabelTask):
    def joint_features(self, outputs, places):
        found = (np.asarray(outputs)[places, :, None] * self.X[places, None, :]).reshape(
            len(places), -1
        )
        return found / len(places)


@mutant(Multilabel, vectors, "differences")
class DifferencesBackwards(MultilabelTask):
    def differences(self, outputs, places):
        return -super().differences(outputs, places)


@mutant(Multilabel, vectors, "differences")
class SparseDifferencesBackwards(MultilabelTask):
    def differences(self, outputs, places):
        return sparse.csr_matrix(-super().differences(outputs, places))


@mutant(Multilabel, vectors, "differences")
class DifferencesOfTheFirstPlaces(MultilabelTask):
    def differences(self, outputs, places):
        return super().differences(outputs, range(len(places)))


@mutant(Multilabel, vectors, "plane")
class PlaneIgnoresWeights(MultilabelTask):
    def plane(self, outputs, weights):
        return super().plane(outputs, np.ones(self.n))


@mutant(Multilabel, vectors, "plane")
class PlaneIsTransposed(MultilabelTask):
    def plane(self, outputs, weights):
        total = super().plane(outputs, weights)
        return total.reshape(self.problem.n_labels, -1).T.ravel()


@mutant(Multiclass, eight_classes, "plane")
class PlaneOfPairsOfExamples(MulticlassTask):
    def plane(self, outputs, weights):
        n = max(1, self.n // 2 * 2)
        return super().plane(outputs, np.where(np.arange(self.n) < n, weights, 0))


@mutant(RankingProblem, lambda seed: RankingProblem.example_data(), "term_sizes")
class SizesOfTheDifferencesOfHalf(RankingTask):
    def term_sizes(self, outputs, places):
        rows, losses = super().term_sizes(outputs, places)
        return 1e-3 * rows, losses


# ------------------------------------------------------------------ labels


@mutant(MMCProblem, blobs, "relabelled")
class RelabellingForgetsThePrevious(ClusteringTask):
    def relabelled(self, passes, weights, previous=None):
        if previous is not None:
            return previous[1].copy(), previous[2].copy()
        return super().relabelled(passes, weights)


@mutant(MMCProblem, blobs, "relabelled")
class RelabellingAddsHalfTheChange(ClusteringTask):
    def relabelled(self, passes, weights, previous=None):
        rows, losses = super().relabelled(passes, weights, previous)
        return ((rows + previous[1]) / 2 if previous else rows), losses


@mutant(MMCProblem, blobs, "relabelled")
class RelabellingIgnoresWeights(ClusteringTask):
    def relabelled(self, passes, weights, previous=None):
        return super().relabelled(passes, np.ones_like(weights), previous)


@mutant(MMCProblem, blobs, "relabelled")
class RelabellingChangesThePrevious(ClusteringTask):
    def relabelled(self, passes, weights, previous=None):
        rows, losses = super().relabelled(passes, weights)
        if previous is not None:
            previous[1][...] = rows
        return rows, losses


@mutant(Chain, label_sequences, "with_labels")
class KeepsItsLabels(ChainTask):
    def with_labels(self, labels):
        return self if self.Y is not None else super().with_labels(labels)


# ------------------------------------------------------------------ what it holds


@mutant(Chain, label_sequences, "task")
class HeldInAnotherOrder(ChainTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X[::-1], Y)


@mutant(Chain, label_sequences, "task")
class HeldWithoutAnExample(ChainTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X[:-1], None if Y is None else Y[:-1])


@mutant(Prepared, vectors, "task")
class HeldInWhatCannotBeIndexed(PreparedTask):
    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, Y)
        self.X = iter(X)


@mutant(Prepared, vectors, "part")
class PartsAreTheFirstExamples(PreparedTask):
    def part(self, places):
        part = super().part(places)
        part.X = Rows(self.X.matrix[: part.n])
        return part


@mutant(Multilabel, vectors, "task")
class HoldsTheOutputsOfOthers(MultilabelTask):
    """All in one class, which reads everything from the wrong outputs."""

    def __init__(self, problem, X, Y=None):
        super().__init__(problem, X, None if Y is None else np.roll(Y, 1, axis=0))


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_a_bug_is_found_and_the_right_method_blamed(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


def test_a_task_of_another_class_is_an_error_of_task():
    class NoTask(Multilabel):
        def task(self, X, Y=None):
            return X

    with pytest.raises(ContractViolation, match=r"- task: NoTask.task must return a structsvm"):
        check_problem(NoTask(), *vectors(0))


def test_what_a_method_raises_is_told_with_its_line():
    class Raises(MultilabelTask):
        def losses(self, outputs):
            return 1 / 0

    with pytest.raises(ContractViolation) as caught:
        check_problem(with_task(Multilabel, Raises)(), *vectors(0))
    (found,) = caught.value.findings
    assert found.method == "Raises.losses"
    assert "Raises.losses raised ZeroDivisionError" in found.message
    assert "(test_task.py:" in found.message


def test_every_plane_that_is_not_made_by_the_task_follows_from_its_differences():
    class OneError(MultilabelTask):
        plane = Task.plane

        def differences(self, outputs, places):
            return 2 * super().differences(outputs, places)

    with pytest.raises(ContractViolation) as caught:
        check_problem(with_task(Multilabel, OneError)(), *vectors(0))
    assert [found.method for found in caught.value.findings] == ["OneError.differences"]


def test_losses_of_a_score_and_ignored_methods_are_named():
    class Scored(Task):
        def evaluation_losses(self, outputs):
            return 2 * self.losses(outputs)

    class Halved(with_task(Multilabel, MultilabelTask)):
        def loss(self, y, y_hat):
            return super().loss(y, y_hat) / 2

    for kind, message in (
        (with_task(Multilabel, Scored), r"- Scored.evaluation_losses \(example .*: it differs"),
        (Halved, r"Halved overrides loss, which the task of .* does not call"),
    ):
        with pytest.raises(ContractViolation, match=message):
            check_problem(kind(), *vectors(0))
