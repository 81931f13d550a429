"""ChainSVM: forms of data, weights by name, probabilities, and bad data."""

import pickle
import warnings
from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV

from structsvm import SmoothedLBFGS, StructuredSVM
from structsvm.data.containers import dense
from structsvm.datasets import load_file
from structsvm.problems import Chain, ChainSVM, bio_transitions, segment_f1_score

NAMES = np.array(["low", "mid", "top"])


def drawn(n=30, seed=0):
    """Walks on three labels, seen with noise."""
    rng = np.random.default_rng(seed)
    codes = [np.cumsum(rng.integers(2, size=m)) % 3 for m in rng.integers(1, 8, size=n)]
    X = [np.eye(3)[y] + 0.7 * rng.normal(size=(len(y), 3)) for y in codes]
    return X, [NAMES[y].tolist() for y in codes]


def as_dicts(X):
    return [[dict(zip("abc", row, strict=True)) for row in x.tolist()] for x in X]


def as_table(X):
    groups = np.repeat(np.arange(len(X)), [len(x) for x in X])
    mixed = np.random.default_rng(0).permutation(len(groups))
    order = mixed[np.argsort(groups[mixed], kind="stable")]  # rows of a group stay in order
    place = np.empty_like(order)
    place[np.argsort(mixed, kind="stable")] = np.arange(len(order))
    return pd.DataFrame(np.concatenate(X), columns=list("abc")), groups


X, Y = drawn()
NEW, TRUE = drawn(seed=1)


def test_all_forms_of_data_give_the_same_model():
    table, groups = as_table(X)
    models = [
        ChainSVM().fit(X, Y),
        ChainSVM().fit([sparse.csr_matrix(x) for x in X], Y),
        ChainSVM().fit(as_dicts(X), Y),
        ChainSVM().fit(table, np.concatenate(Y), groups=groups),
        ChainSVM().fit(table.to_numpy(), np.concatenate(Y), groups=groups),
        ChainSVM().fit(table.to_dict("records"), np.concatenate(Y), groups=groups),
    ]
    for model in models:
        np.testing.assert_allclose(model.coef_, models[0].coef_, atol=1e-3)
        assert model.C_ == pytest.approx(models[0].C_)
    names = [getattr(model, "feature_names_in_", None) for model in models]
    assert [None if n is None else n.tolist() for n in names] == [
        None, None, list("abc"), list("abc"), None, list("abc"),
    ]  # fmt: skip
    lists = models[0].predict(NEW)
    assert all(isinstance(y, list) and isinstance(y[0], str) for y in lists)
    assert models[2].predict(as_dicts(NEW)) == lists
    table, groups = as_table(NEW)
    rows = models[3].predict(table, groups=groups)
    assert rows.tolist() == [label for y in lists for label in y]


def test_rows_of_a_table_come_in_any_order_of_the_groups():
    table, groups = as_table(X)
    y = np.concatenate(Y)
    svm = ChainSVM().fit(table, y, groups=groups)
    # Interleaved: the first rows of all groups, then the second ones, and so on.
    step = np.concatenate([np.arange(len(x)) for x in X])
    order = np.argsort(step, kind="stable")
    with pytest.warns(UserWarning, match=f"25 of {len(X)} sequences have rows that are not"):
        mixed = ChainSVM().fit(table.iloc[order], y[order], groups=groups[order])
        found = mixed.predict(table.iloc[order], groups=groups[order])
    np.testing.assert_array_equal(svm.w_, mixed.w_)
    np.testing.assert_array_equal(found, svm.predict(table, groups=groups)[order])


@pytest.mark.slow
def test_the_weights_score_a_labelling_and_are_those_of_the_problem():
    svm = ChainSVM(rtol=1e-6).fit(X, Y)
    assert svm.classes_.tolist() == NAMES.tolist() and svm.n_features_in_ == 3
    for x, best in zip(NEW, svm.predict_n_best(NEW, 3), strict=True):
        for labels, score in best:
            codes = np.searchsorted(svm.classes_, labels)
            expected = (x @ svm.coef_.T)[np.arange(len(codes)), codes].sum()
            expected += svm.start_transitions_[codes[0]] + svm.end_transitions_[codes[-1]]
            expected += svm.transitions_[codes[:-1], codes[1:]].sum()
            assert score == pytest.approx(expected)
    assert [best[0][0] for best in svm.predict_n_best(NEW, 1)] == svm.predict(NEW)
    # The same problem with columns for the ends.
    ended = [np.column_stack([svm._encoding.columns.applied(x), np.zeros((len(x), 2))]) for x in X]
    for x in ended:
        x[0, 3] = x[-1, 4] = 1
    plain = StructuredSVM(Chain(), C=svm.C_, solver=SmoothedLBFGS(rtol=1e-6)).fit(ended, Y)
    np.testing.assert_allclose(plain.w_, svm.w_, atol=1e-2)
    assert svm.verify(X, Y).matches


def test_top_features_are_those_of_largest_weight():
    svm = ChainSVM().fit(as_dicts(X), Y)
    top = svm.top_features(2)
    assert list(top) == NAMES.tolist()
    for label, names in zip(NAMES, "abc", strict=True):
        (name, weight), (_, second) = top[label]
        assert name == names and weight == svm.coef_.max(axis=1)[NAMES.tolist().index(label)]
        assert weight >= second
    assert ChainSVM().fit(X, Y).top_features(1)["top"][0][0] == 2


def test_probabilities_are_those_of_a_random_field():
    svm = ChainSVM().fit(X, Y)
    lists, table = (of(NEW, temperature=0.5) for of in (svm.predict_proba, svm.predict_marginals))
    for x, p, named in zip(NEW, lists, table, strict=True):
        assert p.shape == (len(x), 3) and np.allclose(p.sum(axis=1), 1)
        assert list(named[0]) == NAMES.tolist()
    every = svm.predict_n_best(NEW[:1], 10**6)[0]
    assert len(every) == 3 ** len(NEW[0])
    weights = np.exp(np.array([score for _, score in every]) / 0.5)
    for label, expected in zip(NAMES, lists[0][0], strict=True):
        first = [labels[0] == label for labels, _ in every]
        assert weights[first].sum() / weights.sum() == pytest.approx(expected, abs=1e-6)
    rows, groups = as_table(NEW)
    named = svm.predict_marginals(rows, groups=groups, temperature=0.5)
    rows = svm.predict_proba(rows, groups=groups, temperature=0.5)
    np.testing.assert_allclose(rows, np.concatenate(lists), atol=1e-12)
    assert named[0] == table[0][0]


def test_the_temperature_is_that_of_least_log_loss():
    svm = ChainSVM().fit(X, Y)
    assert svm.temperature_ == 1

    def log_loss(temperature):
        p = np.concatenate(svm.predict_proba(NEW, temperature=temperature))
        codes = np.searchsorted(svm.classes_, np.concatenate(TRUE))
        return -np.log(p[np.arange(len(p)), codes]).mean()

    best = svm.fit_temperature(NEW, TRUE).temperature_
    for factor in (0.8, 1.25):
        assert log_loss(best) < log_loss(factor * best)
    assert log_loss(None) == log_loss(best)


def test_forbidden_transitions_have_no_weight_and_no_prediction():
    Z = [["B" if label == "low" else "O" for label in y] for y in Y]
    Z[0][:3] = ["B", "I", "I"][: len(Z[0])]
    svm = ChainSVM(allowed_transitions=bio_transitions).fit(X, Z)
    inside, outside = svm.classes_.tolist().index("I"), svm.classes_.tolist().index("O")
    assert svm.transitions_[outside, inside] == svm.start_transitions_[inside] == -np.inf
    assert np.isfinite(svm.transitions_[inside, inside])
    again = pickle.loads(pickle.dumps(svm))
    assert again.predict(NEW) == svm.predict(NEW)
    assert 0 <= segment_f1_score(svm.predict(X), Z) <= 1


def test_weights_of_the_loss_raise_the_recall_of_a_label():
    recalls = []
    for weight in (None, {"top": 20.0}):
        found = ChainSVM(C=10.0, class_weight=weight).fit(X, Y).predict(NEW)
        pairs = [
            (a, b) for y, z in zip(TRUE, found, strict=True) for a, b in zip(y, z, strict=True)
        ]
        top = [b for a, b in pairs if a == "top"]
        recalls.append(top.count("top") / len(top))
    assert recalls[1] > recalls[0]
    weights = [np.where(np.array(y) == "top", 20.0, 1.0) for y in Y]
    by_position = ChainSVM(C=10.0).fit(X, Y, sample_weight=weights)
    by_label = ChainSVM(C=10.0, class_weight={"top": 20.0}).fit(X, Y)
    np.testing.assert_allclose(by_position.w_, by_label.w_, atol=1e-9)
    assert by_position.verify(X, Y, sample_weight=weights).matches
    assert not by_position.verify(X, Y).matches


@pytest.mark.slow
def test_wrong_labels_of_weight_0_do_less_harm():
    Z = [list(y) for y in Y]
    weights = [np.ones(len(y)) for y in Y]
    for y, weight in zip(Z, weights, strict=True):
        y[-1], weight[-1] = "low", 0.0
    svm = ChainSVM(rtol=1e-6).fit(X, Z, sample_weight=weights)
    assert svm.score(X, Y) > ChainSVM(rtol=1e-6).fit(X, Z).score(X, Y)


def test_early_stopping_holds_out_sequences():
    svm = ChainSVM(early_stopping=True, n_iter_no_change=2).fit(X, Y)
    assert len(svm.validation_indices_) == 3
    assert svm.verify(X, Y).matches
    table, groups = as_table(NEW)
    given = ChainSVM(early_stopping=True, n_iter_no_change=2)
    given.fit(
        as_table(X)[0], np.concatenate(Y), groups=as_table(X)[1],
        X_val=table, y_val=np.concatenate(TRUE), groups_val=groups,
    )  # fmt: skip
    assert given.validation_indices_ is None and given.validation_scores_
    # A label that only held-out sequences have is known.
    rare = [["other"] * len(y) if i == svm.validation_indices_[0] else y for i, y in enumerate(Y)]
    again = ChainSVM(early_stopping=True, n_iter_no_change=2).fit(X, rare)
    assert again.classes_.tolist() == ["low", "mid", "other", "top"]


@pytest.mark.slow
def test_it_takes_part_in_a_grid_search():
    search = GridSearchCV(ChainSVM(rtol=0.05), {"C": [1e-3, 10.0]}, cv=3).fit(as_dicts(X), Y)
    assert search.best_params_ == {"C": 10.0}
    Z = [["B" if label == "low" else "O" for label in y] for y in Y]
    search.set_params(scoring=make_scorer(segment_f1_score)).fit(as_dicts(X), Z)
    assert search.best_score_ > 0.5
    again = clone(search.best_estimator_)
    assert again.get_params() == search.best_estimator_.get_params()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("offset", [0.0, -20.0])
@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_the_units_of_the_features_do_not_matter(factor, offset, kind):
    svm = ChainSVM().fit(X, Y)
    moved, new = ([kind(factor * (x + offset)) for x in part] for part in (X, NEW))
    other = ChainSVM().fit(moved, Y)
    assert other.predict(new) == svm.predict(NEW)
    np.testing.assert_allclose(factor * other.coef_, svm.coef_, atol=1e-6)


def test_a_prior_for_other_labels_and_other_units_scores_as_its_source():
    X, Y = drawn(n=60, seed=2)
    few = [["low" if label == "top" else label for label in y] for y in Y]
    source = ChainSVM().fit([x + 20 for x in X], few)
    kept = ChainSVM(C=1e-12).fit([2 * x - 30 for x in X], Y, w_prior=source)
    np.testing.assert_allclose(kept.coef_[:2], source.coef_, atol=1e-9)
    np.testing.assert_allclose(kept.transitions_[:2, :2], source.transitions_, atol=1e-9)
    np.testing.assert_allclose(kept.start_transitions_[:2], source.start_transitions_, atol=1e-9)
    means = np.mean(np.concatenate(X), axis=0) + 20
    np.testing.assert_allclose(kept.transitions_[2, :2], -source.coef_ @ means, atol=1e-3)
    np.testing.assert_allclose(kept.transitions_[:, 2], 0, atol=1e-9)


def test_an_array_as_prior_has_the_order_that_the_page_states():
    moved = [x + 20 for x in X]
    svm = ChainSVM().fit(moved, Y)
    parts = svm.coef_.T, svm.start_transitions_, svm.end_transitions_, svm.transitions_
    kept = ChainSVM(C=1e-12).fit(moved, Y, w_prior=np.vstack(parts).ravel())
    np.testing.assert_allclose(kept.coef_, svm.coef_, atol=1e-9)
    np.testing.assert_allclose(kept.transitions_, svm.transitions_, atol=1e-9)
    assert kept.predict(moved) == svm.predict(moved)


def test_a_constant_column_is_an_intercept():
    X = [np.ones((2, 1))] * 3
    svm = ChainSVM().fit(X, [["a", "b"], ["b", "b"], ["b", "b"]])
    assert svm.coef_[1, 0] > 0 and svm.scale_[0] == pytest.approx(1)


@pytest.mark.parametrize("all_possible_states", [True, False])
@pytest.mark.parametrize("form", [list, as_dicts, lambda X: [sparse.csr_matrix(x) for x in X]])
def test_the_weights_are_for_features_as_given(form, all_possible_states):
    X, Y = drawn(n=60, seed=2)
    X = [x + np.array([0.0, 10.0, -20.0]) for x in X]
    svm = ChainSVM(all_possible_states=all_possible_states).fit(form(X), Y)
    coef = dense(svm.coef_)

    def score(x, y):
        steps = sum(svm.transitions_[a, b] for a, b in pairwise(y))
        ends = svm.start_transitions_[y[0]] + svm.end_transitions_[y[-1]]
        return sum(coef[y] @ row for y, row in zip(y, x, strict=True)) + steps + ends

    for x in X[:20]:
        outputs = list(product(range(3), repeat=len(x)))
        best = max(outputs, key=lambda y: score(x, y))
        assert svm.predict(form([x]))[0] == svm.classes_[list(best)].tolist()


def test_c_is_that_of_the_result():
    svm = ChainSVM().fit(X, Y)
    assert svm.result_.C == svm.C_ == 3 * len(X)
    assert ChainSVM(C=7.0).fit(X, Y).result_.C == 7
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # w = 0
        assert ChainSVM().fit([0 * x for x in X], Y).scale_.tolist() == [1] * X[0].shape[1]


def test_a_warm_start_continues():
    svm = ChainSVM(warm_start=True).fit(X, Y)
    first = svm.n_iter_
    assert svm.fit(X, Y).n_iter_ < first
    with pytest.raises(ValueError, match="warm_start continues the last fit, whose features or"):
        svm.fit(X, [[label + "er" for label in y] for y in Y])
    named = ChainSVM(warm_start=True).fit(as_dicts(X), Y)
    with pytest.raises(ValueError, match="warm_start continues the last fit, whose features or"):
        named.fit([[{name * 2: v for name, v in row.items()} for row in x] for x in as_dicts(X)], Y)
    apart = [np.eye(2)] * 2, [["a", "b"]] * 2
    assert ChainSVM(warm_start=True).fit(*apart).fit(*apart).score(*apart) == 1


def test_labels_that_were_not_trained_on_count_as_wrong():
    svm = ChainSVM().fit(X, Y)
    Z = [["new", *y[1:]] for y in TRUE]
    with pytest.warns(UserWarning, match="30 of [0-9]+ labels were not trained on"):
        found = svm.score(NEW, Z)
    pairs = zip(svm.predict(NEW), Z, strict=True)
    right = [a == b for y, z in pairs for a, b in zip(y, z, strict=True)]
    assert found == pytest.approx(np.mean(right))


BAD = {
    "C, if not 'auto' or 'cv', must be": lambda: ChainSVM(C=-1.0).fit(X, Y),
    "X has 30 sequences but y has 29": lambda: ChainSVM().fit(X, Y[:-1]),
    r"y\[2\] must hold a label for each": lambda: ChainSVM().fit(X, [*Y[:2], ["low"] * 99, *Y[3:]]),
    r"X\[4\] has no rows": lambda: ChainSVM().fit([*X[:4], X[4][:0], *X[5:]], Y),
    "one class only": lambda: ChainSVM().fit(X, [["a"] * len(y) for y in Y]),
    "class_weight must be a dict, 'balanced' or None": lambda: ChainSVM(class_weight=3).fit(X, Y),
    r"class_weight must be finite and >= 0; class_weight\['top'\] is -1": lambda: ChainSVM(
        class_weight={"top": -1}
    ).fit(X, Y),
    "every label has the weight 0": lambda: ChainSVM(
        class_weight=dict.fromkeys(NAMES.tolist(), 0)
    ).fit(X, Y),
    "n must be an integer >= 1": lambda: ChainSVM().fit(X, Y).predict_n_best(NEW, 0),
    "temperature must be a finite number > 0": lambda: (
        ChainSVM().fit(X, Y).predict_proba(NEW, temperature=0)
    ),
    "X has 2 columns; expected 3": lambda: ChainSVM().fit(X, Y).predict([x[:, :2] for x in NEW]),
    "not fitted": lambda: ChainSVM().predict(X),
    "held-out inputs and their outputs": lambda: ChainSVM(early_stopping=True).fit(X, Y, X_val=X),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_data_and_parameters_are_named(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()


def words(fold):
    """Words of the handwritten letters in some folds."""
    try:
        data = load_file("ocr_letters")
    except FileNotFoundError as error:
        pytest.skip(str(error))
    kept = np.isin(data["fold"], fold)
    cuts = np.flatnonzero(np.diff(data["word"][kept])) + 1
    pixels = np.unpackbits(data["X"][kept], axis=1).astype(np.float32)
    return np.split(pixels, cuts), np.split(data["y"][kept], cuts)


@pytest.mark.slow
def test_handwritten_letters():
    svm = ChainSVM().fit(*words([1]))
    others = [fold for fold in range(10) if fold != 1]
    assert 1 - svm.score(*words(others)) <= 0.213


def test_groups_of_no_rows_are_refused():
    with pytest.raises(ValueError, match="groups_val says the sequence of each row of X_val"):
        ChainSVM(early_stopping=True).fit([np.eye(2)], [[0, 1]], groups_val=[0, 0])
