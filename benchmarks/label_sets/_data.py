"""Multi-label sets of the folder named by STRUCTSVM_DATA, and measures of label sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import f1_score
from sklearn.model_selection import KFold

from structsvm.datasets.files import how_to_supply, locate, read_arrays

REMEDY = how_to_supply(
    "scene.npz and yeast.npz",
    "with numpy.savez, arrays X of shape (n, d), Y of shape (n, n_labels), 0 or 1, and split, 0 "
    "for rows to train on and 1 for those to test on (Boutell et al. 2004; Elisseeff & Weston "
    "2001)",
)


def label_sets(name: str) -> tuple[Any, Any, Any]:
    """X, Y and the rows to train on, as bool, of 'scene' or 'yeast'."""
    arrays = read_arrays(locate(f"{name}.npz", None, REMEDY), ("X", "Y", "split"), REMEDY)
    return arrays["X"], arrays["Y"].astype(int), arrays["split"] == 0


def cross_validated(make: Callable[[], Any], X: Any, Y: Any) -> dict[str, float]:
    """The measures of three folds together."""
    found = np.zeros_like(Y)
    for train, test in KFold(3, shuffle=True, random_state=0).split(X):
        found[test] = make().fit(X[train], Y[train]).predict(X[test])
    return measures(Y, found)


def measures(Y: Any, found: Any) -> dict[str, float]:
    """Return the Hamming loss and the F1 of examples; two empty sets have F1 1."""
    f1 = float(f1_score(Y, found, average="samples", zero_division=1.0))
    return {"Hamming": float(np.mean(Y != found)), "F1": f1}
