"""Arrays as values of features: dense columns beside sparse ones."""

import numpy as np
import pytest
from refusals import refused
from scipy import sparse

import structsvm
from structsvm import NSlackCuttingPlane, Status
from structsvm.data.containers import in_double
from structsvm.data.mixed import MixedRows
from structsvm.problems import ChainSVM, SegmentSVM
from structsvm.problems.classification.states import JoinedStates


def described(n=12, dtype=np.float32):
    rng = np.random.default_rng(0)
    X = [
        [
            {"word": f"v{rng.integers(20)}", "vector": rng.normal(size=4).astype(dtype)}
            for _ in range(rng.integers(1, 6))
        ]
        for _ in range(n)
    ]
    return X, [[("a" if d["vector"][0] > 0 else "b") for d in x] for x in X]


def flat(X):
    """The same with a number for each entry of the vector."""
    return [
        [
            {"word": d["word"], **{f"vector[{j}]": float(v) for j, v in enumerate(d["vector"])}}
            for d in x
        ]
        for x in X
    ]


@pytest.mark.parametrize("every, loss", [(True, "hinge"), (False, "log_loss")])
def test_vectors_are_numbers_by_place(every, loss):
    X, y = described()
    options = {"rtol": 1e-3, "loss": loss, "all_possible_states": every}
    one, other = ChainSVM(**options).fit(X, y), ChainSVM(**options).fit(flat(X), y)
    assert isinstance(one._task(X, None)[1].X.rows, MixedRows)
    names = one.feature_names_in_.tolist()
    assert names[-4:] == [f"vector[{j}]" for j in range(4)]
    assert sorted(names) == sorted(other.feature_names_in_.tolist())
    order = [other.feature_names_in_.tolist().index(name) for name in names]
    if every:  # a number has its own states, those of a vector are all
        assert one.scale_ == pytest.approx(other.scale_[order], rel=1e-6)
        np.testing.assert_allclose(one.coef_, other.coef_[:, order], atol=0.2)
        np.testing.assert_allclose(one.transitions_, other.transitions_, atol=0.2)
    assert one.score(X, y) > 0.95
    assert one.result_.status is Status.CONVERGED and one.verify(X, y).matches
    np.testing.assert_allclose(
        one.predict_proba([[], X[0]], temperature=1.0)[1],
        one.predict_proba(X[:1], temperature=1.0)[0],
    )


def test_models_with_vectors_are_saved(tmp_path):
    X, y = described()
    svm = ChainSVM(all_possible_states=False).fit(X, y)
    structsvm.save(svm, tmp_path / "model.npz", certificate=True)
    again = structsvm.load(tmp_path / "model.npz")
    assert again.predict(X) == svm.predict(X) and again.verify(X, y).matches
    assert isinstance(again.problem_.states_, JoinedStates)


def test_other_solvers_and_single_examples_take_vectors():
    X, y = described(6)
    smooth = ChainSVM(rtol=1e-2).fit(X, y).result_
    planes = ChainSVM(solver=NSlackCuttingPlane(rtol=1e-2)).fit(X, y).result_
    assert planes.dual <= smooth.primal and smooth.dual <= planes.primal
    X, y = described(6, np.float64)
    assert ChainSVM().fit(X, y)._task(X, None)[1].X.rows.dtype == np.float64


def test_vectors_alone_and_rows_without():
    X = [[{"v": [1.0, 0.0]}, {"v": (0.0, 1.0)}], [{"v": np.array([0, 1])}, {}]] * 5
    y = [["a", "b"], ["b", "a"]] * 5
    svm = ChainSVM(C=100.0).fit(X, y)
    assert svm.coef_.shape == (2, 2) and isinstance(svm.coef_, np.ndarray)
    assert svm.predict(X) == y
    with pytest.warns(UserWarning, match="3 of 5 features of X are not among those"):
        known, others = {"v": [1.0, 0.0]}, {"other": np.ones(7)}
        svm.predict([[known | others, known | {"more": 1.0}, others]])


WORD = {"word": "v1"}
TRAINED = "'vector' is a vector of 4 numbers in training"


test_unusable_vectors_are_named = refused(
    lambda *vectors: ChainSVM().fit([[{"v": v, "w": "x"} for v in vectors]] * 3, [["a", "b"]] * 3),
    (np.ones(3), np.ones(4), r"X\[0\]\[1\]\['v'\] has shape \(4,\); expected \(3,\)"),
    (np.ones(2), np.ones(0), r"X\[0\]\[1\]\['v'\] has shape \(0,\); expected \(2,\)"),
    (np.ones((2, 2)), np.ones(2), r"\['v'\] has shape \(2, 2\); a vector has one dimension"),
    (np.array([1, np.nan]), np.ones(2), r"X\[0\]\[0\]: v\[1\] is nan; features must be finite"),
    (np.ones(2), [float("inf"), 0.0], r"X\[0\]\[1\]: v\[0\] is inf; features must be finite"),
    (["x", 1.0], np.ones(2), r"X\[0\]\[0\]\['v'\] must hold real numbers"),
    (np.ones(2), None, r"X\[0\]\[1\]\['v'\] is None, but 'v' is a vector of 2"),
)


@pytest.mark.parametrize("value", [3.0, "v1"])
def test_a_vector_stays_a_vector_of_its_length(value):
    X, y = described(6)
    svm = ChainSVM().fit(X, y)
    for other, message in ((value, f"is .*, but {TRAINED}"), (np.ones(3), r"has shape \(3,\)")):
        with pytest.raises(ValueError, match=rf"X\[0\]\[0\]\['vector'\] {message}"):
            svm.predict([[WORD | {"vector": other}]])
    both = "'vector' is a single number elsewhere|'vector:v1', but the name .* stands for a vector"
    with pytest.raises(ValueError, match=both):
        ChainSVM().fit([[{"vector": value}], *X], [["a"], *y])
    X[3][0]["vector[1]"] = 1.0
    with pytest.raises(ValueError, match=r"the column 'vector\[1\]' of the vector 'vector' has"):
        ChainSVM().fit(X, y)


def test_only_chains_take_them():
    with pytest.raises(ValueError, match="is of type ndarray; the value of a feature must be"):
        svm = SegmentSVM(lambda *_: {"v": np.ones(2)}, max_length=2)
        svm.fit(["ab"], [[(0, 1, "x"), (1, 2, "x")]])


def test_mixed_rows():
    rng = np.random.default_rng(0)
    first = sparse.random(6, 5, 0.4, "csr", np.float32, rng)
    second = rng.normal(size=(6, 2)).astype(np.float32)
    rows = MixedRows(first, second)
    whole = np.hstack([first.toarray(), second])
    np.testing.assert_array_equal(rows.tocsr().toarray(), whole)
    assert rows.shape == (6, 7) and rows.dtype == np.float32 and rows.size == first.nnz + 12
    np.testing.assert_array_equal(rows[[4, 1]].tocsr().toarray(), whole[[4, 1]])
    np.testing.assert_array_equal(rows[2].tocsr().toarray(), whole[2:3])
    np.testing.assert_allclose((rows * 2.0).tocsr().toarray(), 2 * whole)
    assert in_double(rows).dtype == np.float64
    both = MixedRows.stacked([rows[:4], rows[4:]])
    np.testing.assert_array_equal(both.tocsr().toarray(), whole)
