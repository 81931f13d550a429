"""Data sets: scikit-learn's digits, synthetic data, and optional files that the user supplies."""

from structsvm.datasets.builtin import digits, digits_pair, ringnorm, synth
from structsvm.datasets.decisions import knapsack_values, shortest_path_costs, tour_distances
from structsvm.datasets.files import FILES, FOLDER_VARIABLE, DataFile, load_file
from structsvm.datasets.plane import SHAPES, plane
from structsvm.datasets.texts import newsgroups, webkb, webkb_links

__all__ = [
    "FILES",
    "FOLDER_VARIABLE",
    "SHAPES",
    "DataFile",
    "digits",
    "digits_pair",
    "knapsack_values",
    "load_file",
    "newsgroups",
    "plane",
    "ringnorm",
    "shortest_path_costs",
    "synth",
    "tour_distances",
    "webkb",
    "webkb_links",
]
