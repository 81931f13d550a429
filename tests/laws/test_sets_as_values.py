"""Sets in users' data, whose order differs from run to run, are sorted or refused by name."""

import warnings
from itertools import pairwise

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from cases.estimators import MODELS, model_of

from structsvm.data.fingerprints import fingerprint
from structsvm.problems import (
    ChainSVM,
    DependencyParser,
    Graph,
    MulticlassSVM,
    MultiLabelSVM,
    SegmentSVM,
    bio_segments,
    segment_f1_score,
)

#: As many that their order in a set is another one with almost any seed of hashes.
NAMES = ["alpha", "beta", "delta", "epsilon", "eta", "gamma", "iota", "kappa", "theta", "zeta"]
KINDS = {"set": set, "frozenset": frozenset, "keys": lambda values: dict.fromkeys(values).keys()}
#: Estimators whose inputs are sequences of words.
OF_WORDS = {
    "DependencyParser-words": lambda: (DependencyParser(), HEADS[::-1]),
    "DependencyParser-own": lambda: (DependencyParser(features=arc), HEADS[::-1]),
    "SegmentSVM-words": lambda: (
        SegmentSVM(max_length=2, features=lambda x, i, j: {"a": j - i}),
        ([["a", "b"], ["c"]], [[(0, 1, "u"), (1, 2, "v")], [(0, 1, "u")]]),
    ),
}
HEADS = [[2, 0], [3, 1, 0]], [[("a", "N"), ("b", "V")], [("c", "N"), ("a", "N"), ("b", "V")]]


def arc(sentence, head, dependent):
    return [f"{head}{dependent}"]


def hashable(value):
    return tuple(map(hashable, value)) if isinstance(value, (list, tuple)) else value


def with_sets(value, kind, depth):
    """The value, its lists of this depth as sets; None where there are none that can be."""
    value = value.tolist() if isinstance(value, np.ndarray) else value
    if type(value) not in (list, tuple) or not value:
        return None
    if depth:
        inner = [with_sets(each, kind, depth - 1) for each in value]
        return next((inner for each in inner if each is not None), None)
    try:
        return kind(map(hashable, value))
    except TypeError:  # lists of dicts
        return None


@pytest.mark.parametrize("name", MODELS)
def test_sets_in_the_place_of_sequences_are_refused(name):
    model, data, options = model_of(name)
    given = {**dict(enumerate(data)), **options}
    for argument, value in given.items():
        for depth in range(3):
            for kind in KINDS.values():
                if (made := with_sets(value, kind, depth)) is not None:
                    changed = given | {argument: made}
                    args = [changed.pop(i) for i in range(len(data))]
                    with pytest.raises((ValueError, TypeError)):
                        model.fit(*args, **changed)


@pytest.mark.parametrize("name", OF_WORDS)
@pytest.mark.parametrize("kind", KINDS.values())
def test_a_set_of_words_is_named_by_every_method(name, kind):
    model, (X, y) = OF_WORDS[name]()
    model.fit(X, y)
    sets = [X[0], kind(X[1])]
    for call in (model.fit, model.predict, model.score, model.verify):
        with pytest.raises(ValueError, match=r"^X\[1\] is a set"):
            call(sets, *[y][: call != model.predict])


SET = frozenset(NAMES)


@pytest.mark.parametrize(
    "call",
    [
        lambda: segment_f1_score([{"B-X", "O"}], [["B-X", "O"]]),
        lambda: bio_segments({"B-X", "O"}),
        lambda: Graph.from_networkx(nx.path_graph(3), SET),
        lambda: SegmentSVM(max_length=2).fit([np.ones((2, 1))], [[{0, 1, "a"}, (1, 2, "b")]]),
        lambda: ChainSVM(allowed_transitions=[{"u", "v"}]).fit([[["a"]] * 2], [["u", "v"]]),
        lambda: DependencyParser().fit(HEADS[1], [[{2, "x"}, (0, "y")], [(3, "x")] * 3]),
        lambda: MultiLabelSVM().fit(np.eye(2), [{"a"}, {"b"}]),
        lambda: MulticlassSVM().fit(np.eye(3), pd.Series([SET, frozenset("ab"), SET])),
        lambda: ChainSVM().fit([np.eye(3)], [[SET, frozenset("ab"), SET]]),
    ],
)
def test_a_set_is_named(call):
    with pytest.raises(ValueError, match=r" sets?\b"):
        call()


#: What takes names in any order, by what it is, for a function that makes their container.
TAKING = {
    "a value": lambda made: chain([[{"w": made(NAMES[i:])} for i in range(3)]]),
    "a row of names": lambda made: chain([[made(NAMES[i:]) for i in range(3)]]),
    "a value in a dict": lambda made: chain([[{"v": {"w": made(NAMES[i:])}} for i in range(3)]]),
    "a value of segments": lambda made: (
        SegmentSVM(max_length=2, features=lambda x, i, j: {"w": made(x[i:j])})
        .fit([NAMES], [[(i, i + 1, "ab"[i % 2]) for i in range(len(NAMES))]])
        .w_
    ),
    "names of arcs": lambda made: parser(lambda s, h, d: made([f"{n}{h}{d}" for n in NAMES])),
    "a value of arcs": lambda made: parser(lambda s, h, d: {"w": made([f"{h}{d}", *NAMES])}),
    "structure": lambda made: (
        MultiLabelSVM(made([*pairwise(NAMES)]))
        .fit(np.eye(20), pd.DataFrame(np.eye(20)[:, ::2] + np.eye(20)[:, 1::2], columns=NAMES))
        .w_
    ),
    "allowed transitions": lambda made: (
        ChainSVM(allowed_transitions=made([(a, b) for a in "uv" for b in "uv" if a + b != "vv"]))
        .fit([[{"a"}, {"b"}, {"a"}]], [["u", "v", "u"]])
        .w_
    ),
    "a fingerprint": lambda made: fingerprint(
        [made(NAMES), {"a": made([(name, made(NAMES)) for name in NAMES])}]
    ),
}


def chain(X):
    return ChainSVM().fit(X, [["u", "v", "u"]]).w_


def parser(features):
    return DependencyParser(features=features).fit(HEADS[1], HEADS[0]).w_


def bits(made):
    """Hashes of what is made of such containers, to compare them between processes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few and small examples
        return {what: fingerprint(function(made)) for what, function in TAKING.items()}


class Backwards(frozenset):
    """A set that is iterated backwards."""

    def __iter__(self):
        return iter(sorted(super().__iter__(), reverse=True))


def test_sets_of_names_are_as_sorted_lists():
    found, of_lists = bits(Backwards), bits(sorted)
    found["a fingerprint"] = of_lists["a fingerprint"]
    assert found == of_lists
