"""The tables and figures of supervised k-means (Finley & Joachims), reproduced.

Each set of a collection is held out in turn; C and the predictor (Iterative, Spectral or Discrete)
are chosen by leaving one out of the others, as in section 6.2, with scikit-learn's GridSearchCV. No
choice looks at the set held out. *Iterative* and *Spectral* are SupervisedKMeans by their oracle;
*Logistic* is a logistic regression that classifies pairs of items as in the same cluster or not,
its log-odds being the similarity; *Pair* is the same by a linear support vector machine, as in the
paper; *None* is Iterative with equal weights. Iterative is trained with five seeds of its search,
with what the first of them chose.

Rows that the results have are kept: remove a table from them to compute it again.

    python -m benchmarks.reproduction.supervised_kmeans             # all, several hours
    python -m benchmarks.reproduction.supervised_kmeans synth news  # some collections
    python -m benchmarks.reproduction.supervised_kmeans time        # figures 1 to 4
    python -m benchmarks.reproduction.supervised_kmeans chance      # the effect of the seed
    python -m benchmarks.reproduction.supervised_kmeans largest     # WebKB-L with all words
    python -m benchmarks.reproduction.supervised_kmeans tables      # the documentation's tables

STRUCTSVM_DATA names the folder of the data sets; sets without their file are skipped.
"""

from __future__ import annotations

import resource
import sys
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import wilcoxon
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, LeaveOneOut
from sklearn.svm import LinearSVC

from benchmarks.item_sets import (
    Collection,
    available,
    linqs_sets,
    news_sets,
    synth_sets,
    webkb_sets,
)
from benchmarks.pairs import pair_scores
from benchmarks.report import Row, cpu_seconds, markdown, one_thread, save, stored, write_fragments
from structsvm.problems import DiscreteOracle, IterativeOracle, SpectralOracle, SupervisedKMeans
from structsvm.problems.set_clustering.supervised_kmeans.loss import trace_loss

NAME = "reproduction/supervised_kmeans"
METHODS = ("Iterative", "Spectral", "Logistic", "Pair", "None")
#: Seeds of the Iterative oracle: its searches start at random.
SEEDS = range(5)
#: Noise levels of SYNTH.
NOISES = (0.2, 0.45, 0.48)
#: Draws of SYNTH at each noise level.
DRAWS = 3
#: C in units of `scale_`, which is large with many features of links; C must be larger there.
GRIDS = {
    "synth": (1.0, 10.0, 100.0, 1e3, 1e4),
    "news": (1.0, 10.0, 100.0, 1e3, 1e4),
    "linqs": (1.0, 10.0, 100.0, 1e3, 1e4),
    "linqs-l": (1e2, 1e3, 1e4, 1e5, 1e6),
    "webkb-n": (10.0, 100.0, 1e3),
    "webkb-l": (1e5, 1e6, 1e7, 1e8),
}
#: C of LinearSVC and of LogisticRegression, which multiplies the sum over pairs.
PAIR_GRIDS = {
    "Pair": (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0),
    "Logistic": (1e-2, 1.0, 1e2, 1e4),
}
PREDICTORS = {
    "iterative": IterativeOracle(30),
    "spectral": SpectralOracle(),
    "discrete": DiscreteOracle(30),
}

#: The methods of table 3, and its loss on the sets held out. Other rows are illegible.
PAPER_METHODS = ("Iterative", "Spectral", "Pair", "None")
PAPER = {
    "synth": (
        (43.3, 55.6, 48.1, 74.7),
        (53.4, 58.7, 54.7, 74.7),
        (56.0, 56.7, 55.2, 74.7),
        (39.3, 59.5, 43.9, 74.7),
        (40.3, 63.4, 49.1, 74.7),
    ),
    "webkb-n": (
        (63.0, 61.4, 74.8, 78.6),
        (69.9, 56.8, 75.5, 78.7),
        (68.8, 58.2, 74.9, 78.3),
        (72.6, 66.2, 77.0, 78.6),
    ),
}

COLLECTIONS: dict[str, list[Callable[[], Collection]]] = {
    "synth": [partial(synth_sets, noise, draw) for noise in NOISES for draw in range(DRAWS)],
    "news": [news_sets],
    "linqs": [linqs_sets, partial(linqs_sets, links=True)],
    "webkb-n": [webkb_sets, partial(webkb_sets, tfidf=True)],
    "webkb-l": [partial(webkb_sets, links=True)],
}
#: Collections small enough to be run with many seeds.
CHANCE = [*(partial(synth_sets, noise, 0) for noise in NOISES[1:]), linqs_sets]


class PairClassifier(SupervisedKMeans):
    """A linear classifier of pairs as in one cluster or not, whose scores are clustered."""

    def fit(self, X: Any, y: Any) -> PairClassifier:
        self.coef_ = pair_scores(self._classifier(), X, y).w
        self._features = X[0].features
        self.n_clusters_ = None
        return self

    @abstractmethod
    def _classifier(self) -> Any:
        """The classifier of scikit-learn."""


class PairSVM(PairClassifier):
    """Pair: a linear support vector machine."""

    def _classifier(self) -> Any:
        return LinearSVC(C=self.C, dual=False, tol=1e-3, max_iter=300)


class PairLogistic(PairClassifier):
    """Logistic: a logistic regression."""

    def _classifier(self) -> Any:
        return LogisticRegression(C=self.C)


# ---------------------------------------------------------------------- protocol


def loss_by(predictor: str, model: Any, X: Any, y: Any) -> float:
    """Minus the mean loss with a predictor; a scorer."""
    return 100 * model.set_params(predictor=PREDICTORS[predictor]).score(X, y) - 100.0


class Choice(NamedTuple):
    """C and the predictor that do best where each set but one is left out, and their loss."""

    C: float
    predictor: str
    loss: float


def chosen(model: Any, grid: tuple[float, ...], X: Any, y: Any, i: int) -> Choice:
    """Choose without set i."""
    rest, labels = X[:i] + X[i + 1 :], y[:i] + y[i + 1 :]
    scorers = {name: partial(loss_by, name) for name in PREDICTORS}
    search = GridSearchCV(model, {"C": grid}, scoring=scorers, refit=False, cv=LeaveOneOut())
    results = search.fit(rest, labels).cv_results_
    means = np.array([results[f"mean_test_{name}"] for name in PREDICTORS])
    best, c = np.unravel_index(means.argmax(), means.shape)
    return Choice(grid[c], list(PREDICTORS)[best], -means.max())


def held_out(model: Any, choice: Choice, X: Any, y: Any, i: int) -> Row:
    """Train on all sets but i as was chosen, and predict set i."""
    rest, labels = X[:i] + X[i + 1 :], y[:i] + y[i + 1 :]
    fit = partial(model.set_params(C=choice.C).fit, rest, labels)
    seconds, fitted = cpu_seconds(fit, repeats=1)
    losses = {name: 0.0 - loss_by(name, fitted, X[i : i + 1], y[i : i + 1]) for name in PREDICTORS}
    return {
        "loss": losses[choice.predictor],
        "chosen": choice.loss,
        "C": choice.C,
        "predictor": choice.predictor,
        "CPU s": seconds,
        **{f"by {name}": loss for name, loss in losses.items()},
        **training(fitted, rest, labels),
    }


def training(fitted: Any, X: Any, y: Any) -> Row:
    if not hasattr(fitted, "result_"):
        return {"passes": "-", "scale": "-", "missed slack": "-", "training loss": "-"}
    return {
        "passes": fitted.n_iter_,
        "scale": fitted.scale_,
        "missed slack": fitted.missed_slack_,
        "training loss": 0.0 - loss_by("iterative", fitted, X, y),
    }


def untrained(items: Any, labels: Any) -> Row:
    K = items.similarity(np.ones(items.n_features))
    k = len(set(labels.tolist()))
    codes = np.unique(labels, return_inverse=True)[1]
    found = {name: trace_loss(codes, p.cluster(K, k)) for name, p in PREDICTORS.items()}
    row: Row = {"loss": found["iterative"], "chosen": "-", "C": "-", "predictor": "iterative"}
    row |= {"CPU s": "-"} | {f"by {name}": loss for name, loss in found.items()}
    return row | {"passes": "-", "scale": "-", "missed slack": "-", "training loss": "-"}


def key(row: Row) -> tuple[Any, ...]:
    return row["data"], row["held out"], row["method"], row.get("seed", 0)


def missing_rows(collection: Collection, known: Mapping[tuple[Any, ...], Row]) -> Iterator[Row]:
    """Yield the rows of a collection that are not known."""
    for i, held in enumerate(collection.sets):
        for method in METHODS:
            first: Row | None = None
            for seed in SEEDS if method == "Iterative" else (0,):
                row: Row = {"data": collection.name, "held out": held, "method": method}
                row["seed"] = seed
                if key(row) not in known:
                    row |= computed(collection, i, method, seed, first)
                    yield row
                first = first or known.get(key(row), row)


def computed(collection: Collection, i: int, method: str, seed: int, first: Row | None) -> Row:
    """The result of a method on set i, with the choices in ``first`` if that is given."""
    name, _, X, y, _ = collection
    if method == "None":
        return untrained(X[i], y[i])
    grid = PAIR_GRIDS.get(method) or GRIDS[name.split()[0]]
    model = estimator(method, seed)
    if first is None:
        choice = chosen(model, grid, X, y, i)
    else:
        choice = Choice(first["C"], first["predictor"], first["chosen"])
    row = held_out(model, choice, X, y, i)
    print(name, i, method, seed, f"{row['loss']:.1f} {choice}", flush=True)
    return row


def estimator(method: str, seed: int = 0) -> Any:
    """The estimator of a method; the joint features are divided by one number, as in the paper."""
    if method in PAIR_GRIDS:
        return PairSVM() if method == "Pair" else PairLogistic()
    oracle = IterativeOracle(random_state=seed) if method == "Iterative" else "spectral"
    return SupervisedKMeans(oracle, scale="common")


def chance_rows() -> Iterator[list[Row]]:
    """The mean loss of Iterative on small collections, over the seeds of the search."""
    rows: list[Row] = []
    for collection in available(CHANCE):
        X, y, grid = collection.X, collection.y, GRIDS[collection.name.split()[0]]
        means = []
        for seed in SEEDS:
            model = estimator("Iterative", seed)
            losses = [
                held_out(model, chosen(model, grid, X, y, i), X, y, i)["loss"]
                for i in range(len(X))
            ]
            means.append(np.mean(losses))
        rows.append({"": collection.name, "seeds": len(means)} | described(means))
        print(rows[-1], flush=True)
        yield rows


def described(values: Any) -> Row:
    """Mean and spread of values over seeds."""
    names = ("mean", "standard deviation", "least", "largest")
    measures = np.mean, partial(np.std, ddof=1), np.min, np.max
    return {name: float(of(values)) for name, of in zip(names, measures, strict=True)}


# ---------------------------------------------------------------------- time

SIZES: dict[str, tuple[str, list[int]]] = {
    "figure 1": ("n_sets", [1, 2, 5, 10, 20, 50, 100]),
    "figure 2": ("n_clusters", [2, 3, 5, 8, 10]),
    "figure 3": ("region_size", [25, 50, 100, 200, 400, 800, 1600]),
    "figure 4": ("cluster_size", [10, 20, 40, 80, 160]),
}
TRAINING_SETS = 3


def time_rows() -> list[Row]:
    """CPU seconds of one fit by n, k, N and m/k."""
    rows = []
    for figure, (parameter, values) in SIZES.items():
        for value in values:
            for method in ("iterative", "spectral"):
                found = [_one_fit(method, draw, parameter, value) for draw in range(TRAINING_SETS)]
                row = {"figure": figure, "parameter": parameter, "value": value, "method": method}
                for column in ("CPU s", "passes", "nonzeros"):
                    row[column] = float(np.mean([one[column] for one in found]))
                rows.append(row)
                print(figure, parameter, value, method, f"{row['CPU s']:.3f}", flush=True)
    return rows


def largest_row() -> Row:
    """WebKB-L with all words: time and memory of one fit on three universities."""
    _, _, X, y, _ = webkb_sets(links=True, tfidf=True)
    model = SupervisedKMeans(C=1e4, scale="common")
    seconds, fitted = cpu_seconds(lambda: model.fit(X[:3], y[:3]), repeats=1)
    return {
        "features": fitted.n_features_in_,
        "CPU s": seconds,
        "passes": fitted.n_iter_,
        "peak MB, with the data": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _one_fit(method: str, draw: int, parameter: str, value: int) -> Row:
    sizes = {"n_clusters": 5, parameter: value}
    if parameter == "n_clusters":
        sizes |= {"cluster_size": 100 // value, "region_size": round(750 * 2 / value / (value + 1))}
    if parameter == "region_size":
        sizes |= {"n_active": value // 10}
    collection = synth_sets(0.45, draw, **sizes)
    model = SupervisedKMeans(method, C=100.0, scale="common")
    seconds, fitted = cpu_seconds(lambda: model.fit(collection.X, collection.y), repeats=1)
    nonzeros = sum(items.pairs[2].nnz for items in collection.X)
    return {"CPU s": seconds, "passes": fitted.n_iter_, "nonzeros": nonzeros}


# ---------------------------------------------------------------------- tables


def loss_table(rows: list[Row]) -> list[Row]:
    """Table 3: ours, and the paper's where it can be read."""
    lines = []
    for name, held in dict.fromkeys((row["data"], row["held out"]) for row in rows):
        line: Row = {"": f"{name}: {held}"}
        for method in METHODS:
            of = (name, held, method)
            found = [r for r in rows if (r["data"], r["held out"], r["method"]) == of]
            line[method] = with_spread([row["loss"] for row in found])
            if found and method != "None":  # what the first seed chose
                line[method] += f" ({found[0]['C']:g}, {found[0]['predictor'][0].upper()})"
        lines.append(line)
    return lines


def with_spread(values: Any) -> str:
    """The mean over seeds and, of several, the standard deviation; a dash of none."""
    if not len(values):
        return "-"
    mean = f"{np.mean(values):.1f}"
    return mean if len(values) == 1 else f"{mean} ± {np.std(values, ddof=1):.1f}"


def mean_table(rows: list[Row]) -> list[Row]:
    """Means over the sets held out, one line for each collection, the paper's below."""
    lines = []
    for name in dict.fromkeys(row["data"] for row in rows):
        line: Row = {"": name}
        for method in METHODS:
            those = [r for r in rows if r["data"] == name and r["method"] == method]
            seeds = dict.fromkeys(r.get("seed", 0) for r in those)
            line[method] = with_spread(
                [np.mean([r["loss"] for r in those if r.get("seed", 0) == s]) for s in seeds]
            )
        lines.append(line)
    for name, table in PAPER.items():
        means = np.mean(table, axis=0)
        found = dict(zip(PAPER_METHODS, means.round(1), strict=True))
        line = {"": f"the paper's {name}"}
        lines.append(line | {method: found.get(method, "-") for method in METHODS})
    return lines


def comparison_table(rows: list[Row]) -> list[Row]:
    """Table 4 and the same for other pairs of methods: wins, ties, losses and Wilcoxon's test."""
    lines = []
    families = ("synth 0.2", "synth 0.45", "synth 0.48", "news", "linqs", "webkb-n", "webkb-l")
    for family in families:
        of_family = [row for row in rows if row["data"].startswith(family)]
        losses = {method: mean_losses(of_family, method) for method in METHODS}
        for first, second in (
            ("Iterative", "Spectral"),
            ("Iterative", "Logistic"),
            ("Spectral", "Logistic"),
            ("Iterative", "Pair"),
        ):
            if len(losses[first]) == len(losses[second]) > 0:
                line = {"": family, "methods": f"{first}, {second}"}
                lines.append(line | _compared(losses, first, second))
    return lines


def mean_losses(rows: list[Row], method: str) -> Any:
    """The loss of a method on every set held out, the mean over seeds."""
    by_set: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row["method"] == method:
            by_set.setdefault((row["data"], row["held out"]), []).append(row["loss"])
    return np.array([np.mean(losses) for losses in by_set.values()])


def _compared(losses: dict[str, Any], first: str, second: str) -> Row:
    difference = np.round(losses[second] - losses[first], 6)
    decided = difference[difference != 0]
    p = wilcoxon(decided, alternative="two-sided").pvalue if len(decided) else 1.0
    return {
        "first wins": int(np.sum(difference > 0)),
        "ties": int(np.sum(difference == 0)),
        "loses": int(np.sum(difference < 0)),
        "p, two tails": f"{p:.3f}",
    }


def cost_table(rows: list[Row]) -> list[Row]:
    """Seconds and passes of the fits, and the slack that undergenerating searches missed."""
    lines = []
    for name in dict.fromkeys(row["data"] for row in rows):
        for method in ("Iterative", "Spectral"):
            found = [row for row in rows if (row["data"], row["method"]) == (name, method)]
            line: Row = {"": name, "oracle": method}
            for column, digits in (
                ("scale", 3),
                ("CPU s", 2),
                ("passes", 0),
                ("training loss", 1),
                ("missed slack", 2),
            ):
                line[column] = f"{np.mean([row[column] for row in found]):.{digits}f}"
            lines.append(line)
    return lines


def chance_table(rows: list[Row]) -> list[Row]:
    return [
        {key: f"{value:.1f}" if isinstance(value, float) else value for key, value in row.items()}
        for row in rows
    ]


def time_table(rows: list[Row]) -> list[Row]:
    lines = []
    for row in rows:
        if row["method"] == "iterative":
            other = next(
                r
                for r in rows
                if (r["figure"], r["value"], r["method"])
                == (row["figure"], row["value"], "spectral")
            )
            lines.append(
                {
                    "": f"{row['figure']}: {row['parameter']} = {row['value']}",
                    "nonzeros": f"{row['nonzeros']:.0f}",
                    "Iterative, CPU s": f"{row['CPU s']:.3f}",
                    "passes": f"{row['passes']:.0f}",
                    "Spectral, CPU s": f"{other['CPU s']:.3f}",
                    "passes ": f"{other['passes']:.0f}",
                }
            )
    return lines


def fragments(content: dict[str, Any]) -> dict[str, str]:
    """The tables of the page, by name."""
    rows = [row for title in COLLECTIONS for row in content.get(title, [])]
    tables = {}
    if rows:
        tables = {
            "kmeans-means": markdown(mean_table(rows)),
            "kmeans-losses": markdown(loss_table(rows)),
            "kmeans-comparison": markdown(comparison_table(rows)),
            "kmeans-cost": markdown(cost_table(rows)),
        }
    if "chance" in content:
        tables["kmeans-chance"] = markdown(chance_table(content["chance"]))
    if "time" in content:
        tables["kmeans-time"] = markdown(time_table(content["time"]))
    return tables


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.filterwarnings("ignore", message="training ended at w = 0")
    wanted = sys.argv[1:] or ["largest", *COLLECTIONS, "chance", "time"]
    for title in wanted:
        if title == "time":
            save(NAME, title, time_rows())
        elif title == "chance":
            for rows in chance_rows():
                save(NAME, title, rows)
        elif title == "largest":
            save(NAME, title, [largest_row()])
        elif title in COLLECTIONS:
            rows = {key(row): row for row in stored(NAME).get(title, [])}
            for collection in available(COLLECTIONS[title]):
                for row in missing_rows(collection, dict(rows)):
                    rows[key(row)] = row
                    save(NAME, title, list(rows.values()))
    write_fragments(fragments(stored(NAME)))


if __name__ == "__main__":
    with one_thread():
        main()
