"""C='cv': its path and scores, and what it does with weights, priors, limits and few examples."""

import numpy as np
import pytest
from cases.estimators import model_of, quietly
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss

from structsvm import LatentSVM, OneSlackCuttingPlane, StructuredSVM
from structsvm.estimators.cross_validation import FOLDS, MOST, STEP, dealt, searched
from structsvm.problems import (
    MMC,
    ChainSVM,
    Multiclass,
    MulticlassSVM,
    MultivariateSVM,
    PartialChain,
    TaxonomySVM,
)
from structsvm.results.status import Status

X, Y = load_digits(n_class=3, return_X_y=True)
X, Y = X[:40] / 16 + np.random.default_rng(0).normal(size=(40, 64)), Y[:40]
FEW = X[:30], Y[:30]
SEQUENCES = [np.eye(3)[y] for y in ([0, 1, 2], [1, 0], [2, 2, 0], [0, 1], [1, 2, 0], [2, 0])]
LABELS = [np.array(list("abc"))[x.argmax(axis=1)] for x in SEQUENCES]


def by_hand(model, y, parts, path, score, X=X):
    """The scores of fits from scratch, a row for each C and a column for each part held out."""
    rest = [np.delete(np.arange(len(y)), part) for part in parts]

    def at(C, own):
        return clone(model).set_params(C=C * len(own) / len(y))

    return [
        [
            score(quietly(at(C, own).fit, X[own], y[own]), X[part], y[part])
            for own, part in zip(rest, parts, strict=True)
        ]
        for C in path
    ]


def minus_log_loss(model, X, y):
    return -log_loss(y, model.predict_proba(X), labels=model.classes_)


def own_score(model, X, y):
    return model.score(X, y)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("model", "labels", "score", "atol"),
    [
        (MulticlassSVM(scale=None), Y, own_score, 1e-12),
        (StructuredSVM(Multiclass()), None, own_score, 1e-12),
        (TaxonomySVM(scale=None), Y, own_score, 1e-12),  # in the space of its few rows
        (MulticlassSVM(scale=None, loss="log_loss"), Y, minus_log_loss, 1e-3),
    ],
    ids=["multiclass", "structured", "wide", "log loss"],
)
def test_scores_are_those_of_fits_from_scratch(model, labels, score, atol):
    model = quietly(clone(model).set_params(C="cv", rtol=1e-6).fit, X, Y)
    parts = dealt(len(Y), labels, 0)
    assert sorted(np.concatenate(parts)) == list(range(len(Y)))
    expected = by_hand(model, Y, parts, model.C_path_, score)
    np.testing.assert_allclose(model.cv_scores_, expected, atol=atol)


@pytest.mark.parametrize(
    ("given", "relative"),
    [(("precision_at_k", 15), ("precision_at_k", 0.375)), (("roc_area", None), ("roc_area", None))],
)
def test_rows_of_a_measure_are_divided_with_both_labels(given, relative):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, 5))
    y = rows @ np.arange(5) + 4 * rng.normal(size=40) > 2
    model, other = (MultivariateSVM(name, k=k, rtol=1e-6) for name, k in (given, relative))
    model.set_params(C="cv").fit(rows, y)
    parts = dealt(len(y), y, 0)
    assert np.ptp([y[part].sum() for part in parts]) <= 1
    expected = by_hand(other, y, parts, model.C_path_, own_score, rows)
    np.testing.assert_allclose(model.cv_scores_, expected, atol=1e-12)


def test_sequences_of_a_table_and_queries_are_not_divided():
    table, labels = np.vstack(SEQUENCES), np.concatenate(LABELS)
    groups = np.repeat(np.arange(len(SEQUENCES)), [len(y) for y in LABELS])
    listed = quietly(ChainSVM(C="cv").fit, SEQUENCES, LABELS)
    grouped = quietly(ChainSVM(C="cv").fit, table, labels, groups=groups)
    np.testing.assert_array_equal(grouped.cv_scores_, listed.cv_scores_)
    model, data, _ = model_of("RankingSVM")
    model = quietly(model.set_params(C="cv").fit, *data, qid=np.arange(20) % 2)
    assert model.cv_scores_.shape[1] == 2


def test_examples_of_weight_0_count_nowhere():
    X, Y = FEW
    weights = np.where(np.arange(len(Y)) % 4, 1.0, 0.0)
    some = np.flatnonzero(weights)
    model = StructuredSVM(Multiclass(), C="cv", rtol=1e-4)
    weighted = quietly(clone(model).fit, X, Y, sample_weight=weights)
    own = quietly(clone(model).fit, X[some], Y[some])
    np.testing.assert_allclose(weighted.C_path_, own.C_path_)
    np.testing.assert_allclose(weighted.cv_scores_, own.cv_scores_)


def test_folds_are_trained_with_the_prior():
    good = MulticlassSVM(C=100.0).fit(X, Y)
    model = quietly(MulticlassSVM(C="cv").fit, X, Y, w_prior=good)
    assert model.cv_scores_[0].mean() > 0.9  # it was trained on what is held out here
    assert quietly(MulticlassSVM(C="cv").fit, X, Y).cv_scores_[0].mean() < 0.8


def test_labels_of_held_out_examples_alone_count_as_wrong():
    y = np.where(np.arange(len(Y)) == 7, 9, Y)
    for model in (StructuredSVM(Multiclass(), C="cv"), MulticlassSVM(C="cv", loss="log_loss")):
        model = quietly(model.fit, X, y)
        assert np.isfinite(model.cv_scores_).all() and model.cv_scores_.shape[1] == FOLDS
    labels = [np.where(np.arange(len(y)) + i == 3, "d", y) for i, y in enumerate(LABELS)]
    labels = [*labels[:3], *LABELS[3:]]
    assert np.isfinite(quietly(ChainSVM(C="cv").fit, SEQUENCES, labels).cv_scores_).all()


@pytest.mark.parametrize("best", range(-MOST - 1, MOST + 2))
def test_it_climbs_to_the_best_value_within_reach(best):
    tried = []

    def fold(C):
        tried.append(C)
        return -abs(np.log10(C) - best)

    path, scores = searched(1.0, [fold])
    reached = float(np.clip(best, -MOST, MOST))
    np.testing.assert_allclose(path[scores[:, 0].argmax()], STEP**reached)
    assert len(tried) == len(path) <= abs(reached) + 3


def test_a_second_fit_knows_nothing_of_the_first_and_the_random_state_decides_the_folds():
    for model, y in ((MulticlassSVM(C="cv"), Y), (MultivariateSVM("error", C="cv"), Y == 1)):
        first = quietly(model.fit, X, y).cv_scores_
        np.testing.assert_array_equal(quietly(model.fit, X, y).cv_scores_, first)
    other = quietly(MulticlassSVM(C="cv", random_state=1).fit, X, Y).cv_scores_
    first = quietly(MulticlassSVM(C="cv").fit, X, Y).cv_scores_
    assert not np.array_equal(other[0], first[0])


def test_callback_and_progress_are_of_the_last_fit():
    calls = []
    model = MulticlassSVM(C="cv", callback=lambda iteration, w: calls.append(iteration.iteration))
    assert quietly(model.fit, X, Y).n_iter_ == len(calls) == calls[-1]


def test_each_fit_has_the_time_limit_and_the_last_one_warns():
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT") as caught:
        model = MulticlassSVM(C="cv", time_limit=1e-9).fit(X, Y)
    assert len(caught) == 1 and len(model.C_path_) >= 2


def test_ctrl_c_in_a_fold_ends_the_fit(monkeypatch):
    solve = OneSlackCuttingPlane.solve

    def interrupted(self, *args, **options):
        result = solve(self, *args, **options)
        object.__setattr__(result, "status", Status.INTERRUPTED)
        return result

    monkeypatch.setattr(OneSlackCuttingPlane, "solve", interrupted)
    model = MulticlassSVM(C="cv", solver=OneSlackCuttingPlane())
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert not hasattr(model, "C_path_")


CHAIN = model_of("LatentSVM")[1][0]
REFUSED = {
    "both hold out examples": lambda: MulticlassSVM(C="cv", early_stopping=True).fit(X, Y),
    "compares predictions with y, which is None": lambda: LatentSVM(
        PartialChain(), C="cv"
    ).fit(CHAIN),
    "at a time; there are 1 of known output": lambda: StructuredSVM(Multiclass(), C="cv").fit(
        X[:2], Y[:2], sample_weight=[0, 1]
    ),
    "1 of 40 rows have one of the": lambda: MultivariateSVM(C="cv").fit(X, np.arange(len(Y)) < 1),
    "C, if not 'auto' or 'cv', must be": lambda: MulticlassSVM(C="CV").fit(X, Y),
    "C, if not 'cv', must be": lambda: StructuredSVM(Multiclass(), C="CV").fit(X, Y),
    "C, if not 'auto', must be": lambda: MMC(C="cv").fit(X),
    "time_limit must be": lambda: MulticlassSVM(C="cv", time_limit=-1).fit(X, Y),
    "rtol must be": lambda: MulticlassSVM(C="cv", rtol="small").fit(X, Y),
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_refused_with_what_to_do(message):
    with pytest.raises(ValueError, match=message):
        REFUSED[message]()
