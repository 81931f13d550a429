"""The command ``structsvm demo``: sequences, a clustering and a certificate, with pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.cluster import contingency_matrix
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from structsvm.data.arrays import Indices, Vector
from structsvm.datasets import digits, digits_pair
from structsvm.displays.clusters import ClusterDisplay
from structsvm.displays.drawing import RED, new_figure
from structsvm.problems import MMC, ChainSVM

#: Number of training and test sequences, number of digits in each, standard deviation of noise.
N_TRAIN, N_TEST, LENGTH, NOISE = 50, 100, 8, 0.2
#: Number of test sequences in the picture.
N_SHOWN = 3
#: Width and height of the pictures in inches.
SIZES = {"demo-sequences.png": (5.0, 4.4), "demo-clusters.png": (5.0, 3.3)}


class Reading(NamedTuple):
    """Test sequences of images, with their true digits and the digits that two models predicted."""

    images: list[Vector]
    truth: list[Indices]
    alone: list[Indices]
    chain: list[Indices]

    def error(self, found: list[Indices]) -> float:
        """Return the percentage of wrong digits."""
        return 100 * float(np.mean(np.concatenate(found) != np.concatenate(self.truth)))


def draw_sequences(X: Vector, y: Indices, n: int, rng: Any) -> tuple[list[Vector], list[Indices]]:
    """Draw n sequences of noisy images. Each digit differs by 1 from the preceding digit."""
    images, labels = [], []
    for _ in range(n):
        sequence = [int(rng.integers(10))]
        while len(sequence) < LENGTH:
            digit = sequence[-1] + rng.choice((-1, 1))
            if 0 <= digit <= 9:
                sequence.append(digit)
        clean = np.array([rng.choice(X[y == digit]) for digit in sequence])
        images.append(clean + rng.normal(scale=NOISE, size=clean.shape))
        labels.append(np.array(sequence))
    return images, labels


def read() -> tuple[Reading, ChainSVM, bool]:
    """Train two models on sequences of images, and predict the digits of new sequences.

    Return the predictions, the ChainSVM and the verification of its result.
    """
    rng = np.random.default_rng(0)
    X_train, X_test, y_train, y_test = train_test_split(*digits(), random_state=0)
    X, y = draw_sequences(X_train, y_train, N_TRAIN, rng)
    images, truth = draw_sequences(X_test, y_test, N_TEST, rng)
    chain = ChainSVM(rtol=1e-3).fit(X, y)
    alone = LogisticRegression(max_iter=1000).fit(np.concatenate(X), np.concatenate(y))
    by_chain = [np.array(labels) for labels in chain.predict(images)]
    found = Reading(images, truth, [alone.predict(x) for x in images], by_chain)
    return found, chain, chain.verify(X, y).matches


def cluster() -> tuple[MMC, Vector, Indices, dict[str, int]]:
    """Cluster the digits 3 and 8.

    Return the fitted MMC, the images, the digits and the mistakes of each method.
    """
    X, y = digits_pair(3, 8)
    mmc = MMC(random_state=0).fit(X)
    found = {"k-means": KMeans(2, n_init=10, random_state=0).fit_predict(X), "MMC": mmc.labels_}
    # Clusters have no names, so each stands for the digit of most of its images.
    right = {name: contingency_matrix(y, labels).max(axis=0) for name, labels in found.items()}
    return mmc, X, y, {name: len(y) - int(counts.sum()) for name, counts in right.items()}


def draw_reading(figure: Any, reading: Reading) -> None:
    """Draw the images of some sequences, and below each image the true and the predicted digits."""
    alone, chain = reading.error(reading.alone), reading.error(reading.chain)
    figure.suptitle(f"Wrong digits: {alone:.1f} % alone, {chain:.1f} % in a chain")
    for ax, images, *rows in zip(figure.subplots(N_SHOWN), *reading, strict=False):
        pixels = np.hstack(list(images.reshape(-1, 8, 8)))
        ax.imshow(pixels, cmap="gray_r", vmin=0, vmax=1, extent=(0, LENGTH, 0, 1))
        for height, name, row in zip((-0.3, -0.75, -1.2), Reading._fields[1:], rows, strict=True):
            ax.text(-0.1, height, name, ha="right", va="center")
            for place, (digit, true) in enumerate(zip(row, rows[0], strict=True)):
                weight = {"color": RED, "weight": "bold"} if digit != true else {}
                ax.text(place + 0.5, height, digit, ha="center", va="center", **weight)
        ax.set(xlim=(-1.2, LENGTH), ylim=(-1.5, 1))
        ax.axis("off")


def draw_clusters(figure: Any, mmc: MMC, X: Vector, y: Indices, wrong: dict[str, int]) -> None:
    """Draw each image at the position of its score, with mistakes in red."""
    counts = ", ".join(f"{number} by {name}" for name, number in wrong.items())
    figure.suptitle(f"3 and 8, found without labels\nin the wrong cluster: {counts}")
    ClusterDisplay.from_estimator(mmc, X, y, shape=(8, 8), n_columns=24, ax=figure.subplots())


def run(output: Path) -> None:
    """Train, print the results, and save pictures to a folder if matplotlib is installed."""
    try:
        figures = {name: new_figure(*size) for name, size in SIZES.items()}
    except ImportError as error:
        figures = {}
        print(f"No pictures: {error}")
    else:
        print(f"Pictures go to {output.resolve()}: {', '.join(figures)}")
        output.mkdir(parents=True, exist_ok=True)
    with threadpool_limits(1):
        reading, chain, verified = read()
        mmc, X, y, wrong = cluster()
    result = chain.result_
    print(f"""
Structure: noisy images of digits, each digit one more or one less than the one before
  {reading.error(reading.alone):4.1f} % wrong   one by one, by scikit-learn's LogisticRegression
  {reading.error(reading.chain):4.1f} % wrong   as sequences, by ChainSVM

Clustering: images of 3 and 8, without labels
  {wrong["k-means"]:4d} of {len(y)} in the wrong cluster   by k-means
  {wrong["MMC"]:4d} of {len(y)} in the wrong cluster   by MMC

Certificate: how far the training of ChainSVM is from the optimum
  primal     {result.primal:.2f}   objective of the weights found
  dual       {result.dual:.2f}   no weights have a lower objective
  gap        {100 * result.gap / result.primal:.2f} %   their difference, relative
  guarantee  {result.guarantee.text}
  verified   {"yes" if verified else "NO"}: recomputed from the data
""")
    if figures:
        draw_reading(figures["demo-sequences.png"], reading)
        draw_clusters(figures["demo-clusters.png"], mmc, X, y, wrong)
    for name, figure in figures.items():
        figure.savefig(output / name, dpi=160)
        print(f"Saved {output / name}")
