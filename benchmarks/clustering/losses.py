"""Whether a loss of whole clusterings changes the clusters: MultivariateMMC beside MMC.

Both with their defaults and one seed, on the tasks of _tasks.py with two classes in their raw form.
The adjusted Rand index is that between the two clusterings, and that of each with the classes.

    python -m benchmarks clustering/losses    # a minute

Tasks are read from the folder in STRUCTSVM_DATA, and from two packages: see _packages.py.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from sklearn.metrics import adjusted_rand_score

from benchmarks.clustering._tasks import Task, unscaled
from benchmarks.experiment import Experiment
from benchmarks.store import Row
from structsvm.problems import MMC, MultivariateMMC

LOSSES = ("nmi", "rand", "f")


def clusters(task: Task, loss: str | None) -> Any:
    """The clusters of MMC without a loss; none for a task of more than two classes."""
    if task.n_clusters > 2:
        return None
    model = MMC() if loss is None else MultivariateMMC(loss=loss)
    return model.set_params(random_state=0).fit_predict(task.X)


def index(one: Any, other: Any) -> float:
    """The adjusted Rand index, in percent."""
    return 100 * float(adjusted_rand_score(one, other))


def rows(fits: Any, task: Task) -> list[Row]:
    """A row for each loss."""
    labels, seconds = fits["MMC"]
    return [
        {
            "loss": loss,
            "ARI with MMC": index(labels, fits[loss].found),
            "MMC, ARI": index(task.y, labels),
            "ARI": index(task.y, fits[loss].found),
            "MMC, CPU s": seconds,
            "CPU s": fits[loss].seconds,
        }
        for loss in LOSSES
        if labels is not None
    ]


EXPERIMENTS = (
    Experiment(
        "tasks",
        ("data", "loss"),
        unscaled(),
        {
            "MMC": partial(clusters, loss=None),
            **{loss: partial(clusters, loss=loss) for loss in LOSSES},
        },
        rows,
        wide=True,
    ),
)
