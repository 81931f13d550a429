"""Calls of a problem's methods: errors name the method and the example; answers are checked."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from toy_problems import LatentTopics, Multilabel, multilabel_data, topics_data

from structsvm import (
    CCCP,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    Problem,
    ProblemError,
    StructuredSVM,
)
from structsvm.task.call import JOINT_FEATURE, ORACLE, Call, Tally, checked, checked_matrix

ARRAY, Y = multilabel_data()
X = list(ARRAY)  # so that every example is an object of its own
Y[3] = (1, 1, 1)
both = pytest.mark.parametrize("solver", [OneSlackCuttingPlane, NSlackCuttingPlane])


# ---------------------------------------------------------------------- a call alone


def test_some_exceptions_pass_unchanged():
    for kind in (KeyboardInterrupt, SystemExit, ProblemError):
        error = kind("as it is")
        with pytest.raises(kind) as caught, Call(Multilabel(), "loss"):
            raise error
        assert caught.value is error and error.__cause__ is None
    with pytest.raises(ValueError, match=r"^2$"), Call(Multilabel(), "x", propagates=ValueError):
        raise ValueError("2")
    with pytest.raises(ProblemError), Call(Multilabel(), "x", propagates=ValueError):
        raise TypeError("2 columns")


def test_tallies_are_added_to_scale_and_taken_once():
    one, other = Tally(), Tally()
    one.calls, other.calls = 3, 4
    one.seconds[ORACLE], other.seconds[ORACLE], other.seconds[JOINT_FEATURE] = 1.0, 2.0, 4.0
    one.add(other, scale=0.5)
    assert (one.calls, one.seconds) == (7, {ORACLE: 2.0, JOINT_FEATURE: 2.0})
    taken = one.take()
    assert (taken.calls, taken.seconds) == (7, {ORACLE: 2.0, JOINT_FEATURE: 2.0})
    assert (one.calls, one.seconds) == (0, {ORACLE: 0.0, JOINT_FEATURE: 0.0})


@pytest.mark.parametrize(
    ("value", "shape", "message"),
    [
        (None, (2,), r"^loss returned None for example 5; expected numbers of shape \(2,\); do$"),
        (["a", "b"], (2,), r"^loss must return numbers of shape \(2,\) .* 5; got list; do$"),
        ([1.0], (2,), r"^loss must return shape \(2,\) for example 5; got shape \(1,\); do$"),
        ([[1.0, 2.0]], (2,), r"got shape \(1, 2\); return it flat, as ravel\(\) does; do$"),
        ([1.0, np.inf], (2,), r"^loss returned NaN or infinity for example 5; look for missing"),
        ("1", (), r"^loss must return a number for example 5; got str; do$"),
        (np.array("1"), (), r"a number for example 5; got ndarray of dtype .*; do$"),
        ([1, 2j], (2,), r"numbers of shape \(2,\) .* got complex numbers; do$"),
        (sparse.eye(2), (2,), r"shape \(2,\) for example 5; got shape \(2, 2\); do$"),
    ],
)
def test_numbers_are_checked(value, shape, message):
    with pytest.raises(ProblemError, match=message):
        checked("loss", value, shape, " for example 5", remedy="do")


def test_sound_numbers_become_float64():
    for value in ([True, 2], np.array([1, 2], dtype="f4"), [Fraction(1), Fraction(2)]):
        array = checked("loss", value, (2,))
        assert array.dtype == np.float64 and array.tolist() == [1.0, 2.0]
    assert checked("loss", sparse.csr_matrix([[0.0, 3.0]]), (2,)).tolist() == [0.0, 3.0]
    huge = np.full(2, 1e300)  # the sum of the squares overflows
    np.testing.assert_array_equal(checked("loss", huge, (2,)), huge)


def test_the_row_that_is_not_finite_is_named():
    rows = np.zeros((3, 4))
    rows[1, 2] = np.nan
    with pytest.raises(ProblemError, match=r"^psi returned NaN or infinity for example 8; look"):
        checked("psi", rows, (3, 4), rows=np.array([6, 8, 9]))
    with pytest.raises(ProblemError, match=r"^psi returned NaN or infinity for example 8; look"):
        checked_matrix(lambda: "psi", sparse.csr_matrix(rows), (3, 4), np.array([6, 8, 9]))


def test_sparse_rows_are_checked():
    ones = np.ones((1, 4))
    for rows, message in (
        (sparse.csr_matrix(ones.T), r"return shape \(1, 4\); got shape \(4, 1\), csr_matrix"),
        (sparse.csr_matrix(1j * ones), "return real numbers; got dtype complex128"),
    ):
        with pytest.raises(ProblemError, match=message):
            checked_matrix(lambda: "psi", rows, (1, 4), np.array([7]))


def test_sound_sparse_rows_become_csr_and_stay_as_they_were():
    twice = sparse.coo_matrix(([1, 2, 3], ([0, 0, 0], [2, 2, 0])), (1, 4))
    rows = checked_matrix(lambda: "psi", twice, (1, 4), np.array([7]))
    assert rows.format == "csr" and rows.dtype == np.float64 and rows.indices.tolist() == [0, 2]
    assert rows.toarray().tolist() == [[3.0, 0.0, 3.0, 0.0]] and twice.nnz == 3


# ---------------------------------------------------------------------- calls during a run


def solve(solver=OneSlackCuttingPlane, problem=None, X=X, Y=Y, C=1.0, **parameters):
    return solver(**parameters).solve(problem or Multilabel(), X, Y, C)


def wrong(method, change, base=Multilabel, data=(X, Y)):
    """A problem one method of which goes wrong for example 3: it returns change(right answer)."""
    third = [part[3] for part in data if part is not None]

    def changed(self, first, *others):
        answer = getattr(base, method)(self, first, *others)
        return change(answer) if any(first is value for value in third) else answer

    return type("Wrong", (base,), {method: changed})()


def fail(answer):
    raise ArithmeticError("out of luck")


class Opposite(Multilabel):
    """Its oracle does not depend on the other methods."""

    def separation_oracle(self, x, y, w):
        return tuple(1 - bit for bit in y)


@both
@pytest.mark.parametrize(
    ("method", "change", "message"),
    [
        ("slack_oracle", fail, "raised ArithmeticError for example 3: out of luck"),
        ("joint_feature", lambda psi: psi * np.nan, "NaN or infinity"),
        ("joint_feature", lambda psi: np.where(psi == psi[0], np.inf, psi), "NaN|RuntimeWarning"),
        ("joint_feature", fail, "raised ArithmeticError for example 3: out of luck"),
        ("loss", lambda loss: np.nan, "NaN or infinity"),
        ("loss", lambda loss: loss and -1.0, "must be >= 0; it is -1.0"),
        ("loss", lambda loss: None, "None"),
        ("loss", lambda loss: np.ones(2), r"got shape \(2,\)"),
        ("loss", fail, "raised ArithmeticError for example 3: out of luck"),
        ("separation_oracle", lambda y: None, "returned None for example 3; expected an output"),
        ("separation_oracle", fail, "raised ArithmeticError for example 3: out of luck"),
    ],
)  # fmt: skip
def test_the_method_and_the_example_are_named(solver, method, change, message):
    with pytest.raises(ProblemError, match=message) as caught:
        rescaling = "slack" if method == "slack_oracle" else "margin"
        solve(solver, wrong(method, change, Opposite), rescaling=rescaling)
    assert method in str(caught.value)
    assert "example 3" in str(caught.value)


@both
@pytest.mark.parametrize(
    ("method", "change", "message"),
    [
        ("loss", fail, r"example 3: out of luck \(y_hat is the true output; struct"),
        ("loss", lambda loss: "1", "got str; y_hat is the true output; structsvm.c"),
        ("joint_feature", lambda psi: psi[:4], r"\(4,\); .*; y is the true output, or what sep"),
    ],
)
def test_the_search_that_returned_the_output_is_named_beside_them(solver, method, change, message):
    with pytest.raises(ProblemError, match=message) as caught:
        solve(solver, wrong(method, change, Opposite))
    assert "structsvm.check_problem(problem, X, Y)" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [(lambda y: None, "returned None for example 3"), (fail, "raised Arithm.* example 3: out of")],
)
def test_errors_of_the_decoder(change, message):
    svm = StructuredSVM(wrong("decode", change)).fit(X, Y)
    with pytest.raises(ProblemError, match=f"decode {message}"):
        svm.predict(X)


@pytest.mark.parametrize(
    ("method", "change", "message"),
    [
        ("impute", lambda y: None, "impute returned None for example 3"),
        ("impute", fail, "impute raised ArithmeticError for example 3: out of luck"),
        ("separation_oracle", lambda y: None, "separation_oracle returned None for example 3"),
        ("joint_feature", lambda psi: psi * np.nan, "joint_feature returned NaN .* example 3"),
    ],
)
def test_errors_of_self_labelled_problems(method, change, message):
    data = topics_data()
    problem = wrong(method, change, LatentTopics, (data,))
    if method == "joint_feature":  # max() over NaN is no error of the oracle
        problem.separation_oracle = lambda x, y, w: (0,) * len(x)
        problem.impute = lambda x, y, w: (1,) * len(x)
    with pytest.raises(ProblemError, match=message):
        CCCP().solve(problem, data)


@both
@pytest.mark.parametrize("missing", ["joint_feature", "loss", "separation_oracle", "decode"])
def test_each_missing_method_is_named(solver, missing):
    problem = type("Lacking", (Multilabel,), {missing: getattr(Problem, missing)})()
    if missing == "decode":
        with pytest.warns(UserWarning, match="does not define decode"):
            svm = StructuredSVM(problem, solver=solver()).fit(X, Y)
        with pytest.raises(ProblemError, match="Lacking does not define decode; what it must ret"):
            svm.predict(X)
    else:
        with pytest.raises(
            (ProblemError, NotImplementedError), match=f"Lacking does not define {missing}; what"
        ):
            solve(solver, problem)
