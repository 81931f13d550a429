"""coef_ of estimators with states, and copies with fewer of them."""

import functools

import numpy as np
import pytest
from scipy import sparse

import structsvm
from structsvm.problems import ChainSVM, DependencyParser, SegmentSVM


def sentences(n=15):
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 7, size=n)
    words = [rng.integers(20, size=length).tolist() for length in lengths]
    X = [[{"word": f"w{w}", "odd": w % 2 == 1} for w in own] for own in words]
    return X, [
        [f"label {w % 4}" if rng.random() < 0.9 else "label 0" for w in own] for own in words
    ]


@functools.cache
def tagger(**options):
    return ChainSVM(**options).fit(*sentences())


@functools.cache
def segmenter():
    rng = np.random.default_rng(0)
    X = [rng.choice(list("abc "), size=rng.integers(2, 9)).tolist() for _ in range(12)]
    Y = [[(i, i + 1, "gap" if x[i] == " " else "letter") for i in range(len(x))] for x in X]

    def features(x, start, stop):
        return {"text": "".join(x[start:stop]), "length": stop - start}

    return SegmentSVM(max_length=2, features=features, all_possible_states=False).fit(X, Y), X


@functools.cache
def parser(labelled):
    X = [[("the", "DET"), ("dog", "NOUN"), ("barks", "VERB")], [("go", "VERB"), ("home", "ADV")]]
    if not labelled:
        return DependencyParser().fit(X, [[2, 3, 0], [0, 1]]), X
    Y = [[(2, "det"), (3, "nsubj"), (0, "root")], [(0, "root"), (1, "advmod")]]
    return DependencyParser(all_possible_states=False).fit(X, Y), X


ESTIMATORS = {
    "tagger": lambda: (tagger(), sentences()[0]),
    "seen": lambda: (tagger(all_possible_states=False), sentences()[0]),
    "segmenter": segmenter,
    "parser": lambda: parser(labelled=True),
    "plain parser": lambda: parser(labelled=False),
}
all_kinds = pytest.mark.parametrize("kind", ESTIMATORS)


def equal(one, other):
    return all(map(np.array_equal, one, other))


@all_kinds
def test_without_the_zeros_all_scores_are_the_same(kind):
    svm, X = ESTIMATORS[kind]()
    fewer = svm.pruned(0)
    difference = sparse.csr_matrix(fewer.coef_) - sparse.csr_matrix(svm.coef_)
    assert abs(difference).max() == 0
    assert equal(fewer.predict(X), svm.predict(X))
    assert len(fewer.w_) == fewer.problem_.size_joint_feature <= len(svm.w_)


@all_kinds
def test_what_is_left_out_is_short_enough(kind):
    (svm, X), change = ESTIMATORS[kind](), 0.3
    fewer = svm.pruned(change)
    norm, rest = np.linalg.norm(svm.w_), np.linalg.norm(fewer.w_)
    assert rest**2 >= (1 - change**2) * norm**2 * (1 - 1e-12)
    assert len(fewer.w_) < len(svm.w_)
    assert not hasattr(fewer, "result_") and hasattr(svm, "result_")
    assert len(fewer.predict(X)) == len(X)


def test_dense_columns_keep_their_weights():
    rng = np.random.default_rng(0)
    X, Y = sentences()
    vectors = [[item | {"vec": rng.normal(size=3)} for item in x] for x in X]
    svm = ChainSVM(all_possible_states=False).fit(vectors, Y)
    fewer = svm.pruned(0.5)
    names = fewer.feature_names_in_.tolist()
    places = [j for j, name in enumerate(names) if name.startswith("vec")]
    assert len(places) == 3
    found, before = (sparse.csr_matrix(model.coef_)[:, places] for model in (fewer, svm))
    assert abs(found - before).max() == 0


def test_files_hold_no_weight_twice(tmp_path):
    svm, X, sizes = tagger(), sentences()[0], []
    for model in (svm, svm.pruned(0.3)):
        path = tmp_path / "model.npz"
        structsvm.save(model, path)
        again = structsvm.load(path)
        assert equal(again.predict(X), model.predict(X))
        np.testing.assert_array_equal(
            sparse.csr_matrix(again.coef_).toarray(), sparse.csr_matrix(model.coef_).toarray()
        )
        sizes.append(path.stat().st_size)
    assert sizes[1] < sizes[0]


@pytest.mark.parametrize("change", [-0.1, 1.0, "0.1", None, np.nan])
def test_a_change_out_of_range_is_refused(change):
    with pytest.raises(ValueError, match="change must be a number >= 0 and < 1"):
        tagger().pruned(change)


def test_a_copy_says_what_it_lacks_and_has_probabilities():
    X, Y = sentences()
    fewer = tagger().pruned(0)
    for p, q in zip(*(svm.predict_proba(X, temperature=1.0) for svm in (tagger(), fewer)),
                    strict=True):  # fmt: skip
        np.testing.assert_allclose(p, q, atol=1e-6)
    with pytest.raises(AttributeError, match="a pruned copy has no result_"):
        fewer.verify(X, Y)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = fewer.nothing
