"""
A bound over all labellings
===========================

:class:`structsvm.problems.SDPMMC` relaxes the search over labels to a semidefinite program, whose
optimum is a lower bound for every labelling. Below each set is the relaxed matrix, with its rows in
the order of the true clusters: blue for pairs of rows in the same cluster, red for pairs in
different clusters, pale where the relaxation is undecided.
"""

import matplotlib.pyplot as plt
import numpy as np

from structsvm.datasets import SHAPES, plane
from structsvm.problems import SDPMMC

figure, axes = plt.subplots(2, 4, figsize=(9, 4.6), layout="constrained")
for name, above, below in zip(SHAPES, *axes, strict=True):
    X, y = plane(name)
    sdp = SDPMMC(random_state=0).fit(X)
    above.scatter(*X.T, c=np.array(["tab:blue", "tab:orange"])[sdp.labels_], s=8)
    above.set_title(name)
    order = np.argsort(y, kind="stable")
    below.imshow(sdp.M_[np.ix_(order, order)], cmap="RdBu", vmin=-1, vmax=1)
    wrong = min(np.sum(sdp.labels_ != y), np.sum(sdp.labels_ == y))
    print(f"{name:16} {wrong} of {len(y)} rows in the wrong cluster")
for ax in axes.ravel():
    ax.set(xticks=[], yticks=[])
plt.show()
