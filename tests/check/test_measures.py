"""Bugs planted in loss, joint feature, constraints and initialize; and notes on losses."""

import warnings

import numpy as np
import pytest
from correct_problems import (
    Latent,
    LocalSearch,
    Matching,
    Multilabel,
    Parts,
    SilentChain,
    annotated,
    graphs,
    parted,
    sequences,
    vectors,
)
from planted_bugs import (
    FIELDS,
    Mutants,
    assert_caught,
    blobs,
    eight_classes,
)
from scipy import sparse

from structsvm import ContractViolation, SelfLabelledProblem, WeightConstraints, check_problem
from structsvm.problems import MMCProblem, Multiclass

MUTANTS = Mutants()
mutant = MUTANTS.register


@mutant(annotated, "evaluation_loss")
class EvaluationLosesNone(Latent):
    def evaluation_loss(self, y, y_hat):
        return np.nan if y is None else super().evaluation_loss(y, y_hat)


@mutant(sequences, "joint_feature")
class PsiDependsOnTheLastW(SilentChain):
    norm = 1.0

    def joint_feature(self, x, y):
        return super().joint_feature(x, y) / self.norm

    def decode(self, x, w):
        self.norm = 1.0 + np.linalg.norm(w)
        return super().decode(x, w)


@mutant(sequences, "loss")
class LossDependsOnTheLastInput(SilentChain):
    length = 1

    def loss(self, y, y_hat):
        return super().loss(y, y_hat) / self.length

    def separation_oracle(self, x, y, w):
        self.length = len(x)
        return super().separation_oracle(x, y, w)


@mutant(sequences, "loss")
class LossIsNegative(SilentChain):
    def loss(self, y, y_hat):
        return -super().loss(y, y_hat)


@mutant(sequences, "loss")
class LossIsNegativeNowAndThen(SilentChain):
    def loss(self, y, y_hat):
        return super().loss(y, y_hat) - 1.5 * (y[0] != y_hat[0] and y[-1] == y_hat[-1])


@mutant(sequences, "loss", only=False)
class LossIsAlwaysZero(SilentChain):
    def loss(self, y, y_hat):
        return 0.0


@mutant(sequences, "joint_feature")
class JointFeatureIsZero(SilentChain):
    def joint_feature(self, x, y):
        return np.zeros_like(super().joint_feature(x, y))


@mutant(sequences, "loss", 0)
class LossOfTheTruth(SilentChain):
    def loss(self, y, y_hat):
        return 1 + super().loss(y, y_hat)


@mutant(lambda seed: sequences(0), "loss", 3)
class LossIsNaNForOne(SilentChain):
    def loss(self, y, y_hat):
        return np.nan if list(y) == sequences(0)[1][3] else super().loss(y, y_hat)


@mutant(sequences, "loss")
class LossIsAVector(SilentChain):
    def loss(self, y, y_hat):
        return np.asarray(y) != np.asarray(y_hat)


@mutant(sequences, "loss")
class LossIsText(SilentChain):
    def loss(self, y, y_hat):
        return "high"


@mutant(sequences, "max_loss")
class MaxLossTooSmall(SilentChain):
    max_loss = 1.0


@mutant(sequences, "loss")
class LossChangesY(SilentChain):
    def loss(self, y, y_hat):
        wrong = super().loss(y, y_hat)
        y[0] = y_hat[0]
        return wrong


@mutant(sequences, "joint_feature")
class PsiTooLong(SilentChain):
    def joint_feature(self, x, y):
        return np.append(super().joint_feature(x, y), 1.0)


@mutant(sequences, "joint_feature")
class PsiLengthOfTheInput(SilentChain):
    def joint_feature(self, x, y):
        return super().joint_feature(x, y)[: 10 + len(x)]


@mutant(sequences, "joint_feature")
class PsiIsARow(SilentChain):
    def joint_feature(self, x, y):
        return super().joint_feature(x, y)[None]


@mutant(sequences, "joint_feature")
class PsiIsComplex(SilentChain):
    def joint_feature(self, x, y):
        return super().joint_feature(x, y) + 0j


@mutant(sequences, "joint_feature")
class PsiIsASparseColumn(SilentChain):
    def joint_feature(self, x, y):
        return sparse.csr_matrix(super().joint_feature(x, y)[:, None])


@mutant(sequences, "loss")
class LossIsTheTextOfANumber(SilentChain):
    def loss(self, y, y_hat):
        return str(super().loss(y, y_hat))


@mutant(parted, "loss")
class LossOfPartsTakesAnnotations(Parts):
    def loss(self, y, y_hat):
        return self.evaluation_loss(y, y_hat)


@mutant(parted, "evaluation_loss")
class EvaluationTakesOutputs(Parts):
    def loss(self, y, y_hat):
        return float(y[0] != y_hat[0])

    def evaluation_loss(self, y, y_hat):
        return self.loss(y, y_hat)


@mutant(parted, "evaluation_loss")
class EvaluationIsASimilarity(Parts):
    def loss(self, y, y_hat):
        return float(y[0] != y_hat[0])

    def evaluation_loss(self, y, y_hat):
        return float(y == y_hat[0])


@mutant(parted, "evaluation_loss")
class EvaluationAboveMaxLoss(Parts):
    def loss(self, y, y_hat):
        return float(y[0] != y_hat[0])

    def evaluation_loss(self, y, y_hat):
        return 2 * super().evaluation_loss(y, y_hat)


@mutant(sequences, "joint_feature")
class PsiIsNaN(SilentChain):
    def joint_feature(self, x, y):
        psi = super().joint_feature(x, y)
        return psi / (len(set(y)) > 1) if psi.all() else np.where(psi == 0, np.nan, psi)


@mutant(sequences, "joint_feature")
class PsiIsRandom(SilentChain):
    def joint_feature(self, x, y):
        psi = super().joint_feature(x, y)
        return psi + 0.01 * np.random.default_rng().normal(size=len(psi))


@mutant(sequences, "joint_feature")
class PsiCountsItsCalls(SilentChain):
    def joint_feature(self, x, y):
        self.calls = getattr(self, "calls", 0) + 1
        return super().joint_feature(x, y) + 1e-3 * self.calls


@mutant(sequences, "joint_feature")
class PsiScalesItsInput(SilentChain):
    def joint_feature(self, x, y):
        x *= 1.001
        return super().joint_feature(x, y)


@mutant(eight_classes, "joint_feature")
class PsiCentresItsInput(Multiclass):
    def joint_feature(self, x, y):
        x -= x.mean()
        return super().joint_feature(x, y)


@mutant(vectors, "joint_feature_difference")
class DifferenceBackwards(Multilabel):
    def joint_feature_difference(self, x, y, y_hat):
        return self.joint_feature(x, y_hat) - self.joint_feature(x, y)


@mutant(blobs, "joint_feature_difference")
class DifferenceForgetsTheFactor(MMCProblem):
    def joint_feature_difference(self, x, y, y_hat):
        return 2 * super().joint_feature_difference(x, y, y_hat)


@mutant(graphs, "constraints")
class BoundsOfAnotherLength(LocalSearch):
    def constraints(self):
        return WeightConstraints(lower=np.zeros(self.size_joint_feature + 1))


@mutant(graphs, "constraints")
class BoundsThatRaise(LocalSearch):
    def constraints(self):
        return self.bounds_


@mutant(sequences, "constraints")
class ConstraintsOfWrongShape(SilentChain):
    def constraints(self):
        return np.ones((2, self.size_joint_feature + 1)), np.zeros(2)


@mutant(sequences, "constraints")
class ConstraintsTransposed(SilentChain):
    def constraints(self):
        return np.ones((self.size_joint_feature, 2)), np.zeros(2)


@mutant(sequences, "constraints")
class ConstraintsInfeasible(SilentChain):
    def constraints(self):
        row = np.eye(1, self.size_joint_feature)
        return np.vstack([row, -row]), np.array([-1.0, -1.0])


@mutant(sequences, "constraints")
class ConstraintsWithInfinity(SilentChain):
    def constraints(self):
        return np.eye(1, self.size_joint_feature), np.array([np.inf])


@mutant(sequences, "constraints")
class ConstraintsAreOneArray(SilentChain):
    def constraints(self):
        return np.ones((3, self.size_joint_feature))


@mutant(sequences, "initialize")
class SizeIsForgotten(SilentChain):
    def initialize(self, X, Y):
        self.n_features_ = X[0].shape[1]


@mutant(sequences, "initialize")
class SizeAddsUp(SilentChain):
    def initialize(self, X, Y):
        before = getattr(self, "size_joint_feature", 0)
        super().initialize(X, Y)
        self.size_joint_feature += before


@mutant(sequences, "initialize")
class InitializeChangesAParameter(SilentChain):
    def __init__(self, n_labels=9):
        self.n_labels = n_labels

    def initialize(self, X, Y):
        self.n_labels = 1 + max(max(y) for y in Y)
        super().initialize(X, Y)


@mutant(vectors, "initialize")
class InitializeCentresX(Multilabel):
    def initialize(self, X, Y):
        X -= X.mean(axis=0)
        super().initialize(X, Y)


@mutant(annotated, "initial_w")
class StartIsZero(Latent):
    def initial_w(self, X, rng):
        return np.zeros(self.size_joint_feature)


@pytest.mark.parametrize(FIELDS, MUTANTS)
def test_a_bug_is_found_and_the_right_method_blamed(cls, data, method, example, seeds, only):
    assert_caught(cls, data, method, example, seeds, only)


def test_rounding_of_the_loss_at_the_true_output_is_no_error():
    class Rounded(Matching):
        def loss(self, y, y_hat):
            return abs(1e-16 + super().loss(y, y_hat))

    check_problem(Rounded(), *graphs(0))


def test_where_annotations_do_not_count_a_missing_impute_is_named():
    class Ignoring(Parts):
        impute = SelfLabelledProblem.impute

    with pytest.raises(ContractViolation, match="impute is not defined, so it ignores annotations"):
        check_problem(Ignoring(), *parted(0))


def test_numbers_whose_squares_overflow_are_named():
    class Huge(Matching):
        def joint_feature(self, x, y):
            return 1e200 * super().joint_feature(x, y)

    with (
        warnings.catch_warnings(),
        pytest.raises(ContractViolation, match=r"joint_feature.*e\+\d+, whose square overflows"),
    ):
        warnings.simplefilter("error", RuntimeWarning)
        check_problem(Huge(), *graphs(0))


class Unevaluated(Parts):
    evaluation_loss = None

    def loss(self, y, y_hat):
        return float(y[0] != y_hat[0])


def test_a_loss_that_does_not_fit_the_annotations_is_noted():
    report = check_problem(Unevaluated(), *parted(0))
    (note,) = report.notes
    assert "'int' object is not subscriptable (test_measures.py:" in note
    assert "evaluation_loss_is_valid" in report.checks
    assert not check_problem(Unevaluated(), parted(0)[0], [None] * 12).notes
