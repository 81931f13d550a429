"""Sets of labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import colormaps

from benchmarks.store import stored
from structsvm.displays.drawing import new_figure


def label_pairs() -> Any:
    """The weights of the pairs of labels of scenes."""
    rows = stored("label_sets/yeast_scene")["pairs of scene"]
    names = list(dict.fromkeys(row[end] for end in ("first", "second") for row in rows))
    weights = np.full((len(names), len(names)), np.nan)
    for row in rows:
        a, b = names.index(row["first"]), names.index(row["second"])
        weights[a, b] = weights[b, a] = row["weight"]
    figure = new_figure(5.6, 4)
    ax = figure.subplots()
    most = np.nanmax(np.abs(weights))
    image = ax.imshow(weights, cmap=colormaps["RdBu"], vmin=-most, vmax=most)
    for (a, b), weight in np.ndenumerate(weights):
        if a != b:
            colour = "white" if abs(weight) > 0.7 * most else "black"
            ax.text(b, a, f"{weight:.1f}", ha="center", va="center", fontsize=8, color=colour)
    ax.set_xticks(range(len(names)), names, rotation=30, ha="right")
    ax.set_yticks(range(len(names)), names)
    figure.colorbar(image, label="weight of the pair")
    return figure
