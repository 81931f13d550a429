"""
Integer programs: cells tracked through a movie
===============================================

Which detection in one frame is the same cell, or its mother, in the next? Every detection and every
possible link is a 0/1 variable with features. A cell comes from one cell and goes to at most two.
:class:`structsvm.problems.IntegerProgramSVM` learns from one movie and finds the best solution for
other movies. A classifier decides on each variable alone.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import csr_array, hstack
from sklearn.linear_model import LogisticRegression

from structsvm.problems import IntegerProgramSVM, Program

# %%
# Cells move along a channel, grow and divide, among clutter of low contrast.


def movie(rng, n_frames=8, n_cells=12):
    """Frame, place, area, contrast and mother of each detection (-1: none, -2: clutter)."""
    rows, cells = [], [(place, rng.normal(100, 10), -1) for place in rng.uniform(0, 100, n_cells)]
    for frame in range(n_frames):
        rows += [
            (frame, rng.uniform(0, 100), rng.normal(80, 30), rng.normal(0.4, 0.3), -2)
            for _ in range(rng.poisson(6))
        ]
        following = []
        for place, area, mother in cells:
            divides = area > 115 and rng.random() < 0.5
            for side in (-2, 2) if divides else (0,):
                grown = area * (0.55 if divides else 1.05) + rng.normal(0, 3)
                following.append((place + side + rng.normal(0, 1), grown, len(rows)))
            rows.append((frame, place, area, rng.normal(1, 0.3), mother))
        cells = following
    return np.array(rows).T


def links(frame, place):
    """Return all pairs of near detections in successive frames."""
    return np.argwhere(
        (frame[None] == frame[:, None] + 1) & (abs(place[None] - place[:, None]) < 8)
    )


def program(frame, place, area, contrast, _):
    """Return the features of detections and links, with the constraints on solutions."""
    start, end = links(frame, place).T
    n, m = len(frame), len(start)
    features = np.zeros((n + m, 6))
    features[:n, :3] = np.column_stack([np.ones(n), contrast, frame == 0])
    step, change = (place[end] - place[start]) / 4, area[end] / area[start] - 1.05
    features[n:, 3:] = np.column_stack([np.ones(m), step**2, abs(change)])
    into, out = (csr_array((np.ones(m), (cells, np.arange(m))), (n, m)) for cells in (end, start))
    cells = csr_array(np.eye(n))
    one_from = hstack([-cells, into]), np.zeros(n)
    two_to = hstack([-2 * cells, out]), np.zeros(n)
    return Program(features, {"one from": one_from, "at most two to": two_to})


def truth(frame, place, _, __, mother):
    start, end = links(frame, place).T
    return np.concatenate([mother != -2, mother[end] == start]).astype(int)


rng = np.random.default_rng(0)
movies = [movie(rng) for _ in range(6)]
X, Y = [program(*movie) for movie in movies], [truth(*movie) for movie in movies]

svm = IntegerProgramSVM().fit(X[:1], Y[:1])
alone = LogisticRegression(max_iter=1000).fit(X[0].features, Y[0])
found = {
    "each variable alone": [alone.predict(x.features) for x in X[1:]],
    "IntegerProgramSVM": svm.predict(X[1:]),
}
n_cells = [len(movie[0]) for movie in movies[1:]]
for name, outputs in found.items():
    predicted, true = (
        np.concatenate([y[n:] for y, n in zip(ys, n_cells, strict=True)]) for ys in (outputs, Y[1:])
    )
    print(f"{name:20} F1 of links {2 * predicted @ true / (predicted + true).sum():.3f}")

# %%
# The first test movie.

frame, place = movies[1][:2]
pairs, true = links(frame, place), Y[1][n_cells[0] :]
figure, axes = plt.subplots(2, figsize=(5, 6), sharex=True, layout="constrained")
for ax, (name, outputs) in zip(axes, found.items(), strict=True):
    y = outputs[0][n_cells[0] :]
    wrong, missed = (y == 1) & (true == 0), (y == 0) & (true == 1)
    for which, style, colour in (
        ((y == 1) & (true == 1), "-", "tab:blue"),
        (wrong, "-", "tab:red"),
        (missed, ":", "tab:orange"),
    ):
        for ends in pairs[which]:
            ax.plot(frame[ends], place[ends], style, color=colour)
    ax.set_title(f"{name}: {wrong.sum()} wrong (red), {missed.sum()} missed (dotted)", fontsize=10)
    ax.set(ylabel="place", yticks=[])
axes[1].set_xlabel("frame")
plt.show()
