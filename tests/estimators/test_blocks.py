"""Training on blocks of examples in files: the same objective and gap as with all in memory."""

import tempfile

import numpy as np
import pandas
import pytest
from peak_memory import peak_below
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from structsvm import CCCP, Blocks, OneSlackCuttingPlane, load, save
from structsvm.problems import ChainSVM, MulticlassSVM, MultiLabelSVM, SegmentSVM


def sentences(kind, n=60):
    """Sequences of noisy letters, whose later blocks have features and labels of their own."""
    rng = np.random.default_rng(0)
    labels = np.array(["b", "a", "c", "d"])
    y = [labels[rng.integers(3 if i < 20 else 4, size=rng.integers(1, 7))] for i in range(n)]
    y = [own.tolist() for own in y]
    words = [[f"{label}{rng.integers(4)}" for label in own] for own in y]
    vectors = [rng.normal(size=(len(own), 3)) + [[ord(label)] * 3 for label in own] for own in y]
    if kind == "arrays":
        return vectors, y
    if kind == "csr":
        return [sparse.csr_matrix(np.abs(x) * (x > 98)) for x in vectors], y
    if kind == "names":
        return [[["all", word] for word in own] for own in words], y
    pairs = zip(words, vectors, strict=True)
    return [[{"w": w, "v": v} for w, v in zip(*pair, strict=True)] for pair in pairs], y


def rows(kind, n=200):
    rng = np.random.default_rng(1)
    y = np.array(["x", "y", "z"])[rng.integers(3, size=n)]
    X = rng.normal(size=(n, 5)) * [1, 10, 1, 1, 1] + (y == "x")[:, None] - 2 * (y == "z")[:, None]
    if kind == "csr":
        X = sparse.csr_matrix(X * (np.abs(X) > 1.5))
    return (pandas.DataFrame(X).add_prefix("c") if kind == "frame" else X), y


def cut(X, y, size=20):
    for start in range(0, len(y), size):
        some = slice(start, start + size)
        yield (X.iloc[some] if hasattr(X, "iloc") else X[some]), y[some]


CASES = {
    "arrays": (ChainSVM(), sentences("arrays")),
    "csr": (ChainSVM(), sentences("csr")),
    "names": (ChainSVM(), sentences("names")),
    "words and vectors": (ChainSVM(), sentences("dicts")),
    "seen states": (ChainSVM(all_possible_states=False), sentences("names")),
    "log_loss": (ChainSVM(loss="log_loss"), sentences("names")),
    "balanced": (ChainSVM(class_weight="balanced"), sentences("arrays")),
    "transitions": (ChainSVM(allowed_transitions=lambda a, b: True), sentences("names")),
    "cutting planes": (ChainSVM(solver=OneSlackCuttingPlane(rtol=1e-4)), sentences("names")),
    "rows": (MulticlassSVM(), rows("array")),
    "sparse rows": (MulticlassSVM(), rows("csr")),
    "frames": (MulticlassSVM(fit_intercept=False), rows("frame")),
    "cost": (MulticlassSVM(cost=np.abs(np.subtract.outer(range(3), range(3)))), rows("array")),
    "weighted classes": (MulticlassSVM(class_weight="balanced"), rows("array")),
    "as they are": (MulticlassSVM(scale=None), rows("array")),
}


def fits(name):
    """The estimator fitted to all at once, and the one fitted to blocks."""
    from sklearn.base import clone

    model, (X, y) = CASES[name]
    if model.solver == "auto":
        model = clone(model).set_params(rtol=1e-4)
    return clone(model).fit(X, y), clone(model).fit(Blocks(cut(X, y)))


def objective(model, w, X, y):
    """P(w) of the problem of a model, by the separation oracle on all data at once."""
    data = model._encoded(X, y)
    task = model.problem_.task(data.X, data.Y)
    found = task.search(w)
    slacks = task.losses(found) - task.differences(found, range(task.n)) @ w
    return w @ w / 2 + model.C_ * np.average(np.maximum(slacks, 0), weights=data.weights)


@pytest.mark.parametrize("name", CASES)
def test_blocks_lead_to_the_same_optimum_with_a_certificate(name):
    once, blocks = fits(name)
    X, y = CASES[name][1]
    result, other = blocks.result_, once.result_
    assert blocks.C_ == pytest.approx(once.C_)
    assert result.gap <= result.tolerance == pytest.approx(other.tolerance, rel=1e-3)
    assert max(result.dual, other.dual) <= min(result.primal, other.primal)
    if once.loss == "hinge":  # what is certified is the objective of all data
        found = objective(once, blocks.w_, X, y)
        assert result.primal - result.rounding <= found * (1 + 1e-6)
        assert found <= result.primal * (1 + 1e-6)
    if hasattr(X, "iloc"):
        assert blocks.feature_names_in_.tolist() == X.columns.tolist()
    predicted, expected = blocks.predict(X), once.predict(X)
    same = [np.array_equal(a, b) for a, b in zip(predicted, expected, strict=True)]
    assert np.mean(same) > 0.97


def test_a_generator_is_read_once_and_no_file_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    X, y = sentences("names")
    seen = []

    def corpus():
        for block in cut(X, y):
            seen.append(len([*tmp_path.rglob("*.pickle")]))
            yield block

    svm = ChainSVM().fit(Blocks(corpus()))
    assert seen == [0, 1, 2]
    assert not [*tmp_path.iterdir()]
    assert svm.result_.support is None
    with pytest.raises(ValueError, match="block 1: "):
        ChainSVM().fit(Blocks([*cut(X[:20], y[:20]), (X[:3], y[:2])]))
    assert not [*tmp_path.iterdir()]


def test_memory_holds_one_block():
    X, y = np.random.default_rng(0).normal(size=(500, 400)), np.arange(500) % 3

    def many():
        for _ in range(30):  # 1.6 MB each
            yield X.copy(), y

    small = MulticlassSVM(C=1e6, max_iter=5)
    with pytest.warns(ConvergenceWarning), peak_below(15 * 10**6):
        small.fit(Blocks(many()))


def test_many_examples_begin_with_a_sample_of_all_blocks():
    X, y = rows("array", 9000)
    blocks, once = MulticlassSVM().fit(Blocks(cut(X, y, 2500))), MulticlassSVM().fit(X, y)
    assert blocks.result_.gap <= 1e-3 * blocks.result_.primal
    assert blocks.result_.primal == pytest.approx(once.result_.primal, rel=2e-3)


def test_several_jobs_find_the_same_bits():
    X, y = sentences("dicts")
    one, two = (ChainSVM(n_jobs=n).fit(Blocks(cut(X, y))) for n in (1, 2))
    np.testing.assert_array_equal(one.w_, two.w_)


def test_a_fitted_model_is_the_prior_of_blocks_with_new_words_and_labels():
    X, y = sentences("names")
    old = ChainSVM().fit(X[:20], y[:20])
    assert len(old.classes_) == 3
    once = ChainSVM(C=1.0, rtol=1e-4).fit(X[20:], y[20:], w_prior=old)
    new = ChainSVM(C=1.0, rtol=1e-4).fit(Blocks(cut(X[20:], y[20:])), w_prior=old)
    assert new.classes_.tolist() == ["a", "b", "c", "d"]
    assert new.state_features_.keys() == once.state_features_.keys()
    assert new.result_.primal == pytest.approx(once.result_.primal, rel=1e-3)
    new.set_params(warm_start=True).fit(Blocks(cut(X[20:], y[20:])), w_prior=old)
    assert new.n_iter_ < once.n_iter_


def test_early_stopping_by_examples_of_their_own():
    X, y = sentences("names")
    svm = ChainSVM(early_stopping=True, rtol=0.0, max_iter=60, n_iter_no_change=3)
    svm.fit(Blocks(cut(X[:40], y[:40])), X_val=X[40:], y_val=y[40:])
    assert svm.result_.status.name == "EARLY_STOPPED"
    assert len(svm.validation_scores_) > 3


NAMES = sentences("names")


@pytest.mark.parametrize(
    ("model", "blocks", "options", "message"),
    [
        (ChainSVM(C="cv"), NAMES, {}, "C='cv' needs all examples in memory"),
        (ChainSVM(early_stopping=True), NAMES, {}, "early_stopping without X_val needs all"),
        (ChainSVM(), NAMES, {"checkpoint": "run"}, "checkpoint needs all examples in memory"),
        (ChainSVM(), NAMES, {"y": NAMES[1]}, "Blocks hold X and y; give no y"),
        (ChainSVM(), NAMES, {"sample_weight": np.ones(60)}, "give no y, and no sample_weight"),
        (ChainSVM(), NAMES, {"groups": np.ones(60)}, "Blocks hold lists of sequences"),
        (SegmentSVM(), NAMES, {}, "only ChainSVM and MulticlassSVM take Blocks"),
        (
            MultiLabelSVM(),
            rows("array"),
            {},
            "only ChainSVM and MulticlassSVM take Blocks",
        ),
        (ChainSVM(), ([], []), {}, "Blocks holds no block"),
    ],
)
def test_the_impossible_is_refused(model, blocks, options, message):
    with pytest.raises(ValueError, match=message):
        model.fit(Blocks(cut(*blocks)), **options)


OF_BOTH = [
    {"C": -1}, {"rtol": 2}, {"max_iter": 0}, {"time_limit": -1}, {"verbose": "no"}, {"n_jobs": 0},
    {"callback": 3}, {"loss": "no"}, {"solver": "no"}, {"solver": CCCP()},
    {"solver": OneSlackCuttingPlane(rtol=2)}, {"class_weight": "no"}, {"class_weight": {"a": -1}},
]  # fmt: skip
OF_CHAINS = [{"all_possible_states": "no"}, {"allowed_transitions": [("a",)]}]
OF_ROWS = [{"cost": np.ones((3, 3))}, {"cost": np.ones((2, 3))}]


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        *[(ChainSVM, wrong) for wrong in OF_BOTH + OF_CHAINS],
        *[(MulticlassSVM, wrong) for wrong in OF_BOTH + OF_ROWS],
    ],
    ids=str,
)
def test_wrong_parameters_are_refused_before_a_block_is_read(kind, wrong):
    def blocks():
        raise AssertionError("a block is read")
        yield

    svm = kind(**wrong)
    with pytest.raises((ValueError, TypeError), match=next(iter(wrong)) + r"\b|rtol|CCCP"):
        svm.fit(Blocks(blocks()))
    assert vars(svm) == vars(kind(**wrong))


def test_blocks_are_dense_or_sparse_but_not_both():
    X, y = rows("array")
    for first, second in ((X, sparse.csr_matrix(X)), (sparse.csr_matrix(X), X)):
        with pytest.raises(ValueError, match="block 1: some X are dense and some are sparse"):
            MulticlassSVM().fit(Blocks([(first, y), (second, y), (first, y)]))


def test_an_iterator_as_x_is_answered_with_blocks():
    for model, (X, y) in ((MulticlassSVM(), rows("array")), (ChainSVM(), NAMES)):
        with pytest.raises(
            ValueError, match=r"; if it yields pairs .*, pass structsvm.Blocks\(X\)"
        ):
            model.fit(cut(X, y))
        model.fit(Blocks(cut(X, y)))


def test_a_certificate_that_is_missing_is_not_saved_in_silence(tmp_path):
    X, y = rows("array")
    svm = MulticlassSVM().fit(Blocks(cut(X, y)))
    save(svm, tmp_path / "model")
    with pytest.warns(UserWarning, match="no planes are saved for verify: .* trained on Blocks"):
        save(svm, tmp_path / "model", certificate=True)
    assert np.array_equal(load(tmp_path / "model").w_, svm.w_)
    save(MulticlassSVM().fit(X, y), tmp_path / "model", certificate=True)
    assert load(tmp_path / "model").verify(X, y).matches


def test_faults_name_their_block():
    X, y = rows("array")
    with pytest.raises(TypeError, match="Blocks takes an iterable of pairs"):
        Blocks(3)
    for bad, message in (
        ([X, y], "block 0: expected a pair"),
        ([(X, y), (X[:, :3], y)], "block 1: X has 3 features, but MulticlassSVM is expecting 5"),
        ([(X, y), (X * np.nan, y)], "block 1: .*NaN"),
        ([(X, y), (X, y[:7])], "block 1: "),
    ):
        with pytest.raises(ValueError, match=message):
            MulticlassSVM().fit(Blocks(bad))
    with pytest.raises(ValueError, match="one class only"):
        MulticlassSVM().fit(Blocks([(X, np.zeros(len(y)))]))
    X, y = sentences("names")
    words = [[{"a": 1.0}]], [["b"]]
    for bad, message in (
        ([(X, y), ([np.ones((1, 2))], [["a"]])], "block 1: X must hold dicts"),
        ([([np.ones((1, 2))], [["a"]]), words], "block 1: X must hold rows of a matrix"),
        ([words, ([[{"v": np.ones(3)}]], [["a"]])], "block 1: its features are of another"),
    ):
        with pytest.raises(ValueError, match=message):
            ChainSVM().fit(Blocks(bad))


def test_the_features_of_later_blocks_may_be_all_new():
    svm = ChainSVM().fit(Blocks([([[["a"]]], [["A"]]), ([[["b"]]], [["B"]])]))
    assert svm.predict([[["b"]], [["a"]]]) == [["B"], ["A"]]


def test_an_iterator_is_used_once_also_after_an_error():
    X, y = rows("array")
    blocks = Blocks(iter([(X, y), (X * np.nan, y), (X, y)]))
    for message in ("block 1: ", "a fit has read these Blocks before"):
        with pytest.raises(ValueError, match=message):
            MulticlassSVM().fit(blocks)
    again = Blocks([(X, y)])
    np.testing.assert_array_equal(MulticlassSVM().fit(again).w_, MulticlassSVM().fit(again).w_)


def test_blocks_may_be_sorted_by_class_without_a_warning():
    X, y = rows("array")
    svm = MulticlassSVM().fit(Blocks((X[y == label], y[y == label]) for label in "xyz"))
    assert len(set(svm.predict(X))) == 3


def test_labels_of_two_kinds_are_refused():
    X, y = rows("array")
    with pytest.raises(ValueError, match="y must hold labels of one kind"):
        MulticlassSVM().fit(Blocks([(X, y), (X, np.arange(len(y)) % 3)]))
    X, y = sentences("names")
    with pytest.raises(ValueError, match="labels of one kind"):
        ChainSVM().fit(Blocks([(X, y), ([[["a"]]], [[1]])]))


def test_double_precision_reaches_all_threads():
    """Workers would go on with single precision, and the last check would call it a change."""
    X, y = sentences("names", 12)
    for _ in range(6):
        svm = ChainSVM(n_jobs=2, rtol=1e-5).fit(Blocks(cut(X, y, 4)))
    assert svm.result_.gap <= 1e-5 * svm.result_.primal
