"""Training times of clusters and latent places, of k-means, and of a descent alone.

    python -m benchmarks speed/clusters

CPU seconds of one thread. *persons* are 40 times 10 smooth images of 28 x 23 pixels, as in
speed/few_wide_rows; *blobs* are two normal clusters with a standard deviation of 4 around centres
in a cube of side 20; *halves* are two normal clusters at a distance of 2.1, for which the
relaxation is not tight. The latent places are where digits show in noisy images, as in the guide.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from benchmarks.experiment import Experiment, Fit
from benchmarks.speed.few_wide_rows import images
from benchmarks.store import Row
from structsvm import CCCP, LatentSVM
from structsvm.problems import CPM3C, SDPMMC

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "examples"))
from hidden_place import MostInk, hidden_digits, windows


def blobs() -> tuple[Any, Any]:
    X, y = make_blobs(1000, 20, centers=2, cluster_std=4, random_state=0)
    return X, y


def halves() -> tuple[Any, Any]:
    rng, y = np.random.default_rng(0), np.arange(1000) % 2
    return rng.normal(size=(1000, 20)) + 1.5 * np.eye(2, 20)[y], y


def digits() -> tuple[Any, Any]:
    """The windows of 500 images to learn from and 797 others, and their digits."""
    drawn, labels, _ = hidden_digits(side=14)
    return windows(drawn), labels


def clustered(data: tuple[Any, Any], clusterer: Any) -> Any:
    X, y = data
    return clusterer(n_clusters=len(np.unique(y)), random_state=0).fit(X)


def agreement(fit: Fit, data: tuple[Any, Any]) -> Row:
    bound = getattr(fit.found, "lower_bound_", np.nan)
    row = {"CPU s": fit.seconds, "adjusted Rand": adjusted_rand_score(data[1], fit.found.labels_)}
    return row | ({} if np.isnan(bound) else {"f": fit.found.label_objective_, "bound": bound})


def learned(data: tuple[Any, Any], **options: Any) -> Any:
    X, y = data
    return LatentSVM(MostInk(10), **options).fit(X[:500], y[:500])


def right(fit: Fit, data: tuple[Any, Any]) -> Row:
    X, y = data
    return {"CPU s": fit.seconds, "right": fit.found.score(X[1000:], y[1000:])}


CLUSTERED = {
    "many clusters": ({"persons, 400 x 644": images}, CPM3C),
    "a relaxation": ({"blobs, 1000 x 20": blobs, "halves, 1000 x 20": halves}, SDPMMC),
}
EXPERIMENTS = (
    *(
        Experiment(
            title,
            ("data", "clusterer"),
            data,
            {
                kind.__name__: partial(clustered, clusterer=kind),
                "KMeans, 10 starts": partial(clustered, clusterer=partial(KMeans, n_init=10)),
            },
            agreement,
        )
        for title, (data, kind) in CLUSTERED.items()
    ),
    Experiment(
        "latent places",
        ("data", "starts"),
        {"digits": digits},
        {
            "defaults": learned,
            "one descent": partial(
                learned, n_init=1, solver=CCCP(search=False, rtol=1e-2, max_iter=500)
            ),
        },
        right,
    ),
)
