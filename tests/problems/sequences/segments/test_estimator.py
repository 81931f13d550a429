"""SegmentSVM: features of candidates by a function or in matrices, weights, and bad data."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from structsvm import StructuredSVM
from structsvm.problems import Segments, SegmentSVM, segment_f1_score
from structsvm.problems.sequences.segments.data import every_segmentation

WORDS = ["a", "dog", "ran", "far", "to", "do", "good"]


def features(letters, start, stop):
    word = letters[start:stop]
    return {"known": word in WORDS, "length": stop - start, "first": word[0]}


def sentences(n=30, seed=0):
    rng = np.random.default_rng(seed)
    chosen = [rng.choice(WORDS, size=rng.integers(1, 6)).tolist() for _ in range(n)]
    stops = [np.cumsum([len(word) for word in words]).tolist() for words in chosen]
    Y = [
        [(stop - len(word), stop, "long" if len(word) > 2 else "short") for word, stop in pairs]
        for pairs in (zip(w, s, strict=True) for w, s in zip(chosen, stops, strict=True))
    ]
    return ["".join(words) for words in chosen], Y


X, Y = sentences()
NEW, TRUE = sentences(seed=1)


def test_it_divides_letters_into_words():
    svm = SegmentSVM(features, max_length=4).fit(X, Y)
    assert svm.score(NEW, TRUE) > 0.8
    assert svm.score(NEW, TRUE) == segment_f1_score(TRUE, svm.predict(NEW))
    assert svm.classes_.tolist() == ["long", "short"] and svm.transitions_.shape == (2, 2)
    assert svm.coef_.shape == (2, len(svm.feature_names_in_))
    assert svm.verify(X, Y).matches
    assert svm.result_.C == svm.C_
    again = pickle.loads(pickle.dumps(svm))
    assert again.predict(NEW) == svm.predict(NEW) and svm.predict([]) == []
    assert clone(svm).get_params() == svm.get_params()


def levels(offset, n=20, seed=0):
    """Runs of three levels, far from 0, and as features the means of their columns."""
    rng, inputs, outputs = np.random.default_rng(seed), [], []
    for _ in range(n):
        codes = [code for code in rng.permutation(3) for _ in range(2)][: rng.integers(3, 6)]
        stops = np.cumsum(rng.integers(1, 4, size=len(codes)))
        rows = 2 * np.eye(3)[np.repeat(codes, np.diff(stops, prepend=0))]
        inputs.append(rows + 0.3 * rng.normal(size=rows.shape) + offset)
        starts = [0, *stops[:-1].tolist()]
        outputs.append(list(zip(starts, stops.tolist(), np.array(list("abc"))[codes], strict=True)))
    return inputs, outputs


def means(sequence, start, stop):
    return {f"m{i}": mean for i, mean in enumerate(sequence[start:stop].mean(axis=0))}


@pytest.mark.parametrize("scale", ["auto", None])
def test_columns_far_from_0_are_learned_from(scale):
    scores = []
    for offset in (0.0, 5.0, 1000.0):
        svm = SegmentSVM(means, max_length=3, scale=scale).fit(*levels(offset))
        scores.append(svm.score(*levels(offset, n=100, seed=1)))
    assert min(scores[1:]) > scores[0] - 0.05


@pytest.mark.parametrize("scale", ["auto", None])
@pytest.mark.parametrize("by_function", [True, False])
def test_C_is_relative_to_what_a_position_changes(scale, by_function):
    inputs, outputs = levels(5.0)
    weights, total, changes = np.arange(1.0, 21), 0.0, 0.0
    given, options = inputs, {"max_length": 3, "scale": scale}
    if not by_function:
        every = [
            [(max(0, b - m), b) for b in range(1, len(x) + 1) for m in (1, 2, 3)] for x in inputs
        ]
        given = [
            np.array([x[a:b].mean(axis=0) for a, b in of])
            for x, of in zip(inputs, every, strict=True)
        ]
    svm = SegmentSVM(means if by_function else None, **options)
    svm.fit(given, outputs, sample_weight=weights)
    for weight, x, y in zip(weights, inputs, outputs, strict=True):
        for a, b in ((a, b) for a, b, _ in y if b - a > 1):
            change = (x[a:b].mean(axis=0) - x[a + 1 : b].mean(axis=0)) / svm.scale_
            total, changes = total + weight, changes + weight * change @ change
    assert svm.C_ == pytest.approx(5 * weights.sum() * total / changes)


@pytest.mark.parametrize("length", [1, 3])
def test_C_is_relative_to_the_features_where_a_position_changes_nothing(length):
    """Segments of one position have no shorter rival; the means of others differ by rounding."""

    def mean(x, a, b):
        return {"mean": np.mean(x[a:b])}

    y = [[(0, length, "low"), (length, 2 * length, "high")]]
    svm = SegmentSVM(mean, max_length=4).fit([[0.1] * length + [0.7] * length], y)
    assert svm.C_ == pytest.approx(5)


def test_the_weights_score_a_segmentation():
    svm = SegmentSVM(features, max_length=4).fit(X, Y)
    names = svm.feature_names_in_.tolist()

    def score(letters, segments):
        total, before = 0.0, None
        for start, stop, label in segments:
            found, code = features(letters, start, stop), svm.classes_.tolist().index(label)
            row = np.zeros(len(names))
            for name, value in found.items():
                text = isinstance(value, str)
                row[names.index(f"{name}:{value}" if text else name)] = 1 if text else value
            total += svm.coef_[code] @ row
            total += 0 if before is None else svm.transitions_[before, code]
            before = code
        return total

    short = [letters for letters in NEW if len(letters) <= 6]
    assert len(short) > 3
    for letters, best in zip(short, svm.predict(short), strict=True):
        every = every_segmentation(len(letters), 4, svm.classes_.tolist())
        assert score(letters, best) == pytest.approx(max(score(letters, z) for z in every))


def test_matrices_and_a_function_are_the_same():
    def matrix(letters):
        rows = [
            [
                len(letters[stop - m : stop]) if m <= stop else 0,
                letters[max(0, stop - m) : stop] in WORDS,
            ]
            for stop in range(1, len(letters) + 1)
            for m in range(1, 5)
        ]
        return np.array(rows, dtype=float)

    def same(letters, start, stop):
        return {"length": stop - start, "known": letters[start:stop] in WORDS}

    by_matrix = SegmentSVM(max_length=4).fit([matrix(x) for x in X], Y)
    by_function = SegmentSVM(same, max_length=4).fit(X, Y)
    np.testing.assert_allclose(by_matrix.coef_, by_function.coef_, atol=1e-3)
    assert by_matrix.predict([matrix(x) for x in NEW]) == by_function.predict(NEW)
    plain = StructuredSVM(Segments(4), C=by_matrix.C_, rtol=1e-2)
    plain.fit([matrix(x) / by_matrix.scale_ for x in X], Y)
    np.testing.assert_allclose(plain.result_.primal, by_matrix.result_.primal, rtol=0.02)


def test_early_stopping_holds_out_sequences():
    svm = SegmentSVM(features, max_length=4, early_stopping=True, n_iter_no_change=2).fit(X, Y)
    assert len(svm.validation_indices_) == 3 and svm.validation_scores_
    given = SegmentSVM(features, max_length=4, early_stopping=True, n_iter_no_change=2)
    given.fit(X, Y, X_val=NEW, y_val=TRUE)
    assert given.validation_indices_ is None and given.validation_scores_


def svm(**parameters):
    return SegmentSVM(**{"features": features, "max_length": 4, **parameters})


BAD = {
    r"features\(X\[0\], 0, 1\) must return a dict of name and value; got list": lambda: svm(
        features=lambda *_: [1]
    ).fit(X, Y),
    r"features\(X\[1\], 0, 2\)\['a'\] is of type list": lambda: svm(
        features=lambda x, a, b: {"a": [1] if (x, a, b) == ("adog", 0, 2) else 1}
    ).fit(["dog", "adog"], [[(0, 3, "x")], [(0, 1, "x"), (1, 4, "x")]]),
    r"features\(X\[0\], 1, 3\)\['a'\] is NaN; features must be finite": lambda: svm(
        features=lambda x, a, b: {"a": float("nan") if (a, b) == (1, 3) else 1}
    ).fit(["dog"], [[(0, 3, "x")]]),
    r"features\(X\[0\], 0, 1\) raised ZeroDivisionError": lambda: svm(
        features=lambda *_: 1 / 0
    ).fit(X, Y),
    "max_length must be at most 1000": lambda: svm(max_length=2000).fit(X, Y),
    r"X\[1\] is empty": lambda: svm().fit(["dog", ""], [[(0, 3, "x")], []]),
    r"X must be a list of sequences; got the string 'dog': give \[X\]": lambda: svm().fit("dog", Y),
    r"y\[0\] must be a list of segments": lambda: svm().fit(["dog"], [[(0.0, 3.0, "x")]]),
    r"y\[0\] has the segment \(0, 3, None\); every segment needs a label": lambda: svm().fit(
        ["dog"], [[(0, 3, None)]]
    ),
    r"y\[0\] has the segment \(0, 0, 'x'\), which is empty": lambda: svm().fit(
        ["dog"], [[(0, 0, "x"), (1, 2, "x")]]
    ),
    r"where one from 0 on must begin": lambda: svm().fit(X, Y).score(["dog"], [[(1, 3, "x")]]),
    "X is empty": lambda: svm().fit([], []),
    "max_length must be an integer": lambda: svm(max_length=0).fit(X, Y),
    r"of 4 positions; raise max_length, which is 3": lambda: svm(max_length=3).fit(X, Y),
    "X has 30 examples but y has 29": lambda: svm().fit(X, Y[:-1]),
    "not fitted": lambda: svm().predict(X),
}


def test_features_that_cannot_be_called_are_refused():
    with pytest.raises(TypeError, match="features must be callable; got 3"):
        svm(features=3).fit(X, Y)


@pytest.mark.parametrize("message", BAD)
def test_bad_data_are_named(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()


@pytest.mark.slow
def test_a_warm_start_continues_the_same_features_and_labels():
    warm = svm(warm_start=True).fit(X, Y)
    first = warm.n_iter_
    assert warm.fit(X, Y).n_iter_ < first
    with pytest.raises(ValueError, match="warm_start continues the last fit, whose features or"):
        warm.fit(X, [[(a, b, label + "er") for a, b, label in y] for y in Y])
    warm = svm(warm_start=True).fit(X, Y)
    warm.set_params(
        features=lambda x, a, b: {"other " + k: v for k, v in features(x, a, b).items()}
    )
    with pytest.raises(ValueError, match="warm_start continues the last fit, whose features or"):
        warm.fit(X, Y)


def test_a_class_weight_without_effect_is_refused():
    with pytest.raises(ValueError, match="class_weight would have no effect: it changes the loss"):
        svm(loss="log_loss", class_weight="balanced").fit(X, Y)


def test_sequences_without_a_length_are_named():
    with pytest.raises(ValueError, match=r"X\[0\] must be a sequence, such as a list of words"):
        SegmentSVM(lambda x, start, stop: {}).fit([1, 2], [[(0, 1, "a")]] * 2)
