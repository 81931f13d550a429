"""What all solvers share: opaque inputs and outputs, data of any kind, parameters, a w of 0."""

import time

import numpy as np
import pytest
from scipy import sparse
from toy_problems import BruteForce, LatentTopics, Multilabel, multilabel_data, topics_data

from structsvm import CCCP, NSlackCuttingPlane, OneSlackCuttingPlane, Status, StructuredSVM
from structsvm.contract.self_labelled import SelfLabelledProblem
from structsvm.solvers.n_slack import NSlack
from structsvm.solvers.one_slack import OneSlack

SOLVERS = [OneSlackCuttingPlane, NSlackCuttingPlane]
X, Y = multilabel_data(n=12)


class Untouchable:
    """A value that only its problem may open: comparing, copying, hashing or testing it fails."""

    def __init__(self, value):
        self.value = value

    def _refuse(self, *arguments):
        raise AssertionError("the engine touched an opaque object")

    __eq__ = __ne__ = __lt__ = __hash__ = __bool__ = __len__ = __iter__ = __getitem__ = _refuse
    __array__ = __float__ = __copy__ = __deepcopy__ = __reduce_ex__ = __repr__ = _refuse


class Wrapped(Multilabel):
    """Multilabel whose inputs and outputs are all untouchable."""

    def joint_feature(self, x, y):
        return super().joint_feature(x.value, y.value)

    def loss(self, y, y_hat):
        return super().loss(y.value, y_hat.value)

    def outputs(self, x):
        return map(Untouchable, super().outputs(x.value))


class WrappedTopics(Wrapped, SelfLabelledProblem):
    def initialize(self, X, Y):
        self.size_joint_feature = 9


def untouchable(sequence):
    return [Untouchable(value) for value in sequence]


@pytest.mark.parametrize("solver", SOLVERS)
def test_inputs_and_outputs_are_never_compared(solver):
    theirs, own = (untouchable(X), untouchable(Y)), solver(rtol=1e-4)
    found = own.solve(Wrapped(), *theirs, 10.0)
    np.testing.assert_array_equal(found.w, own.solve(Multilabel(), X, Y, 10.0).w)
    assert found.verify(Wrapped(), *theirs).matches
    assert "CONVERGED" in str(found) and "Result(CONVERGED, primal=" in repr(found)
    svm = StructuredSVM(Wrapped(), C=10.0, solver=solver()).fit(*theirs)
    assert svm.score(*theirs) > 0.8 and len(svm.predict(theirs[0])) == 12


def test_labels_are_never_compared():
    result = CCCP().solve(WrappedTopics(), untouchable(X), C=10.0)
    assert result.verify(WrappedTopics(), untouchable(X)).matches and "primal=" in repr(result)


class Tagging(BruteForce):
    """Is the document about the sea? x is a dict of word counts or a text."""

    WORDS = ("ship", "tree", "sea")

    def joint_feature(self, x, y):
        counts = x if isinstance(x, dict) else {word: x.count(word) for word in self.WORDS}
        return (1.0 if y == "sea" else -1.0) * np.array([counts.get(w, 0) for w in self.WORDS])

    def loss(self, y, y_hat):
        return float(y != y_hat)

    def outputs(self, x):
        return ("sea", "land")


@pytest.mark.parametrize("container", [list, tuple, lambda x: np.array(x, dtype=object)])
@pytest.mark.parametrize(
    "documents",
    [
        [{"ship": 2, "sea": 1}, {"tree": 3}, {"sea": 1}, {"tree": 1, "ship": 1}],
        ["ship on the sea, ship", "tree tree tree", "by the sea", "tree on a ship"],
    ],
    ids=["dicts", "strings"],
)
def test_inputs_without_numbers(container, documents):
    labels = container(["sea", "land", "sea", "land"])
    svm = StructuredSVM(Tagging(), C=100.0).fit(container(documents), labels)
    assert svm.predict(container(documents)) == ["sea", "land", "sea", "land"]
    assert svm.result_.verify(Tagging(), container(documents), labels).matches


@pytest.mark.parametrize("solver", SOLVERS)
def test_single_rows_of_a_sparse_matrix(solver):
    """A problem without batch forms gets X[i], a 1-row sparse matrix."""

    class Rows(Multilabel):
        def joint_feature(self, x, y):
            return super().joint_feature(x.toarray().ravel(), y)

    ours = solver(rtol=1e-6).solve(Rows(), sparse.csr_matrix(X), Y, 10.0)
    np.testing.assert_allclose(ours.w, solver(rtol=1e-6).solve(Multilabel(), X, Y, 10.0).w)


def test_self_labelled_without_labels_needs_cccp():
    with pytest.raises(ValueError, match=r"LatentTopics needs the outputs Y.*Only CCCP"):
        OneSlackCuttingPlane().solve(LatentTopics(), topics_data())


def test_a_run_that_ends_at_zero_warns():
    with pytest.warns(
        UserWarning, match=r"training ended at w = 0.*C=1e-12 may be too small"
    ) as seen:
        OneSlackCuttingPlane().solve(Flat(), X, Y, 1e-12)
    assert seen[0].filename == __file__


class Flat(Multilabel):
    """Its joint feature does not depend on y."""

    def joint_feature(self, x, y):
        return np.ones(9)


# ---------------------------------------------------------------------- what a run includes


def test_the_time_includes_what_comes_before_the_first_pass():
    class Slow(Multilabel):
        began = False

        def loss(self, y, y_hat):
            if not self.began:  # the first spot check
                self.began = True
                time.sleep(0.2)
            return super().loss(y, y_hat)

    result = OneSlackCuttingPlane(time_limit=0.1).solve(Slow(), X, Y, 10.0)
    assert result.seconds["total"] >= 0.2
    assert result.status is Status.TIME_LIMIT and result.iterations == 1


@pytest.mark.parametrize(
    ("solver", "algorithm"), [(OneSlackCuttingPlane, OneSlack), (NSlackCuttingPlane, NSlack)]
)
def test_a_stall_is_explained_by_the_solver(solver, algorithm, monkeypatch):
    monkeypatch.setattr(algorithm, "advance", lambda *arguments: None)
    result = solver().solve(Multilabel(), X, Y, 10.0)
    assert result.status is Status.STALLED
    assert "the oracle found nothing new, as one that misses outputs does" in result.message


@pytest.mark.parametrize("answer", [None, (1, 2)])
def test_an_algorithm_that_returns_no_step_is_told(answer):
    class Endless(OneSlack):
        def step(self, bounds):
            return answer

    class Mine(OneSlackCuttingPlane):
        def begin(self, program, start):
            return Endless(program, start, 10)

    with pytest.raises(TypeError, match=r"Endless.step must return a Step, .*; it returned"):
        Mine().solve(Multilabel(), X, Y)
