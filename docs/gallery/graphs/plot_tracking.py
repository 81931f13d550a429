"""
Integer programs: cells tracked through a movie
===============================================

Which detection in one frame is the same cell, or its mother, in the next? Every possible move,
division and entry is a 0/1 variable with features, and what comes into a cell must go out of it.
:class:`structsvm.problems.IntegerProgramSVM` learns from one movie and finds the best solution of
others. A classifier decides on each variable alone. :download:`tracking.py </examples/tracking.py>`
draws the movies and makes their programs.
"""

import sys

import matplotlib.pyplot as plt
from sklearn.linear_model import LogisticRegression

sys.path.insert(0, "../../examples")  # where tracking.py is
import tracking

from structsvm.problems import IntegerProgramSVM

# %%
# Cells move, grow, divide, leave the picture and enter it, among clutter. The detector misses one
# in twenty.

movie, tests = tracking.movie(100), [tracking.movie(seed) for seed in (300, 301, 302)]
x, y = tracking.program(movie), tracking.truth(movie)
programs = [tracking.program(test) for test in tests]

svm = IntegerProgramSVM().fit([x], [y])
alone = LogisticRegression(max_iter=1000).fit(x.features, y)
found = {
    "each link alone": [alone.predict(program.features) for program in programs],
    "IntegerProgramSVM": svm.predict(programs),
}
for name, outputs in found.items():
    print(f"{name:17} F1 of links {tracking.f1(tests, outputs):.3f}")

# %%
# The first test movie.

test = tests[0]
true = tracking.links(test, tracking.truth(test))
figure, axes = plt.subplots(2, figsize=(5, 6), sharex=True, layout="constrained")
for ax, (name, outputs) in zip(axes, found.items(), strict=True):
    links = tracking.links(test, outputs[0])
    wrong, missed = links - true, true - links
    for pairs, style, colour in (
        (links & true, "-", "tab:blue"),
        (wrong, "-", "tab:red"),
        (missed, ":", "tab:orange"),
    ):
        for ends in map(list, pairs):
            ax.plot(test.frame[ends], test.points[ends, 0], style, color=colour)
    ax.set_title(f"{name}: {len(wrong)} wrong (red), {len(missed)} missed (dotted)", fontsize=10)
    ax.set(ylabel="place", yticks=[])
axes[1].set_xlabel("frame")
plt.show()
