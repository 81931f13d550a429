"""
Shortest paths on maps that a network reads
===========================================

A network sees a noisy picture of the ground and predicts the cost of each cell, and a walker takes
the cheapest path by these costs. Trained with :class:`structsvm.torch.StructuredHingeLoss` of a
:class:`structsvm.problems.DecisionProblem`, here the SPO+ loss, the network predicts costs that
lead to good paths; trained with the squared error, it predicts good costs. The example needs
PyTorch, without which the site is built: its output is stored.
"""

# sphinx_gallery_thumbnail_path = "_static/gallery-map.png"

import matplotlib.pyplot as plt
import numpy as np
import torch
from scipy.ndimage import gaussian_filter
from torch import nn

from structsvm.problems.decisions import DecisionProblem, GridPaths, best_decisions
from structsvm.torch import StructuredHingeLoss

# %%
# A map has 12 x 12 cells of grass, sand, forest or rock, each seen as 4 x 4 pixels. A path goes
# right or down from corner to corner, and pays for each cell that it enters.

COSTS = np.array([1.0, 2.0, 4.0, 8.0])
COLOURS = np.array([[0.5, 0.7, 0.3], [0.8, 0.7, 0.4], [0.2, 0.5, 0.2], [0.5, 0.5, 0.5]])
paths, cells = GridPaths(12, 12), np.arange(144).reshape(12, 12)
entered = np.concatenate([np.append(cells[i, 1:], cells[i + 1 : i + 2]) for i in range(12)])


def draw(rng, n):
    """Return the costs of the cells of n maps, their best paths, and their pictures."""
    fields = gaussian_filter(rng.normal(size=(n, 12, 12)), (0, 1.2, 1.2), mode="wrap")
    kinds = np.digitize(fields / fields.std(), [-0.7, 0.0, 0.7])
    pixels = COLOURS[kinds].repeat(4, axis=1).repeat(4, axis=2)
    pixels += rng.normal(scale=0.25, size=pixels.shape)
    costs = COSTS[kinds].reshape(n, 144)
    best = best_decisions(paths, costs[:, entered])
    return costs, best, torch.tensor(np.moveaxis(pixels, 3, 1), dtype=torch.float32)


def trained(loss):
    torch.manual_seed(0)
    layers = [nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.AvgPool2d(4)]
    layers += [nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 1, 1), nn.Flatten()]
    network = nn.Sequential(*layers)
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    for _ in range(30):
        for batch in torch.randperm(300).split(20):
            optimizer.zero_grad()
            loss(network(pictures[batch]), batch).backward()
            optimizer.step()
    return network


rng = np.random.default_rng(0)
costs, best, pictures = draw(rng, 300)
true = torch.tensor(costs, dtype=torch.float32)
problem = DecisionProblem(paths)
problem.initialize(np.zeros((300, 1)), best)  # of any features: the network gives the costs
layer = StructuredHingeLoss(problem, scores=True)
networks = {
    "squared error": trained(lambda found, batch: (found - true[batch]).square().mean()),
    "SPO+": trained(lambda found, batch: layer(found[:, entered], best[batch])),
}

# %%
# The regret is the extra cost of paths over the cheapest paths. The picture shows the test map on
# which SPO+ saves most.

costs, best, pictures = draw(rng, 300)
least = np.array([y.costs @ y.decision for y in best])
with torch.no_grad():
    found = {name: layer.decode(net(pictures)[:, entered]) for name, net in networks.items()}
values = {name: (path * costs[:, entered]).sum(axis=1) for name, path in found.items()}
for name, value in values.items():
    print(f"{name:13} regret {value.sum() / least.sum() - 1:.1%}")

i = np.argmax(values["squared error"] - values["SPO+"])
figure, ax = plt.subplots(figsize=(4.5, 4.5), layout="constrained")
ax.imshow(COLOURS[np.searchsorted(COSTS, costs[i])].reshape(12, 12, 3), alpha=0.6)
for (name, decisions), colour in zip(found.items(), ("tab:red", "tab:blue"), strict=True):
    visited = np.sort(np.append(0, entered[decisions[i] > 0]))
    label = f"{name}: {values[name][i]:g}"
    ax.plot(visited % 12, visited // 12, color=colour, linewidth=4, alpha=0.8, label=label)
ax.set(xticks=[], yticks=[], title=f"the shortest path costs {least[i]:g}")
ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0), ncols=2, frameon=False)
plt.show()

# %%
# .. code-block:: none
#
#    squared error regret 4.8%
#    SPO+          regret 2.4%
#
# .. image:: /_static/gallery-map.png
#    :alt: A map of the ground with the paths of both networks
