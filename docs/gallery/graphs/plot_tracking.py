"""
Cells tracked through a movie
=============================

:class:`structsvm.problems.IntegerProgramSVM` links the detections of cells from frame to frame, by
an integer program: what comes into a cell and what goes out of it must add up. Its weights were
first set by hand. A tenth of another movie is annotated, and the weights are learned from that,
near the weights by hand.
"""

import sys

import matplotlib.pyplot as plt

sys.path.insert(0, "../../examples")  # tracking.py makes the movies and their programs
import tracking

from structsvm.problems import IntegerProgram, IntegerProgramSVM

# %%
# Cells move, grow, divide, leave the picture and enter it, among clutter; one in twenty is missed
# by the detector.

annotated, movies = tracking.movie(100), [tracking.movie(seed) for seed in (300, 301, 302)]
x, y = tracking.program(annotated), tracking.annotated(annotated, 0.1, random_state=0)
print(f"{len(y)} variables, of which {sum(y != -1)} are known")

# %%
# Unknown variables are imputed.

alone = IntegerProgramSVM().fit([x], [y])
near = IntegerProgramSVM().fit([x], [y], w_prior=tracking.BY_HAND)
programs = [tracking.program(movie) for movie in movies]
found = {
    "by hand": [IntegerProgram().decode(program, tracking.BY_HAND) for program in programs],
    "learned alone": alone.predict(programs),
    "learned near those by hand": near.predict(programs),
}
for name, outputs in found.items():
    f1, tra = tracking.f1(movies, outputs), tracking.tra(movies, outputs)
    print(f"{name:26}  F1 of links {f1:.3f}, TRA {tra:.3f}")

# %%

movie = movies[0]
true = tracking.links(movie, tracking.truth(movie))
figure, axes = plt.subplots(2, 1, figsize=(7, 7), sharex=True, layout="constrained")
for ax, name in zip(axes, ("by hand", "learned near those by hand"), strict=True):
    links = tracking.links(movie, found[name][0])
    kinds = {
        "right": (links & true, "C0-"),
        "missed": (true - links, "C7--"),
        "wrong": (links - true, "C3-"),
    }
    for label, (pairs, style) in kinds.items():
        for ends in map(list, pairs):
            ax.plot(movie.frame[ends], movie.points[ends, 0], style, label=label)
    cells = movie.parent != -2
    ax.scatter(movie.frame[cells], movie.points[cells, 0], s=10, color="C0")
    ax.scatter(movie.frame[~cells], movie.points[~cells, 0], s=14, color="0.6", marker="x")
    ax.set(title=name, ylabel="first coordinate")
handles = dict(zip(*reversed(axes[0].get_legend_handles_labels()), strict=True))
axes[0].legend(handles.values(), handles.keys())
axes[1].set_xlabel("frame")
plt.show()
