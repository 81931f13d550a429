"""Joint features that are sparse rows: every solver, prediction, score, verify and the checker."""

import numpy as np
import pytest
from changed_tasks import with_task
from scipy import sparse
from toy_problems import LatentTopics, Multilabel, multilabel_data, topics_data

from structsvm import (
    CCCP,
    BlockCoordinateFrankWolfe,
    ContractViolation,
    NSlackCuttingPlane,
    OneSlackCuttingPlane,
    ProblemError,
    SmoothedCuttingPlane,
    SmoothedLBFGS,
    StructuredSVM,
    check_problem,
)

X, Y = multilabel_data()
#: Sparse rows of shape (1, size), and of shape (size,) where scipy has such arrays.
FORMS = {
    "csr_matrix": lambda psi: sparse.csr_matrix(psi[None]),
    "csr_array": lambda psi: sparse.csr_array(psi[None]),
    "coo_matrix": lambda psi: sparse.coo_matrix(psi[None]),
    "1-d": lambda psi: sparse.coo_array(psi),
}
#: The arrays of the entries of a CSR row.
PARTS = "data", "indices"
SOLVERS = [
    OneSlackCuttingPlane(),
    NSlackCuttingPlane(),
    SmoothedCuttingPlane(),
    SmoothedLBFGS(),
    BlockCoordinateFrankWolfe(),
    NSlackCuttingPlane(rescaling="slack"),
]


class SparseMultilabel(Multilabel):
    """Its joint features are sparse, and its searches use the dense ones."""

    def __init__(self, form):
        super().__init__()
        self.form = form

    def joint_feature(self, x, y):
        return self.form(super().joint_feature(x, y))

    def separation_oracle(self, *arguments):
        return Multilabel().separation_oracle(*arguments)

    def slack_oracle(self, *arguments):
        return Multilabel().slack_oracle(*arguments)

    def decode(self, *arguments):
        return Multilabel().decode(*arguments)

    def soft_oracle(self, *arguments):
        return Multilabel().soft_oracle(*arguments)


class SparseTopics(LatentTopics):
    """Its differences are sparse."""

    def __init__(self, form):
        super().__init__()
        self.form = form

    def joint_feature_difference(self, x, y, y_hat):
        return self.form(super().joint_feature_difference(x, y, y_hat))


class Outside(SparseMultilabel):
    """The sparse row of one output refers to a column, 10^6 or -1, that there is not."""

    def __init__(self, form, column=10**6):
        super().__init__(form)
        self.column = column

    def joint_feature(self, x, y):
        row = super().joint_feature(x, y)
        if tuple(y) == (1, 1, 1):
            columns = row.coords[-1] if row.format == "coo" else row.indices
            columns[0] = self.column
        return row

    def separation_oracle(self, x, y, w):
        return 1, 1, 1


def outside_in_batches(self, outputs, places):
    rows = [self.problem.joint_feature(self.X[i], outputs[i]) for i in places]
    data, indices = (np.concatenate([getattr(row, part) for row in rows]) for part in PARTS)
    ends = np.cumsum([0, *(row.nnz for row in rows)])
    return sparse.csr_array((data, indices, ends), (len(rows), self.size))


@pytest.fixture(params=FORMS)
def form(request):
    make = FORMS[request.param]
    try:
        make(np.ones(2))
    except (TypeError, ValueError):
        pytest.skip("this scipy has no 1-d sparse arrays")
    return make


@pytest.mark.sampled(13)
@pytest.mark.parametrize("solver", SOLVERS, ids=str)
def test_a_run_is_that_of_dense_joint_features(solver, form):
    dense, rows = (
        StructuredSVM(problem, C=10.0, solver=solver).fit(X, Y)
        for problem in (Multilabel(), SparseMultilabel(form))
    )
    assert rows.result_.primal == pytest.approx(dense.result_.primal, rel=1e-9)
    np.testing.assert_allclose(rows.w_, dense.w_, atol=1e-6)
    assert rows.verify(X, Y).matches
    assert rows.predict(X) == dense.predict(X) and rows.score(X, Y) == dense.score(X, Y)


def test_latent_variables():
    problem, data = SparseTopics(FORMS["csr_matrix"]), topics_data(n=3)
    result = CCCP().solve(problem, data)
    assert result.primal == pytest.approx(CCCP().solve(LatentTopics(), data).primal)
    assert result.verify(problem, data).matches


@pytest.mark.sampled(3)
def test_the_checker_accepts_them(form):
    report = check_problem(SparseMultilabel(form), X, Y, max_examples=1)
    assert {"searches_maximise", "soft_oracle_is_consistent"} < set(report.checks)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("column", [10**6, -1])
def test_a_column_that_is_not_there_is_an_error_of_the_method(form, column):
    problem, labels = Outside(form, column), [(0, 0, 0)] * len(X)
    with pytest.raises(ProblemError, match=r"joint_feature must return .* got an invalid"):
        NSlackCuttingPlane().solve(problem, X, labels)
    with pytest.raises(ContractViolation) as caught:
        check_problem(problem, X, labels, max_examples=1)
    assert {finding.method for finding in caught.value.findings} == {"joint_feature"}


def test_a_column_that_is_not_there_in_a_batch_or_a_difference():
    problem = with_task(Outside, differences=outside_in_batches)(FORMS["csr_matrix"])
    with pytest.raises(ProblemError, match="differences returned an invalid"):
        NSlackCuttingPlane().solve(problem, X, [(0, 0, 0)] * len(X))
    problem.initialize(X, Y)
    with pytest.raises(ValueError, match="not a valid CSR matrix"):
        problem.joint_feature_difference(X[0], (0, 0, 0), (1, 1, 1))
