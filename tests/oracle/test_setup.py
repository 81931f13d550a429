"""Copying and initializing a problem: what is changed, and which data and sizes are refused."""

import threading

import numpy as np
import pytest
from scipy import sparse
from toy_problems import LatentTopics, Multilabel, multilabel_data, topics_data

from structsvm import OneSlackCuttingPlane, Problem, ProblemError
from structsvm.oracle.setup import copied, initialize
from structsvm.problems import Multiclass

X, Y = multilabel_data()


# ---------------------------------------------------------------------- copying


def test_a_copy_shares_nothing_that_changes():
    problem = Multilabel()
    problem.cache = [[1]]
    copy = copied(problem)
    copy.cache[0].append(2)
    assert problem.cache == [[1]] and type(copy) is Multilabel


def test_what_cannot_be_copied_is_named_with_a_remedy():
    problem = Multilabel()
    problem.lock = threading.Lock()
    message = r"^Multilabel cannot be copied \(TypeError: .*lock.*define __deepcopy__$"
    with pytest.raises(ProblemError, match=message):
        copied(problem)


# ---------------------------------------------------------------------- initializing


@pytest.mark.parametrize(("given", "expected"), [(np.float16, np.float32), (np.uint8, np.uint8)])
def test_all_methods_get_the_same_dtype_and_integers_stay(given, expected):
    # Integers may be rows of a table, of which numpy takes none by a float.
    class Watched(Multilabel):
        def initialize(self, X, Y):
            seen.add(X.dtype)
            super().initialize(X, Y)

        def joint_feature(self, x, y):
            seen.add(x.dtype)
            return super().joint_feature(x, y)

    seen = set()
    OneSlackCuttingPlane(max_iter=2).solve(Watched(), np.ones((len(Y), 2), given), Y)
    assert seen == {np.dtype(expected)}


def test_a_value_error_of_initialize_is_the_users_and_others_are_the_problems():
    class Strict(Multilabel):
        def initialize(self, X, Y):
            raise error

    error = ValueError("3 columns expected")
    with pytest.raises(ValueError, match=r"^3 columns expected$") as caught:
        initialize(Strict(), X, Y)
    assert caught.value is error
    error = KeyError("column")
    with pytest.raises(ProblemError, match=r"^Strict\.initialize raised KeyError: 'column'$"):
        initialize(Strict(), X, Y)


@pytest.mark.parametrize("size", [0, 1.5, "many"])
def test_a_block_size_that_is_no_count(size):
    class Late(Multilabel):
        def initialize(self, X, Y):
            super().initialize(X, Y)
            self.block_size = size

    for kind in (type("Declared", (Multilabel,), {"block_size": size}), Late):
        message = f"{kind.__name__}.block_size must be None or an integer >= 1"
        with pytest.raises(ProblemError, match=message):
            OneSlackCuttingPlane().solve(kind(), X, Y)


@pytest.mark.parametrize("size", [None, 0, 2.5, "9", (9,), True])
def test_initialize_must_set_the_size(size):
    class Sizeless(Multilabel):
        def initialize(self, X, Y):
            if size is not None:
                self.size_joint_feature = size

    with pytest.raises(ProblemError, match=r"Sizeless.initialize must set size_joint_feature"):
        OneSlackCuttingPlane().solve(Sizeless(), X, Y)


# ---------------------------------------------------------------------- the joint feature


def shaped(change, size=9):
    """Multilabel with a changed joint feature; initialize sets this size."""

    class Shaped(Multilabel):
        def initialize(self, X, Y):
            self.size_joint_feature = size

        def joint_feature(self, x, y):
            return change(super().joint_feature(x, y))

    return Shaped()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda psi: psi[None], r"got shape \(1, 9\); return it flat"),
        (lambda psi: psi[:4], r"got shape \(4,\); the length is size_joint_feature, which init"),
        (lambda psi: sparse.csr_matrix(psi[:, None]), r"got shape \(9, 1\); return it flat"),
        (lambda psi: sparse.csr_matrix(psi[None, :4]), r"got shape \(4,\); the length is"),
        (lambda psi: sparse.csr_matrix(1j * psi), "got complex numbers"),
        (lambda psi: None, "returned None for example 0"),
        (lambda psi: np.nan * psi, "NaN or infinity for example 0; look for missing values"),
        (lambda psi: {}["row"], r"raised KeyError for example 0: 'row'"),
    ],
)
def test_a_joint_feature_of_another_form_is_refused_before_training(change, message):
    with pytest.raises(ProblemError, match=rf"^Shaped\.joint_feature .*{message}"):
        initialize(shaped(change), X, Y)


@pytest.mark.parametrize(("size", "asked"), [(6, True), (18, True), (8, False)])
def test_the_wrong_axis_is_asked_about(size, asked):
    with pytest.raises(ProblemError, match=rf"must return shape \({size},\)") as caught:
        initialize(shaped(lambda psi: psi, size), X, Y)
    assert ("is the number of examples (6), X.shape[0], taken" in str(caught.value)) == asked


def test_annotations_are_not_taken_for_outputs():
    class Annotated(LatentTopics):
        def joint_feature(self, x, y):
            raise AssertionError("no output yet")

    initialize(Annotated(), topics_data(), [(None, 0)] * 6)


def test_data_that_cannot_be_indexed_are_left_to_the_problem():
    class Rows(list):
        def __getitem__(self, i):
            raise NotImplementedError("as of sparse arrays before scipy 1.13")

    class Batched(Multilabel):
        def initialize(self, X, Y):
            self.size_joint_feature = 9

    initialize(Batched(), Rows(X), Y)


def test_a_work_that_is_no_number():
    problem = Multilabel()
    for problem.work in (None, 0, 3, np.float32(2.5)):
        initialize(problem, X, Y)
    for problem.work in (-1, "much", np.nan, np.inf, [3]):
        with pytest.raises(ProblemError, match="work must be None or a finite number"):
            initialize(problem, X, Y)


class Rank(Problem):
    """The default initialize calls its one method."""

    def joint_feature(self, x, y):
        return np.outer(np.eye(3)[y], x).ravel()


@pytest.mark.parametrize("inputs", [np.full((6, 2), 0.5), [(7, 8, 9)] * 6])
def test_the_default_initialize_names_the_method_that_the_user_wrote(inputs):
    message = r"^Rank\.joint_feature raised IndexError for example 0: .*are X and Y in this order\?"
    with pytest.raises(ProblemError, match=message):
        initialize(Rank(), [0, 1, 2, 0, 1, 2], inputs)
    initialize(Rank(), np.full((6, 2), 0.5), [0, 1, 2, 0, 1, 2])


def test_an_error_of_a_method_that_is_inherited_from_structsvm_says_so():
    class Broken(Multiclass):
        @property
        def size_joint_feature(self):
            return 1

    message = r"^Broken\.initialize raised AttributeError: .*\(Broken inherits initialize from Mul"
    with pytest.raises(ProblemError, match=message):
        initialize(Broken(), *Multiclass.example_data())
