"""Cell tracking as an integer program: a synthetic movie, its program, and scores of solutions."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.optimize import LinearConstraint
from scipy.sparse import coo_array

from structsvm.problems import Program

SIZE = 100.0
#: The kinds of variables, and the features of each kind besides a constant. A skip passes over a
#: frame in which the cell was not detected.
KINDS = {"cell": 1, "move": 2, "divide": 3, "appear": 1, "disappear": 1, "skip": 2}
#: Weights that a person might write down. A cell scores 4 contrast - 3; the cost of a move is its
#: length and its changes; and so on.
BY_HAND = np.array(
    [-3.0, 4.0, 2.0, -1.0, -2.0, 0.0, -1.0, -2.0, 1.0, -1.0, -1.0, -1.0, -1.0, 0.0, -1.0, -2.0]
)


class Movie(NamedTuple):
    """Detections in the frames of a movie, with the truth of a synthetic one.

    Attributes
    ----------
    frame : array of shape (n,), int
    points : array of shape (n, 2)
    area, contrast : arrays of shape (n,)
    parent : array of shape (n,), int
        The last detection of the same cell or its mother, mostly in the frame before; -1 for none,
        -2 for clutter.
    """

    frame: np.ndarray
    points: np.ndarray
    area: np.ndarray
    contrast: np.ndarray
    parent: np.ndarray


def movie(random_state, n_frames=8, n_cells=12, missed=0.05):
    """Draw cells that move, divide, leave the picture and enter it, among clutter of low contrast.

    The detector misses a fraction of the cells in each frame.
    """
    rng = np.random.default_rng(random_state)
    rows, cells = [], [(*rng.uniform(0, SIZE, 2), rng.normal(100, 10), -1) for _ in range(n_cells)]
    for t in range(n_frames):
        inside, last = [cell for cell in cells if 0 <= min(cell[:2]) <= max(cell[:2]) <= SIZE], []
        for x, y, area, parent in inside:
            detected = rng.random() >= missed
            last.append(len(rows) if detected else parent)
            if detected:
                rows.append((t, x, y, area, rng.normal(1, 0.3), parent))
        for _ in range(rng.poisson(4)):
            rows.append((t, *rng.uniform(0, SIZE, 2), rng.normal(70, 30), rng.normal(0.5, 0.3), -2))
        cells = []
        for i, (x, y, area, _) in zip(last, inside, strict=True):
            divides = area > 115 and rng.random() < 0.5
            for side in (-1, 1) if divides else (0,):
                angle = rng.uniform(0, np.pi)
                step = 6 * side * np.array([np.cos(angle), np.sin(angle)]) + rng.normal(0, 4, 2)
                grown = area * (0.55 if divides else 1.05) + rng.normal(0, 3)
                cells.append((x + step[0], y + step[1], grown, i))
        if rng.random() < 0.5:
            cells.append(
                (*rng.permutation([rng.choice([1, SIZE - 1]), rng.uniform(0, SIZE)]), 90.0, -1)
            )
    frame, x, y, area, contrast, parent = np.array(rows).T
    return Movie(frame.astype(int), np.column_stack([x, y]), area, contrast, parent.astype(int))


def variables(movie, reach=20.0, nearest=4):
    """Return the variables, pairs of a kind and detections, of all events that are near enough."""
    found = [("cell", (i,)) for i in range(len(movie.frame))]
    for i, t in enumerate(movie.frame):
        if t > 0:
            found.append(("appear", (i,)))
        if t < movie.frame.max():
            found.append(("disappear", (i,)))
        close = nearby(movie, i, t + 1, reach, nearest)
        found += [("move", (i, j)) for j in close]
        found += [("divide", (i, *both)) for both in combinations(close, 2)]
        found += [("skip", (i, j)) for j in nearby(movie, i, t + 2, reach, 2)]
    return found


def nearby(movie, i, t, reach, most):
    """Return the detections of a frame that are nearest to a detection of an earlier frame."""
    following = np.flatnonzero(movie.frame == t)
    distance = np.linalg.norm(movie.points[following] - movie.points[i], axis=1)
    order = np.argsort(distance)[:most]
    return following[order[distance[order] < reach]].tolist()


def program(movie):
    """Return the program of a movie: links into and out of each detection must add up."""
    events, offsets = variables(movie), np.cumsum([0, *(1 + k for k in KINDS.values())])
    features = np.zeros((len(events), offsets[-1]))
    into, out = [], []
    for v, (kind, places) in enumerate(events):
        values, column = described(movie, kind, places), offsets[list(KINDS).index(kind)]
        features[v, column : column + len(values)] = values
        first, *others = places
        if kind == "cell":
            into.append((first, v, -1.0))
            out.append((first, v, -1.0))
        elif kind == "appear":
            into.append((first, v, 1.0))
        else:
            out.append((first, v, 1.0))
            into += [(j, v, 1.0) for j in others]
    sums, shape = {}, (len(movie.frame), len(events))
    for name, terms, free in (("in", into, 0), ("out", out, movie.frame.max())):
        rows, columns, signs = np.array(terms).T
        A = coo_array((signs, (rows.astype(int), columns.astype(int))), shape).tocsr()
        sums[name] = LinearConstraint(A[movie.frame != free], 0, 0)
    return Program(features, sums)


def described(movie, kind, places):
    """Return a constant and the features of an event."""
    i, *others = places
    if kind == "cell":
        return [1.0, movie.contrast[i]]
    if kind in ("appear", "disappear"):
        border = min(movie.points[i].min(), SIZE - movie.points[i].max())
        return [1.0, min(border, 20.0) / 10]
    steps = (movie.points[others] - movie.points[i]) / 10
    change = movie.area[others].sum() / movie.area[i] - 1.1
    if kind in ("move", "skip"):
        return [1.0, (steps**2).sum(), abs(change)]
    return [1.0, (steps**2).sum(), abs(change), (movie.area[i] - 100) / 10]


def truth(movie):
    """Return the true values of the variables; a step without a variable ends and starts."""
    events = variables(movie)
    children = {i: np.flatnonzero(movie.parent == i).tolist() for i in range(len(movie.frame))}
    links = {(i, *sorted(both)) for i, both in children.items() if both}
    chosen = [
        kind in ("move", "divide", "skip") and (places[0], *sorted(places[1:])) in links
        for kind, places in events
    ]
    taken = [places for (_, places), true in zip(events, chosen, strict=True) if true]
    before, after = {j for _, *both in taken for j in both}, {i for i, *_ in taken}
    real = movie.parent != -2
    others = {
        "cell": lambda i: real[i],
        "appear": lambda i: real[i] and i not in before,
        "disappear": lambda i: real[i] and i not in after,
    }
    return np.array(
        [
            true or (kind in others and others[kind](places[0]))
            for (kind, places), true in zip(events, chosen, strict=True)
        ],
        dtype=int,
    )


def links(movie, y):
    """Return the links from a cell to itself or its daughters at the next detection, as pairs."""
    events = variables(movie)
    taken = [places for (_, places), value in zip(events, y, strict=True) if value == 1]
    return {(i, j) for i, *both in taken for j in both}


def annotated(movie, fraction, random_state):
    """Return the true values of the variables of a fraction of the detections, otherwise -1.

    Annotators know of a detection whether it is a cell, whether it appears, and where it goes.
    """
    order = np.random.default_rng(random_state).permutation(len(movie.frame))
    known = order < max(1, round(fraction * len(order)))
    return np.where([known[i] for _, (i, *_) in variables(movie)], truth(movie), -1)


def f1(movies, predictions):
    """Return the F1 of the links of all movies together."""
    found = [links(movie, y) for movie, y in zip(movies, predictions, strict=True)]
    true = [links(movie, truth(movie)) for movie in movies]
    right = sum(len(a & b) for a, b in zip(found, true, strict=True))
    return 2 * right / sum(len(a) + len(b) for a, b in zip(found, true, strict=True))


#: The cost of a missed cell, a false cell, a missed link, a false link, and a wrong kind of link.
COSTS = {"missed": 10.0, "false": 1.0, "missed link": 1.5, "false link": 1.0, "kind": 1.0}


def tra(movies, predictions):
    """Return the TRA score of the Cell Tracking Challenge, of all movies together: 1 is perfect.

    TRA is 1 - AOGM / AOGM of an empty graph. AOGM is the cost of changing the predicted graph to
    the true graph (Matula et al., PLoS ONE 2015). Cells are detections here, so that no cell must
    be split.
    """
    cost = most = 0.0
    for movie, y in zip(movies, predictions, strict=True):
        true, found = graph(movie, truth(movie)), graph(movie, y)
        cells, kept = true[0], true[0] & found[0]
        cost += COSTS["missed"] * len(cells - found[0]) + COSTS["false"] * len(found[0] - cells)
        # The links of a false cell vanish with it.
        between = {pair: kind for pair, kind in found[1].items() if {*pair} <= kept}
        cost += COSTS["missed link"] * len(true[1].keys() - between.keys())
        cost += COSTS["false link"] * len(between.keys() - true[1].keys())
        shared = true[1].keys() & between.keys()
        cost += COSTS["kind"] * sum(true[1][pair] != between[pair] for pair in shared)
        most += COSTS["missed"] * len(cells) + COSTS["missed link"] * len(true[1])
    return 1 - min(cost, most) / most


def graph(movie, y):
    """Return the cells, and the links with their kinds: within a track, or to a daughter."""
    taken = [event for event, value in zip(variables(movie), y, strict=True) if value == 1]
    cells = {places[0] for kind, places in taken if kind == "cell"}
    pairs = {(i, j): kind == "divide" for kind, (i, *others) in taken for j in others}
    return cells, pairs
