"""Every public estimator and function with good arguments, and the bad ones that each may get."""

from __future__ import annotations

import inspect
import io
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import networkx
import numpy as np
import pandas
from matplotlib import pyplot

import structsvm
from benchmarks.robustness._pools import (
    ANYTHING,
    FUNCTIONS,
    LABELS,
    MATRICES,
    NAMES,
    WEIGHTS,
    Make,
    Pool,
    labels,
    rows,
)
from structsvm import datasets, displays, features, problems, solvers

Arguments = dict[str, Any]


class Target(NamedTuple):
    """Something public to call.

    Attributes
    ----------
    name : str
    good : dict
        For each argument a function that makes a good value.
    pools : dict
        For each argument the bad values.
    call : callable
        Called with the arguments; raises :class:`Insane` where the result makes no sense.
    """

    name: str
    good: dict[str, Make]
    pools: dict[str, Pool]
    call: Callable[[Arguments], None]


class Insane(Exception):
    """A result without an error that cannot be true."""


#: Public names that are no entrance: errors, records, base classes, constants.
NO_ENTRANCE = {
    "ArchiveError", "Axes", "Bipartite", "Callback", "Checkpoint", "ContractViolation",
    "EarlyStopping", "Graph", "Guarantee",
    "InfeasibleConstraintsError", "Iteration", "LatentProblem", "MiniBatch", "Misranking",
    "Problem", "ProblemError", "Program", "Result", "SelfLabelledProblem", "SoftOutput",
    "SoftSum", "Status", "StructSVMError", "FILES", "FOLDER_VARIABLE", "DataFile",
    "SHAPES", "KERNELS", "__version__",
}  # fmt: skip

#: Bad values that any argument may get.
PLAIN = {**ANYTHING, **NAMES}


# ---------------------------------------------------------------------- good data


def sets(n: int = 2) -> list[Any]:
    return [rows(12, 3, seed) for seed in range(n)]


def partitions(n: int = 2) -> list[Any]:
    return [labels() for _ in range(n)]


def similarity() -> Any:
    X = rows()
    return X @ X.T


def _graph(*edges: Any, kind: Any = networkx.DiGraph) -> Make:
    return lambda: kind(edges)


#: Graphs with the labels of the good data, 0 and 1, and other nodes.
TAXONOMIES: Pool = {
    "tree": _graph(("r", 0), ("r", "s"), ("s", 1)), "chain": _graph((0, 1)),
    "parents": _graph(("r", 0), ("r", "s"), ("s", 1), (0, 1)),
    "multigraph": _graph(("r", 0), ("r", 0), ("r", 1), kind=networkx.MultiDiGraph),
    "no directions": _graph(("r", 0), ("r", 1), kind=networkx.Graph), "no edges": _graph(),
    "cycle": _graph(("r", 0), (0, 1), (1, 0)), "loop": _graph(("r", 0), ("r", 1), (1, 1)),
    "roots": _graph(("r", 0), ("s", 1)), "no label": _graph(("r", "a"), ("r", 1)),
    "of text": _graph(("r", "0"), ("r", "1")), "of other kinds": _graph(("r", 0.0), ("r", True)),
    "nan": _graph((np.nan, 0), (np.nan, 1)), "deep": lambda: networkx.path_graph(
        3000, create_using=networkx.DiGraph),
}  # fmt: skip


def _several(pool: Pool, good: Callable[[], Any]) -> Pool:
    """Sequences with one element of the pool, or two, the first of them good."""
    made: Pool = {}
    for name, make in pool.items():
        made[f"[{name}]"] = lambda make=make: [make()]
        made[f"[good, {name}]"] = lambda make=make: [good(), make()]
    return made


SETS = {**_several(MATRICES, rows), **MATRICES, **ANYTHING}
PARTITIONS = {**_several(LABELS, labels), **LABELS, **ANYTHING}


#: Inputs with features of pairs, and with programs, of which one matrix is bad.
BIPARTITE: Pool = {
    **{f"Bipartite({key}, ...)": lambda make=make: [problems.Bipartite(make(), rows(3), rows(4))]
       for key, make in {**MATRICES, **ANYTHING}.items()},
    **{f"Bipartite(..., {key})": lambda make=make: [
        problems.Bipartite(rows(36).reshape(3, 12, 3), rows(3), make())]
       for key, make in {**MATRICES, **ANYTHING}.items()},
}  # fmt: skip
PROGRAMS: Pool = {
    **{f"Program({key})": lambda make=make: [problems.Program(make())]
       for key, make in {**MATRICES, **ANYTHING}.items()},
    **{f"Program(..., ({key}, 1))": lambda make=make: [problems.Program(rows(), (make(), 1))]
       for key, make in {**MATRICES, **ANYTHING}.items()},
    **{f"Program(..., (1, {key}))": lambda make=make: [
        problems.Program(rows(), (np.ones((12, 12)), make()))]
       for key, make in {**MATRICES, **LABELS, **ANYTHING}.items()},
    **{f"Program(..., {key})": lambda make=make: [problems.Program(rows(), make())]
       for key, make in {**MATRICES, **ANYTHING}.items()},
}  # fmt: skip
#: Graphs of which one part is bad.
GRAPHS: Pool = {
    **{f"Graph({key}, ...)": lambda make=make: [problems.Graph(make(), [[0, 1]])]
       for key, make in {**MATRICES, **ANYTHING}.items()},
    **{f"Graph(..., {key})": lambda make=make: [problems.Graph(rows(), make())]
       for key, make in {**MATRICES, **LABELS, **ANYTHING}.items()},
    **{f"Graph(..., ..., {key})": lambda make=make: [
        problems.Graph(rows(), np.column_stack([np.arange(11), np.arange(1, 12)]), make())]
       for key, make in {**MATRICES, **ANYTHING}.items()},
}  # fmt: skip


# ---------------------------------------------------------------------- sanity


def require_sane(found: Any, n: int | None = None) -> None:
    """Raise Insane where a result has another length, or holds NaN."""
    if n is not None and len(found) != n:
        raise Insane(f"{len(found)} results for {n} rows")
    array = np.asarray(found)
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise Insane("the result holds NaN")


def require_sane_result(result: Any) -> None:
    """Raise Insane where a certificate holds NaN, or claims a negative gap."""
    require_sane([result.primal, result.gap])
    require_sane(getattr(result, "w", np.zeros(1)))
    if result.status.name == "CONVERGED" and not np.isfinite(result.primal):
        raise Insane(f"CONVERGED at an objective of {result.primal}")


def _require_sane_rows(estimator: Any, X: Any, query: Any) -> None:
    if hasattr(estimator, "labels_"):
        require_sane(estimator.labels_, _length(X))
    if hasattr(estimator, "result_"):
        require_sane_result(estimator.result_)
    for name in ("coef_", "intercept_", "probabilities_", "objective_"):
        if hasattr(estimator, name):
            require_sane(getattr(estimator, name))
    if hasattr(estimator, "predict"):
        require_sane(estimator.predict(query), _length(query))
    for name in ("decision_function", "predict_proba", "transform"):
        if hasattr(estimator, name):
            require_sane(_dense(getattr(estimator, name)(query)), _length(query))


def _length(data: Any) -> int:
    return int(data.shape[0]) if hasattr(data, "shape") else len(data)


def _dense(found: Any) -> Any:
    return found.toarray() if hasattr(found, "toarray") else found


# ---------------------------------------------------------------------- estimators


#: Settings that make a fit of a few rows quick.
QUICK = {"n_init": 2, "max_iter": 100}


def _parameters(cls: Any) -> tuple[dict[str, Make], dict[str, Pool]]:
    """Good values, the defaults, and pools for all parameters of a class."""
    defaults = cls().get_params(deep=False)
    quick = {name: QUICK.get(name, value) for name, value in defaults.items()}
    good = {name: (lambda value=value: value) for name, value in quick.items()}
    pools: dict[str, Pool] = {}
    for name in defaults:
        pool = {**PLAIN}
        if name in ("kernel", "loss", "delta", "oracle", "predictor", "transformer"):
            pool |= FUNCTIONS
        if name in ("cost", "universum", "structure"):
            pool |= MATRICES
        if name == "taxonomy":
            pool |= TAXONOMIES
        pools[name] = {key: make for key, make in pool.items() if not _unfair(name, key)}
    if hasattr(cls, "fit") and "sample_weight" in inspect.signature(cls.fit).parameters:
        good["sample_weight"], pools["sample_weight"] = lambda: None, {**WEIGHTS, **ANYTHING}
    return good, pools


def _fitted(cls: Any, given: Arguments, *data: Any, **options: Any) -> Any:
    """An estimator fitted to data, given its parameters and perhaps weights of the examples."""
    weights = {name: given.pop(name) for name in ("sample_weight",) if name in given}
    return cls(**given).fit(*data, **options, **weights)


def _unfair(parameter: str, key: str) -> bool:
    """Whether a value is legitimate for a parameter, and costs more than a case may."""
    if parameter == "n_jobs":
        return key in ("two", "int8", "uint8", "minus one")  # starts processes
    # A limit of 10^30 passes or no limit at all is what it says.
    return parameter in ("max_iter", "time_limit") and key in ("1e30", "1e300", "None")


def _estimator_of_rows(cls: Any) -> Target:
    good, pools = _parameters(cls)
    good |= {"X": rows, "y": (lambda: None) if _unlabelled(cls) else labels, "query": rows}
    pools |= {"X": {**MATRICES, **ANYTHING}, "y": {**LABELS, **ANYTHING}}
    pools["query"] = pools["X"]

    def call(given: Arguments) -> None:
        X, y, query = (given.pop(name) for name in ("X", "y", "query"))
        _require_sane_rows(_fitted(cls, given, X, y), X, query)

    return Target(cls.__name__, good, pools, call)


def sentences() -> list[Any]:
    """Sentences of three words and of one."""
    return [[("the", "DET"), ("cat", "NOUN"), ("sleeps", "VERB")], [("go", "VERB")]]


def _dependency_parser() -> Target:
    cls = problems.DependencyParser
    good, pools = _parameters(cls)
    good |= {"X": sentences, "Y": lambda: [[2, 3, 0], [0]], "query": sentences}
    inputs = {**_several(MATRICES, rows), **_several(ANYTHING, lambda: sentences()[0]), **ANYTHING}
    pools |= {"X": inputs, "query": inputs, "features": {**PLAIN, **FUNCTIONS}}
    pools["Y"] = {**_several(LABELS, lambda: [2, 3, 0]), **PARTITIONS}

    def call(given: Arguments) -> None:
        X, Y, query = (given.pop(name) for name in ("X", "Y", "query"))
        parser = _fitted(cls, given, X, Y)
        require_sane_result(parser.result_)
        require_sane(parser.coef_)
        if len(parser.predict(query)) != _length(query):
            raise Insane("another number of trees than sentences")
        require_sane(parser.score(X, Y))

    return Target(cls.__name__, good, pools, call)


def _unlabelled(cls: Any) -> bool:
    return not hasattr(cls, "score")


def _estimator_of_sets(cls: Any) -> Target:
    good, pools = _parameters(cls)
    good |= {"X": sets, "y": partitions, "query": lambda: sets(1)}
    pools |= {"X": SETS, "y": PARTITIONS, "query": SETS}

    def call(given: Arguments) -> None:
        X, y, query = (given.pop(name) for name in ("X", "y", "query"))
        estimator = _fitted(cls, given, X, y)
        require_sane_result(estimator.result_)
        require_sane(estimator.coef_)
        for found in estimator.predict(query):
            require_sane(found)
        require_sane(estimator.score(X, y))

    return Target(cls.__name__, good, pools, call)


def _segment_svm() -> Target:
    cls = problems.SegmentSVM
    good, pools = _parameters(cls)
    good |= {
        "features": lambda: _letter, "max_length": lambda: 2,
        "X": lambda: ["ab", "bab"], "Y": lambda: [[(0, 2, "x")], [(0, 1, "y"), (1, 3, "x")]],
        "query": lambda: ["abba"],
    }  # fmt: skip
    texts = {**SETS, "texts": lambda: ["a", ""]}
    pools |= {"features": {**PLAIN, **FUNCTIONS}, "X": texts, "Y": PARTITIONS, "query": texts}

    def call(given: Arguments) -> None:
        X, Y, query = (given.pop(name) for name in ("X", "Y", "query"))
        estimator = _fitted(cls, given, X, Y)
        require_sane_result(estimator.result_)
        require_sane(estimator.coef_)
        if len(estimator.predict(query)) != len(query):
            raise Insane("another number of predictions than sequences")
        require_sane([estimator.score(X, Y)])

    return Target("SegmentSVM", good, pools, call)


def _letter(sequence: Any, start: int, stop: int) -> dict[str, Any]:
    return {"first": str(sequence[start]), "length": stop - start}


def _estimator_of_problem(cls: Any, problem: Any) -> Target:
    """An estimator whose X and Y are those of a problem."""
    good, pools = _parameters(cls)
    good |= {"X": lambda: problem.example_data()[0], "Y": lambda: problem.example_data()[1]}
    pools |= {"X": SETS | BIPARTITE | PROGRAMS | GRAPHS, "Y": PARTITIONS}

    def call(given: Arguments) -> None:
        X, Y = (given.pop(name) for name in ("X", "Y"))
        svm = _fitted(cls, given, X, Y)
        require_sane_result(svm.result_)
        for found in svm.predict(X):
            require_sane(found)
        require_sane(svm.score(X, Y))

    return Target(cls.__name__, good, pools, call)


def _ranking_svm() -> Target:
    cls = problems.RankingSVM
    good, pools = _parameters(cls)
    good |= {"X": rows, "y": labels, "qid": lambda: np.arange(12) // 4, "query": rows}
    pools |= {"X": {**MATRICES, **ANYTHING}, "y": {**LABELS, **ANYTHING}}
    pools |= {"qid": pools["y"], "query": pools["X"]}

    def call(given: Arguments) -> None:
        X, y, qid, query = (given.pop(name) for name in ("X", "y", "qid", "query"))
        svm = _fitted(cls, given, X, y, qid=qid)
        require_sane_result(svm.result_)
        require_sane(svm.predict(query), _length(query))
        require_sane(svm.score(X, y, qid=qid))

    return Target(cls.__name__, good, pools, call)


def _pair_map() -> Target:
    cls = problems.PairMap
    good, pools = _parameters(cls)
    good |= {"X": sets, "n_pairs": lambda: 50}
    pools |= {"X": SETS}

    def call(given: Arguments) -> None:
        X = given.pop("X")
        for items in cls(**given).fit(X).transform(X):
            require_sane(items.pair_vectors([0], [1]))

    return Target(cls.__name__, good, pools, call)


# ---------------------------------------------------------------------- problems and solvers


def _problem(name: str) -> Target:
    """A problem, trained by StructuredSVM with any solver, and examined by choose_solver."""
    cls = getattr(problems, name)
    good, pools = _parameters(cls)
    X, Y = cls.example_data()
    kind = X[0] if isinstance(X, list) else X
    ranked = isinstance(kind, tuple)
    good |= {
        "X": lambda: cls.example_data()[0], "Y": lambda: cls.example_data()[1],
        "C": lambda: 1.0, "solver": lambda: "auto",
    }  # fmt: skip
    inputs = {**_several(MATRICES, rows), **MATRICES, **ANYTHING}
    if ranked:
        inputs |= {
            f"[({key}, labels)]": lambda make=make: [(make(), labels() > 0)]
            for key, make in MATRICES.items()
        }
    if name == "Assignment":
        inputs |= BIPARTITE
    if name.endswith("Labelling"):
        inputs |= GRAPHS
    if name.endswith("IntegerProgram"):
        inputs |= PROGRAMS
    pools |= {
        "X": inputs, "Y": {**PARTITIONS, "example": lambda: Y}, "C": PLAIN,
        "solver": {**PLAIN, **{s: getattr(solvers, s) for s in solvers.__all__},
                   f"{name}()": cls},
    }  # fmt: skip

    def call(given: Arguments) -> None:
        X, Y, C, solver = (given.pop(key) for key in ("X", "Y", "C", "solver"))
        problem = cls(**given)
        structsvm.choose_solver(problem, X, Y)
        svm = structsvm.StructuredSVM(problem, C=C, solver=solver).fit(X, Y)
        require_sane_result(svm.result_)
        if len(svm.predict(X)) != svm.result_.n_examples:
            raise Insane("another number of predictions than inputs")
        svm.result_.verify(svm.problem_, X, Y)

    return Target(name, good, pools, call)


def _solver(name: str) -> Target:
    cls = getattr(solvers, name)
    good, pools = _parameters(cls)
    latent = name == "CCCP"
    problem = problems.MMCProblem if latent else problems.Multiclass
    good |= {
        "problem": problem, "X": (lambda: [rows()]) if latent else rows,
        "Y": (lambda: None) if latent else labels, "C": lambda: 1.0, "w0": lambda: None,
        "callback": lambda: None, "n_jobs": lambda: None, "verbose": lambda: False,
        "sample_weight": lambda: None,
    }  # fmt: skip
    pools |= {
        "problem": {**PLAIN, **{p: getattr(problems, p) for p in _problem_names()}},
        "X": {**(_several(MATRICES, rows) if latent else MATRICES), **ANYTHING},
        "Y": {**(_several(LABELS, labels) if latent else LABELS), **ANYTHING},
        "C": PLAIN, "w0": {**PLAIN, **MATRICES}, "callback": PLAIN, "verbose": PLAIN,
        "n_jobs": {key: make for key, make in PLAIN.items() if not _unfair("n_jobs", key)},
        "sample_weight": {**WEIGHTS, **ANYTHING},
    }  # fmt: skip

    def call(given: Arguments) -> None:
        parameters = {key: given.pop(key) for key in list(given) if key in cls().get_params()}
        given["verbose"] = given["verbose"] if given["verbose"] is not True else False
        require_sane_result(cls(**parameters).solve(**given))

    return Target(name, good, pools, call)


def _problem_names() -> list[str]:
    found = [getattr(problems, name) for name in problems.__all__]
    return [c.__name__ for c in found if isinstance(c, type) and issubclass(c, structsvm.Problem)]


class SemiSupervised(structsvm.LatentProblem, problems.Multiclass):
    """Classes that are known for some rows."""


def _structured_svm(estimator: Any, problem: Any, **more: Any) -> Target:
    good = {
        "problem": problem, "X": rows, "Y": labels, "query": rows, "sample_weight": lambda: None,
        **{key: (lambda v=value: v) for key, value in (
            ("C", 1.0), ("solver", "auto"), ("warm_start", False), ("n_jobs", None),
            ("callback", None), ("verbose", False), *more.items())},
    }  # fmt: skip
    pools: dict[str, Pool] = {
        key: {k: m for k, m in PLAIN.items() if not _unfair(key, k)} for key in good
    }
    pools |= {"X": {**MATRICES, **ANYTHING}, "Y": {**LABELS, **ANYTHING}}
    pools |= {"query": pools["X"], "sample_weight": {**WEIGHTS, **ANYTHING}}

    def call(given: Arguments) -> None:
        X, Y, query = (given.pop(name) for name in ("X", "Y", "query"))
        given["verbose"] = given["verbose"] if given["verbose"] is not True else False
        svm = _fitted(estimator, given, X, Y)
        require_sane_result(svm.result_)
        require_sane(svm.predict(query), _length(query))
        require_sane(svm.score(X, Y))
        svm.verify(X, Y)

    return Target(estimator.__name__, good, pools, call)


def _check_problem() -> Target:
    good: dict[str, Make] = {
        "problem": problems.Multiclass, "X": rows, "Y": labels,
        "max_examples": lambda: 3, "random_state": lambda: 0,
    }  # fmt: skip
    pools: dict[str, Pool] = {
        "problem": {**PLAIN, **{p: getattr(problems, p) for p in _problem_names()}},
        "X": {**MATRICES, **ANYTHING}, "Y": {**LABELS, **ANYTHING},
        "max_examples": PLAIN, "random_state": PLAIN,
    }  # fmt: skip

    def call(given: Arguments) -> None:
        str(structsvm.check_problem(**given))

    return Target("check_problem", good, pools, call)


def _oracle(name: str) -> Target:
    cls = getattr(problems, name)
    good, pools = _parameters(cls)
    good["K"] = similarity
    square = {
        **MATRICES, **ANYTHING,
        **{f"K {s:g}": (lambda s=s: s * similarity()) for s in (1e-320, 1e-160, 1e150, 1e300)},
        "K nan": lambda: similarity() * np.nan, "asymmetric": lambda: np.triu(similarity()),
        "one item": lambda: np.ones((1, 1)), "float32 K": lambda: similarity().astype(np.float32),
        "int K": lambda: similarity().astype(int), "zero K": lambda: np.zeros((12, 12)),
    }  # fmt: skip
    pools["K"] = square
    if name in ("IterativeOracle", "SpectralOracle", "DiscreteOracle"):
        good["n_clusters"] = lambda: 2
        pools["n_clusters"] = PLAIN

    def call(given: Arguments) -> None:
        K, others = given.pop("K"), {}
        if "n_clusters" in given:
            others["n_clusters"] = given.pop("n_clusters")
        require_sane(cls(**given).cluster(K, **others), len(K))

    return Target(name, good, pools, call)


# ---------------------------------------------------------------------- item sets


def _item_set() -> Target:
    good: dict[str, Make] = {
        "nodes": rows, "pairs": lambda: None, "n_items": lambda: None,
        "w": lambda: None, "i": lambda: [0, 1], "j": lambda: [1, 2],
    }  # fmt: skip
    triple = {
        f"(rows, cols, {key})": lambda make=make: (np.arange(12), np.arange(12), make())
        for key, make in MATRICES.items()
    }
    ends = {
        f"({key}, cols, features)": lambda make=make: (make(), np.arange(12), rows())
        for key, make in {**LABELS, **ANYTHING}.items()
    }
    pools: dict[str, Pool] = {
        "nodes": {**MATRICES, **ANYTHING}, "pairs": {**triple, **ends, **MATRICES, **ANYTHING},
        "n_items": PLAIN, "w": {**MATRICES, **ANYTHING}, "i": {**LABELS, **ANYTHING},
        "j": {**LABELS, **ANYTHING},
    }  # fmt: skip

    def call(given: Arguments) -> None:
        items = problems.ItemSet(given["nodes"], given["pairs"], given["n_items"])
        w = np.ones(items.n_features) if given["w"] is None else given["w"]
        require_sane(items.similarity(w), len(items))
        require_sane(items.diagonal_sum(), items.n_features)
        require_sane(_dense(items.pair_vectors(given["i"], given["j"])))
        repr(items)

    return Target("ItemSet", good, pools, call)


def _frames() -> dict[str, Make]:
    return {
        "nodes": lambda: pandas.DataFrame({"a": [1.0, 2, 3]}, index=list("xyz")),
        "pairs": lambda: pandas.DataFrame(
            {"p": [1.0, 2]}, index=pandas.MultiIndex.from_tuples([("x", "y"), ("y", "z")])
        ),
    }


def _from_frames() -> Target:
    bad: Pool = {
        "stranger": lambda: pandas.DataFrame(
            {"p": [1.0]}, index=pandas.MultiIndex.from_tuples([("x", "q")])
        ),
        "copies": lambda: pandas.DataFrame({"a": [1.0, 2, 3]}, index=list("xxz")),
        "three levels": lambda: pandas.DataFrame(
            {"p": [1.0]}, index=pandas.MultiIndex.from_tuples([("x", "y", "z")])
        ),
        "empty": pandas.DataFrame, "text": lambda: pandas.DataFrame({"a": list("abc")}),
        "no columns": lambda: pandas.DataFrame(index=list("xyz")),
        "NaN names": lambda: pandas.DataFrame({"a": [1.0, 2]}, index=[np.nan, "x"]),
        **MATRICES, **ANYTHING,
    }  # fmt: skip

    def call(given: Arguments) -> None:
        items = problems.ItemSet.from_frames(**given)
        require_sane(items.similarity(np.ones(items.n_features)), len(items))

    return Target("ItemSet.from_frames", _frames(), {"nodes": bad, "pairs": bad}, call)


def _from_graph() -> Target:
    graphs: Pool = {
        "empty": networkx.Graph, "one node": lambda: networkx.path_graph(1),
        "no edges": lambda: networkx.empty_graph(4),
        "loops": lambda: networkx.Graph([(0, 0), (1, 1)]),
        "parallel": lambda: networkx.MultiGraph([(0, 1), (0, 1)]),
        "directed": lambda: networkx.DiGraph([(0, 1), (1, 0), (2, 1)]), **ANYTHING,
    }  # fmt: skip
    good: dict[str, Make] = {
        "graph": lambda: networkx.path_graph(12), "nodes": lambda: None,
        "links": lambda: True, "co_citations": lambda: True,
    }  # fmt: skip
    pools = {
        "graph": graphs, "nodes": {**MATRICES, **PLAIN}, "links": PLAIN, "co_citations": PLAIN,
    }  # fmt: skip

    def call(given: Arguments) -> None:
        items = problems.ItemSet.from_graph(**given)
        require_sane(items.similarity(np.ones(items.n_features)), len(items))

    return Target("ItemSet.from_graph", good, pools, call)


# ---------------------------------------------------------------------- functions


def _feature_map() -> Target:
    good: dict[str, Make] = {
        "kernel": lambda: "rbf", "X": rows, "gamma": lambda: "scale", "degree": lambda: 3,
        "n_components": lambda: None, "random_state": lambda: 0, "query": rows,
    }  # fmt: skip
    pools = {name: {**PLAIN, **FUNCTIONS} for name in good}
    pools |= {name: {**MATRICES, **ANYTHING} for name in ("X", "query")}

    def call(given: Arguments) -> None:
        X, query = given["X"], given.pop("query")
        transformer = features.feature_map(**given)
        require_sane(_dense(transformer.fit_transform(X)))
        require_sane(_dense(transformer.transform(query)))

    return Target("feature_map", good, pools, call)


def _function(function: Any, **good: Any) -> Target:
    pools = {name: {**PLAIN, "n large": lambda: 10**9} for name in good}

    def call(given: Arguments) -> None:
        function(**given)

    makes: dict[str, Make] = {name: (lambda v=value: v) for name, value in good.items()}
    return Target(function.__name__, makes, pools, call)


@cache
def _folder() -> Path:
    """A folder of data files, removed at the end of the process by its finaliser."""
    holder = tempfile.TemporaryDirectory()
    _HOLDERS.append(holder)
    return Path(holder.name)


_HOLDERS: list[Any] = []


def _archive(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _load_file() -> Target:
    whole = _archive(X=rows(), y=labels())
    contents: Pool = {
        **{f"cut at {k}": lambda k=k: whole[:k] for k in range(0, len(whole), 17)},
        **{f"byte {k}": lambda k=k: whole[:k] + b"\xff" + whole[k + 1 :]
           for k in range(0, len(whole), 5)},
        "text": lambda: b"text", "empty archive": lambda: _archive(),
        "objects": lambda: _archive(X=np.array([None, {}]), y=np.arange(2)),
        "numbers": lambda: _archive(X=1.0, y=2.0),
        "lengths": lambda: _archive(X=rows(5), y=labels()),
        "dates": lambda: _archive(X=np.zeros((2, 2), "M8[D]"), y=np.zeros(2)),
    }  # fmt: skip
    names = {**PLAIN, **_texts("../own", "/etc/passwd", ".", "..", "a/b", "own\0", "letter")}
    pools: dict[str, Pool] = {
        "content": contents, "name": names,
        "folder": {**PLAIN, **_texts("/nowhere", "\0", "x" * 5000)},
    }  # fmt: skip
    good: dict[str, Make] = {
        "content": lambda: whole, "name": lambda: "own", "folder": _folder
    }  # fmt: skip

    def call(given: Arguments) -> None:
        (_folder() / "own.npz").write_bytes(given["content"])
        arrays = datasets.load_file(given["name"], given["folder"])
        if len(arrays["X"]) != len(arrays["y"]):
            raise Insane("X and y differ in length")

    return Target("load_file", good, pools, call)


def _texts(*values: str) -> Pool:
    return {repr(value): (lambda value=value: value) for value in values}


def _saving() -> list[Target]:
    """Saving anything, and loading a file that is not whole."""
    values: Pool = {**PLAIN, **MATRICES, **FUNCTIONS, **ANYTHING}

    def path() -> Path:
        return _folder() / "model.npz"

    def save(given: Arguments) -> None:
        structsvm.save(problems.MulticlassSVM(C=given["C"]), path())
        structsvm.load(path())

    structsvm.save(problems.MulticlassSVM().fit(rows(), labels()), path())
    whole = path().read_bytes()
    contents: Pool = {
        **{f"cut at {k}": lambda k=k: whole[:k] for k in range(0, len(whole), 199)},
        **{f"byte {k}": lambda k=k: whole[:k] + b"\xff" + whole[k + 1 :]
           for k in range(0, len(whole), 97)},
    }  # fmt: skip

    def load(given: Arguments) -> None:
        path().write_bytes(given["content"])
        structsvm.load(path(), given["trusted"])

    def write(given: Arguments) -> None:
        writer = structsvm.PassWriter(given["path"])
        solvers.OneSlackCuttingPlane(max_iter=2).solve(
            problems.Multiclass(), rows(), labels(), callback=writer
        )

    good: dict[str, Make] = {"content": lambda: whole, "trusted": tuple}
    names = {**PLAIN, **_texts("/nowhere/a.csv", "a", "\0.csv")}
    csv: dict[str, Make] = {"path": lambda: str(_folder() / "passes.csv")}
    return [
        Target("save", {"C": lambda: 1.0}, {"C": values}, save),
        Target("load", good, {"content": contents, "trusted": PLAIN}, load),
        Target("PassWriter", csv, {"path": names}, write),
    ]


def _text_loader(name: str, argument: str, good_value: Any) -> Target:
    function = getattr(datasets, name)
    pools = {argument: PLAIN, "folder": {**PLAIN, **_texts("/nowhere", "\0")}}
    good: dict[str, Make] = {argument: lambda: good_value, "folder": _folder}

    def call(given: Arguments) -> None:
        function(**given)

    return Target(name, good, pools, call)


def _displays() -> list[Target]:
    @cache
    def result() -> Any:
        return problems.MulticlassSVM().fit(rows(), labels()).result_

    def drawn(name: str, draw: Any, good: dict[str, Make], pools: dict[str, Pool]) -> Target:
        def call(given: Arguments) -> None:
            draw(**given)
            pyplot.close("all")

        pools = {"ax": PLAIN, **pools}
        return Target(name, {"ax": lambda: None, **good}, pools, call)

    def clusters(ax: Any, n_columns: Any, n_rows: Any, **given: Any) -> None:
        displays.ClusterDisplay(**given).plot(ax=ax, n_columns=n_columns, n_rows=n_rows)

    def similarity(ax: Any, scale: Any, **given: Any) -> None:
        displays.SimilarityDisplay(**given).plot(ax=ax, scale=scale)

    def transitions(ax: Any, **given: Any) -> None:
        displays.TransitionDisplay(**given).plot(ax=ax)

    arrays: Pool = {**MATRICES, **ANYTHING}
    convergence, time = displays.ConvergenceDisplay, displays.OracleTimeDisplay
    square: dict[str, Make] = {"labels": lambda: list("abcd")}
    return [
        drawn(
            "ConvergenceDisplay", convergence.from_result,
            {"result": result, "kind": lambda: "gap", "x": lambda: "seconds"},
            {"result": PLAIN, "kind": PLAIN, "x": PLAIN},
        ),
        drawn("OracleTimeDisplay", time.from_result, {"result": result}, {"result": PLAIN}),
        drawn(
            "ClusterDisplay", clusters,
            {
                "images": lambda: np.abs(rows(12, 4)).reshape(12, 2, 2) % 1,
                "scores": lambda: rows()[:, 0], "mistakes": lambda: None,
                "n_columns": lambda: 4, "n_rows": lambda: 3,
            },
            {
                "images": arrays, "scores": {**LABELS, **arrays},
                "mistakes": {**LABELS, **ANYTHING}, "n_columns": PLAIN, "n_rows": PLAIN,
            },
        ),
        drawn(
            "SimilarityDisplay", similarity,
            {"similarity": lambda: rows(4, 4), "scale": lambda: "rank", **square},
            {"similarity": arrays, "scale": PLAIN, "labels": {**LABELS, **ANYTHING}},
        ),
        drawn(
            "TransitionDisplay", transitions,
            {"transitions": lambda: rows(4, 4), "start": lambda: rows(4, 1)[:, 0], **square},
            {"transitions": arrays, "start": arrays, "labels": {**LABELS, **ANYTHING}},
        ),
    ]  # fmt: skip


def targets() -> list[Target]:
    """Everything public that can be called."""
    found = [
        *(_estimator_of_rows(getattr(problems, name)) for name in (
            "MMC", "CPM3C", "MultivariateMMC", "SDPMMC", "BayesianMMC", "MulticlassSVM",
            "MultivariateSVM", "TaxonomySVM",
        )),
        *(_estimator_of_rows(cls) for cls in (
            features.KernelMap, features.Whitening, features.DiffusionMap,
        )),
        *(_estimator_of_sets(cls) for cls in (
            problems.SupervisedKMeans, problems.CorrelationClustering, problems.ChainSVM,
        )),
        _estimator_of_problem(problems.AssignmentSVM, problems.Assignment),
        _estimator_of_problem(problems.MultiLabelSVM, problems.LabelSet),
        _estimator_of_problem(problems.GraphSVM, problems.GraphLabelling),
        _estimator_of_problem(problems.IntegerProgramSVM, problems.IntegerProgram),
        _dependency_parser(), _ranking_svm(),
        *map(_problem, _problem_names()),
        *map(_solver, solvers.__all__),
        *(_oracle(name) for name in problems.__all__ if name.endswith("Oracle")),
        _segment_svm(), _pair_map(),
        _structured_svm(structsvm.StructuredSVM, problems.Multiclass),
        _structured_svm(structsvm.LatentSVM, SemiSupervised, n_init=2),
        _check_problem(), _item_set(),
        _from_frames(), _from_graph(), _feature_map(), _load_file(),
        _function(datasets.digits_pair, first=1, second=7),
        _function(datasets.ringnorm, n=10, random_state=0),
        _function(datasets.plane, shape="circles", random_state=0),
        _function(
            datasets.synth, noise=0.4, n_sets=1, n_clusters=2, cluster_size=3, region_size=5,
            n_active=2, random_state=0,
        ),
        _function(
            problems.grid_graph, features=np.zeros((2, 3, 1)), neighbours=4,
            image=np.zeros((2, 3, 3)),
        ),
        _function(problems.bio_transitions, label="B", following="I"),
        _function(problems.bioes_transitions, label="B", following="E"),
        _function(problems.bio_segments, labels=["B", "I", "O"]),
        _function(problems.segment_f1_score, Y_true=[["B", "O"]], Y_pred=[["B", "I"]]),
        _function(problems.WeightedLabels, labels=["a", "b"], weights=[1.0, 2.0]),
        _function(
            problems.tree_distance_loss, y_true=["a", "b"], y_pred=["b", "b"],
            taxonomy=networkx.DiGraph([("r", "a"), ("r", "b")]),
        ),
        _text_loader("newsgroups", "groups", ["rec.autos"]),
        _text_loader("webkb", "university", "texas"),
        _text_loader("webkb_links", "university", "texas"),
        *_displays(), *_saving(),
    ]  # fmt: skip
    return found


def uncovered() -> set[str]:
    """Public names that no target calls."""
    public = {
        *structsvm.__all__, *problems.__all__, *features.__all__, *datasets.__all__,
        *solvers.__all__,
    }  # fmt: skip
    # choose_solver is called with every problem; digits takes no argument.
    called = {target.name for target in targets()} | {"choose_solver", "digits"}
    return public - called - NO_ENTRANCE
