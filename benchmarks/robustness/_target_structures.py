"""Estimators of sets, sequences, trees and other structured outputs."""

from __future__ import annotations

from typing import Any

from benchmarks.robustness._pool import rows
from benchmarks.robustness._pool_anything import ANYTHING, FUNCTIONS, PLAIN
from benchmarks.robustness._pool_labels import LABELS
from benchmarks.robustness._pool_matrices import MATRICES
from benchmarks.robustness._target import (
    Arguments,
    Insane,
    Target,
    length,
    require_sane,
    require_sane_result,
)
from benchmarks.robustness._target_data import (
    BIPARTITE,
    GRAPHS,
    PARTITIONS,
    PROGRAMS,
    SETS,
    partitions,
    sets,
    several,
)
from benchmarks.robustness._target_parameters import fitted, parameters
from structsvm import problems


def estimator_of_sets(cls: Any) -> Target:
    good, pools = parameters(cls)
    good |= {"X": sets, "y": partitions, "query": lambda: sets(1)}
    pools |= {"X": SETS, "y": PARTITIONS, "query": SETS}

    def call(given: Arguments) -> None:
        X, y, query = (given.pop(name) for name in ("X", "y", "query"))
        estimator = fitted(cls, given, X, y)
        require_sane_result(estimator.result_)
        require_sane(estimator.coef_)
        for found in estimator.predict(query):
            require_sane(found)
        require_sane(estimator.score(X, y))

    return Target(cls.__name__, good, pools, call)


def estimator_of_problem(cls: Any, problem: Any) -> Target:
    """An estimator, called with the example data of a problem."""
    good, pools = parameters(cls)
    good |= {"X": lambda: problem.example_data()[0], "Y": lambda: problem.example_data()[1]}
    pools |= {"X": SETS | BIPARTITE | PROGRAMS | GRAPHS, "Y": PARTITIONS}

    def call(given: Arguments) -> None:
        X, Y = (given.pop(name) for name in ("X", "Y"))
        svm = fitted(cls, given, X, Y)
        require_sane_result(svm.result_)
        for found in svm.predict(X):
            require_sane(found)
        require_sane(svm.score(X, Y))

    return Target(cls.__name__, good, pools, call)


def segment_svm() -> Target:
    cls = problems.SegmentSVM
    good, pools = parameters(cls)
    good |= {
        "features": lambda: _letter, "max_length": lambda: 2,
        "X": lambda: ["ab", "bab"], "Y": lambda: [[(0, 2, "x")], [(0, 1, "y"), (1, 3, "x")]],
        "query": lambda: ["abba"],
    }  # fmt: skip
    texts = {**SETS, "texts": lambda: ["a", ""]}
    pools |= {"features": {**PLAIN, **FUNCTIONS}, "X": texts, "Y": PARTITIONS, "query": texts}

    def call(given: Arguments) -> None:
        X, Y, query = (given.pop(name) for name in ("X", "Y", "query"))
        estimator = fitted(cls, given, X, Y)
        require_sane_result(estimator.result_)
        require_sane(estimator.coef_)
        if len(estimator.predict(query)) != len(query):
            raise Insane("another number of predictions than sequences")
        require_sane([estimator.score(X, Y)])

    return Target("SegmentSVM", good, pools, call)


def _letter(sequence: Any, start: int, stop: int) -> dict[str, Any]:
    return {"first": str(sequence[start]), "length": stop - start}


def sentences() -> list[Any]:
    """Sentences of three words and of one."""
    return [[("the", "DET"), ("cat", "NOUN"), ("sleeps", "VERB")], [("go", "VERB")]]


def dependency_parser() -> Target:
    cls = problems.DependencyParser
    good, pools = parameters(cls)
    good |= {"X": sentences, "Y": lambda: [[2, 3, 0], [0]], "query": sentences}
    inputs = {**several(MATRICES, rows), **several(ANYTHING, lambda: sentences()[0]), **ANYTHING}
    pools |= {"X": inputs, "query": inputs, "features": {**PLAIN, **FUNCTIONS}}
    pools["Y"] = {**several(LABELS, lambda: [2, 3, 0]), **PARTITIONS}

    def call(given: Arguments) -> None:
        X, Y, query = (given.pop(name) for name in ("X", "Y", "query"))
        parser = fitted(cls, given, X, Y)
        require_sane_result(parser.result_)
        require_sane(parser.coef_)
        if len(parser.predict(query)) != length(query):
            raise Insane("another number of trees than sentences")
        require_sane(parser.score(X, Y))

    return Target(cls.__name__, good, pools, call)


def pair_map() -> Target:
    cls = problems.PairMap
    good, pools = parameters(cls)
    good["X"] = sets
    pools |= {"X": SETS}

    def call(given: Arguments) -> None:
        X = given.pop("X")
        for items in cls(**given).fit(X).transform(X):
            require_sane(items.pair_vectors([0], [1]))

    return Target(cls.__name__, good, pools, call)
