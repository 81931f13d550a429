"""Conformal: what it warns of, what it refuses, groups, folds, confidence, what to label next."""

import pickle

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.utils import shuffle
from toy_problems import BruteForce

from structsvm import LatentSVM, StructuredSVM
from structsvm.conformal import Conformal
from structsvm.problems import (
    ChainSVM,
    DependencyParser,
    MulticlassSVM,
    MultiLabelSVM,
    MultivariateSVM,
    PartialChain,
    RankingSVM,
    bio_segments,
)

X, y = shuffle(*load_digits(return_X_y=True), random_state=0)
TRAIN, CALIBRATE, NEW = slice(0, 150), slice(150, 900), slice(900, None)
TREES = (
    [[("the", "D"), ("cat", "N"), ("sat", "V")], [("dogs", "N"), ("bark", "V")]] * 6,
    [[(2, "det"), (3, "nsubj"), (0, "root")], [(2, "nsubj"), (0, "root")]] * 6,
)
WORDS = [[[f"w={word}"] for word in text] for text in ("abab", "ba", "aabb", "bab", "abb")]
TAGS = [[word.upper() for [name] in x for word in name[2:]] for x in WORDS]


@pytest.fixture(scope="module")
def svm():
    return MulticlassSVM().fit(X[TRAIN], y[TRAIN])


class Stars(BruteForce):
    """One of five stars for a number."""

    def joint_feature(self, x, y):
        return np.outer(np.eye(5)[y - 1], [x, 1]).ravel()

    def loss(self, y, y_hat):
        return abs(y - y_hat)

    def outputs(self, x):
        return range(1, 6)


def noisy_sentences(n, seed=0, shift=0.0):
    """Sentences of BIO labels and two features that show them unsurely."""
    rng, sentences, labels = np.random.default_rng(seed), [], []
    for _ in range(n):
        codes = [0]
        for _ in range(rng.integers(3, 9)):
            codes.append(rng.choice([1, 0] if codes[-1] == 0 else [2, 0, 1]))
        corners = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 1.5]])
        sentences.append(corners[codes] + rng.normal(size=(len(codes), 2)) + shift)
        labels.append([["O", "B-X", "I-X"][code] for code in codes])
    return sentences, labels


def test_examples_that_were_trained_on_are_warned_of(svm):
    with pytest.warns(UserWarning, match="of 50 training inputs that were remembered are among"):
        Conformal(svm).fit(X[50:170], y[50:170])
    chain = ChainSVM().fit(WORDS, TAGS)
    with pytest.warns(UserWarning, match="5 of 5 training inputs"):
        Conformal(chain, coverage=0.5).fit([list(x) for x in WORDS], TAGS)


def test_a_shift_of_the_inputs_is_warned_of_and_none_is_not(svm):
    conformal = Conformal(svm).fit(X[CALIBRATE], y[CALIBRATE])
    conformal.predict_set(X[NEW])
    with pytest.warns(UserWarning, match="margins of these predictions are"):
        conformal.predict_set(X[NEW] + 6 * np.random.default_rng(0).normal(size=X[NEW].shape))


def test_a_class_without_calibration_examples_is_warned_of(svm):
    some = np.flatnonzero((y != 3) & (y != 7))[200:]
    with pytest.warns(UserWarning, match=r"no example of 3, 7"):
        Conformal(svm).fit(X[some], y[some])


def test_outputs_that_are_never_predicted_are_in_no_set():
    sentences, labels = noisy_sentences(150)
    chain = ChainSVM().fit(sentences[:50], labels[:50])
    labels[60] = ["?", *labels[60][1:]]
    with pytest.warns(UserWarning, match=r"1 of 100 outputs are none .* label '\?'"):
        conformal = Conformal(chain).fit(sentences[50:], labels[50:])
    assert np.isinf(conformal.scores_[10]) and np.isfinite(conformal.threshold_)
    with pytest.warns(UserWarning, match="1 of 2 outputs"):
        assert conformal.score_coverage(sentences[59:61], labels[59:61]) <= 0.5
    for i in range(60, 75):
        labels[i] = ["?", *labels[i][1:]]
    with (
        pytest.warns(UserWarning, match="15 of 100 outputs"),
        pytest.raises(
            ValueError, match=r"15 calibration examples.* never predicted, and 9.1 may be"
        ),
    ):
        Conformal(chain).fit(sentences[50:], labels[50:])


def test_examples_of_a_group_count_as_one(svm):
    own = slice(150, 400)
    once = Conformal(svm).fit(X[own], y[own])
    copies = np.repeat(np.arange(250), 3)
    thrice = Conformal(svm).fit(X[own][copies], y[own][copies], groups=copies)
    assert thrice.threshold_ == once.threshold_ and thrice.n_calibration_ == 250
    with pytest.raises(ValueError, match="2 calibration examples, or groups, are too few"):
        Conformal(svm).fit(X[own], y[own], groups=np.arange(250) % 2)


@pytest.mark.parametrize("groups", [None, np.arange(300) // 3])
def test_folds_train_clones_and_calibrate_on_what_each_has_not_seen(groups):
    conformal = Conformal(MulticlassSVM(C=1.0), cv=4).fit(X[:300], y[:300], groups=groups)
    assert conformal.threshold_ is None and len(conformal.scores_) == 300
    assert 0.85 <= conformal.score_coverage(X[NEW], y[NEW]) <= 0.97
    inside = [c in own for c, own in zip(y[NEW], conformal.predict_set(X[NEW]), strict=True)]
    assert np.mean(inside) == pytest.approx(conformal.score_coverage(X[NEW], y[NEW]))
    np.testing.assert_array_equal(
        conformal.predict(X[:5]), MulticlassSVM(C=1.0).fit(X[:300], y[:300]).predict(X[:5])
    )


def test_a_fold_without_a_label_is_refused():
    labels = np.where(np.arange(60) == 7, "once", "often")
    labels[::2] = "other"
    with pytest.raises(ValueError, match="training data of a fold lack labels"):
        Conformal(MulticlassSVM(), cv=3).fit(X[:60], labels)


def test_confidence_is_the_fraction_of_right_parts():
    sentences, labels = noisy_sentences(900)
    chain = ChainSVM().fit(sentences[:50], labels[:50])
    conformal = Conformal(chain).fit(sentences[50:500], labels[50:500])
    for segments in (None, bio_segments):
        p, right = conformal.judged(sentences[500:], labels[500:], segments=segments)
        parts = np.array_split(np.argsort(p), 5)
        for part in parts:
            assert p[part].mean() == pytest.approx(right[part].mean(), abs=0.1)
        assert log_loss(right, p) < log_loss(right, np.full(len(p), right.mean())) - 0.02
    [[*known, p]], *_ = [
        found
        for found in conformal.predict_confidence(sentences, segments=bio_segments)
        if len(found) == 1
    ]
    assert known[2] == "X" and 0 < p < 1


def test_probabilities_are_those_of_the_estimator_with_its_temperature():
    sentences, labels = noisy_sentences(200)
    chain = ChainSVM().fit(sentences[:50], labels[:50])
    own = sentences[50:], labels[50:]
    conformal = Conformal(chain).fit(*own)
    with pytest.raises(ValueError, match="calibration data, which are not saved, are needed"):
        pickle.loads(pickle.dumps(conformal)).predict_proba(sentences[:2])
    found = conformal.predict_proba(sentences[:2])
    assert chain.temperature_ == 1
    expected = chain.fit_temperature(*own).predict_proba(sentences[:2])
    np.testing.assert_array_equal(found[1], expected[1])


def test_wrong_labels_are_doubted_most():
    sentences, labels = noisy_sentences(400)
    wrong = np.random.default_rng(1).choice(400, 20, replace=False)
    for i in wrong:
        labels[i][-1] = {"O": "I-X", "B-X": "O", "I-X": "O"}[labels[i][-1]]
    conformal = Conformal(ChainSVM(), cv=4).fit(sentences, labels)
    first = np.argsort(-conformal.doubts_)[:40]
    assert np.isin(wrong, first).mean() > 0.4  # .1 at random
    classes = Conformal(MulticlassSVM(), cv=4).fit(X[:200], y[:200])
    np.testing.assert_allclose(classes.doubts_, classes.scores_, atol=1e-9)  # of one part


def test_inputs_of_the_least_margins_are_suggested():
    sentences, labels = noisy_sentences(300)
    chain = ChainSVM().fit(sentences[:50], labels[:50])
    conformal = Conformal(chain, coverage=0.8).fit(sentences[50:150], labels[50:150])
    margins = [found.margin for found in conformal.predict_set(sentences[150:])]
    found = conformal.suggest(sentences[150:], 20)
    assert [margins[i] for i in found] == sorted(margins)[:20]
    with pytest.raises(ValueError, match="n must be"):
        conformal.suggest(sentences, 0)


def test_rankings_keep_the_documents_that_may_be_relevant():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 8, 5))
    grades = (rows[..., 0] - rows[..., 1] + rng.normal(size=(200, 8)) > 1).astype(int)
    qid = np.repeat(np.arange(50), 8)
    svm = RankingSVM().fit(rows[:50].reshape(-1, 5), grades[:50].ravel(), qid=qid)
    conformal = Conformal(svm, coverage=0.8).fit([*rows[50:120]], [*grades[50:120]])
    own = conformal.predict_set([*rows[120:]])
    assert conformal.score_coverage([*rows[120:]], [*grades[120:]]) == pytest.approx(0.8, abs=0.12)
    best = own[0].parts[0]
    assert best == np.argsort(-own[0].prediction)[: len(best)].tolist()
    with pytest.raises(ValueError, match="no slots with one part each"):
        conformal.predict_confidence([*rows[120:]])
    with pytest.raises(ValueError, match="grades of each query"):
        conformal.score_coverage([*rows[120:]], [*grades[120:, :3]])


def test_the_loss_of_a_prediction_is_bounded():
    sentences, labels = noisy_sentences(400)
    chain = ChainSVM().fit(sentences[:50], labels[:50])
    conformal = Conformal(chain, coverage=0.7).fit(sentences[50:250], labels[50:250])
    found = chain.predict(sentences[250:])
    wrong = [np.not_equal(a, b).sum() for a, b in zip(found, labels[250:], strict=True)]
    assert np.mean(np.array(wrong) <= conformal.loss_bound_) >= 0.6


def fitted(estimator, data, **options):
    def call(*own):
        return Conformal(estimator.fit(*data), **options).fit(*own)

    return call


test_bad_data = refused(
    lambda *own: Conformal(MulticlassSVM().fit(X[TRAIN], y[TRAIN])).fit(*own),
    (X[CALIBRATE], None, "y is None"),
    (X[CALIBRATE], y[TRAIN], r"inconsistent numbers of samples: \[750, 150\]"),
    (X[150:158], y[150:158], "8 calibration examples, or groups, are too few.* at least 9"),
    (np.full((20, 64), np.nan), y[:20], "NaN"),
    (X[CALIBRATE, :3], y[CALIBRATE], "3 features"),
)


@pytest.mark.parametrize("cv", [ShuffleSplit(3), TimeSeriesSplit(3), RepeatedKFold(n_splits=3)])
def test_folds_hold_out_each_example_once(cv):
    with pytest.raises(ValueError, match="cv must hold out each example once"):
        Conformal(MulticlassSVM(), cv=cv).fit(X[:60], y[:60])


def test_folds_may_be_stratified():
    conformal = Conformal(MulticlassSVM(), cv=StratifiedKFold(3)).fit(X[:300], y[:300])
    assert np.isfinite(conformal.scores_).all()


def test_a_risk_of_label_sets_counts_the_labels_that_are_there():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(900, 5))
    Y = (rows @ rng.normal(size=(5, 6)) + 2 * rng.normal(size=(900, 6)) > 2).astype(int)
    svm = MultiLabelSVM().fit(rows[:200], Y[:200])
    conformal = Conformal(svm, risk=0.2).fit(rows[200:500], Y[200:500])
    found = conformal.predict_set(rows[500:])
    present = [[True in labels for labels in own.parts] for own in found]
    some = Y[500:].any(axis=1)
    kept = ((Y[500:] * present).sum(axis=1) / np.maximum(Y[500:].sum(axis=1), 1))[some]
    share = 1 - (1 - kept).sum() / len(some)  # without labels nothing is missed
    assert conformal.score_coverage(rows[500:], Y[500:]) == pytest.approx(share)
    assert share == pytest.approx(0.8, abs=0.07)


def test_an_estimator_fitted_again_is_calibrated_again():
    svm = MulticlassSVM().fit(X[TRAIN], y[TRAIN])
    conformal = Conformal(svm).fit(X[CALIBRATE], y[CALIBRATE])
    svm.fit(X[:100], y[:100])
    with pytest.raises(ValueError, match="the estimator was fitted again"):
        conformal.predict_set(X[NEW])


@pytest.mark.filterwarnings("ignore:.*training inputs that were remembered")
def test_trees_with_a_label_that_was_not_trained_on_are_in_no_set():
    sentences, trees = TREES
    parser = DependencyParser().fit(sentences[:6], trees[:6])
    odd = [[(head, "odd") for head, _ in trees[0]], *trees[1:]]
    with pytest.warns(UserWarning, match="1 of 12 outputs are none"):
        conformal = Conformal(parser, coverage=0.5).fit(sentences, odd)
    assert np.isinf(conformal.scores_[0])


@pytest.mark.parametrize("wrong", [None, [(3, 1)], [(0, 99)], [(1,)], ["B"]])
def test_segments_are_within_the_output(wrong):
    sentences, labels = noisy_sentences(100)
    chain = ChainSVM().fit(sentences[:50], labels[:50])
    conformal = Conformal(chain).fit(sentences[50:], labels[50:])
    with pytest.raises(ValueError, match=r"segments must return a list of tuples"):
        conformal.predict_confidence(sentences[:2], segments=lambda labels: wrong)


def test_others_are_refused(svm):
    with pytest.raises(ValueError, match=r"predicts an output for each input.* MultivariateSVM"):
        Conformal(MultivariateSVM()).fit(X, y)
    with pytest.raises(ValueError, match="not fitted"):
        Conformal(MulticlassSVM()).fit(X, y)
    with pytest.raises(ValueError, match="not fitted"):
        clone(Conformal(svm)).predict_set(X)
    with pytest.raises(TypeError, match="no parameter 'level'"):
        Conformal(svm, level=0.9)
    whole = StructuredSVM(Stars()).fit([0.0, 1.0] * 15, [1, 2] * 15)
    with pytest.raises(ValueError, match="no parts of which some may be missed"):
        Conformal(whole, risk=0.1).fit([0.5, 1.5] * 15, [1, 2] * 15)
    [one] = Conformal(whole).fit([0.5, 1.5] * 15, [1, 2] * 15).predict_set([0.0])
    assert one.sizes is one.parts is one.margin is None and repr(one).endswith("whole outputs)")
    with pytest.raises(ValueError, match="no search for the best output with a given part"):
        one.alternatives(1)
    with pytest.raises(ValueError, match="X must be a list of examples; got one table"):
        Conformal(ChainSVM().fit(WORDS, TAGS)).fit(pd.DataFrame({"w": ["a", "b"]}), ["A", "B"])
    hidden = LatentSVM(PartialChain(), C=1.0, n_init=1)
    with pytest.raises(ValueError, match="outputs of LatentSVM are partly hidden"):
        Conformal(hidden, coverage=0.5, cv=2).fit([np.eye(2)] * 8, [["a", None], ["b", "a"]] * 4)
    for cv in (1, 2.5, "5"):
        with pytest.raises(ValueError, match="cv must be"):
            Conformal(svm, cv=cv).fit(X[:60], y[:60])
