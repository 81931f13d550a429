"""Cell tracking: the toy graph of motile with few annotations, and a synthetic movie."""

from pathlib import Path

import numpy as np
import pytest
import tracking

from structsvm.problems import IntegerProgram, IntegerProgramSVM, Program

ROOT = Path(tracking.__file__).parents[2]
BENCHMARK = " ".join((ROOT / "benchmarks/programs/cell_tracking.py").read_text().split())

#: Detections of three frames with their scores, and candidate links with theirs, as in motile's
#: tests (github.com/funkelab/motile, tests/data.py).
CELLS = {0: 0.8, 1: 0.1, 2: 0.3, 3: 0.4, 4: 0.6, 5: 0.3, 6: 0.7}
FIRST = {0, 1}
LINKS = {
    (0, 2): 0.9, (1, 3): 0.9, (0, 3): 0.5, (1, 2): 0.5, (2, 4): 0.7, (3, 5): 0.7, (2, 5): 0.3,
    (3, 4): 0.3, (3, 6): 0.8,
}  # fmt: skip
#: The annotation: one track, and two decisions against.
TRACK = {0, 2, 4, (0, 2), (2, 4)}
AGAINST = {5, (2, 5)}


def toy_graph():
    """Cells and links with a score and a constant each, and a constant for a track's start."""
    variables = [*CELLS, *LINKS, *(("start", i) for i in CELLS)]
    place = {variable: v for v, variable in enumerate(variables)}
    features, rows = np.zeros((len(variables), 5)), []
    for i, score in CELLS.items():
        features[place[i], :2] = score, 1
        features[place["start", i], 4] = i not in FIRST  # no start counts in the first frame
    for link, score in LINKS.items():
        features[place[link], 2:4] = score, 1
    for i in CELLS:
        into = [place[link] for link in LINKS if link[1] == i]
        out = [place[link] for link in LINKS if link[0] == i]
        cell = np.eye(len(variables))[place[i]]
        start = np.eye(len(variables))[place["start", i]]
        rows.append(np.eye(len(variables))[out].sum(axis=0) - cell)  # one child, of a cell
        rows.append(np.eye(len(variables))[into].sum(axis=0) + start - cell)
        rows.append(-rows[-1])  # a parent or a start, of a cell
    return Program(features, (np.array(rows), 0)), variables


def test_the_weights_of_motiles_toy_graph_give_the_annotated_solution():
    x, variables = toy_graph()
    y = np.full(len(variables), -1)
    for v, variable in enumerate(variables):
        y[v] = 1 if variable in TRACK else 0 if variable in AGAINST else -1
    assert (y == -1).sum() == 16
    svm = IntegerProgramSVM(C=1000.0).fit([x], [y])
    predicted = svm.predict([x])[0]
    assert np.array_equal(predicted[y != -1], y[y != -1])
    assert svm.score([x], [y]) == 1.0
    # The weights that motile's own test expects, as scores: the whole solution is the same.
    theirs = np.array([2.7948, 2.3828, 0.6477, 2.9709, -14.8821])
    assert np.array_equal(predicted, IntegerProgram().decode(x, theirs))


def test_the_truth_of_a_movie_satisfies_its_program():
    movie = tracking.movie(0)
    IntegerProgram().initialize([tracking.program(movie)], [tracking.truth(movie)])
    kinds = [kind for kind, _ in tracking.variables(movie)]
    assert set(kinds) == set(tracking.KINDS)
    real = np.flatnonzero(movie.parent >= 0)
    links = tracking.links(movie, tracking.truth(movie))
    assert len(links) > 0.9 * len(real)
    assert all(movie.parent[j] == i for i, j in links)
    assert {int(movie.frame[j] - movie.frame[i]) for i, j in links} <= {1, 2}
    assert tracking.f1([movie], [tracking.truth(movie)]) == 1.0


def test_the_tra_score_is_the_cost_of_the_changes():
    movie = tracking.movie(0)
    y, variables = tracking.truth(movie), tracking.variables(movie)
    assert tracking.tra([movie], [y]) == 1.0
    assert tracking.tra([movie], [np.zeros_like(y)]) == 0.0
    cells, links = tracking.graph(movie, y)
    most = 10 * len(cells) + 1.5 * len(links)

    def first(kind, value, among=None):
        """The first variable of a kind and value, here of a link between these cells."""
        for v, (own, ends) in enumerate(variables):
            if (own, y[v]) == (kind, value) and (among is None or {*ends} <= among):
                return v

    missed = first("cell", 1)
    (i,) = variables[missed][1]
    for place, cost in (
        (first("move", 1), 1.5),
        (first("divide", 1), 3.0),
        (first("cell", 0), 1.0),  # clutter taken for a cell
        (missed, 10 + 1.5 * sum(i in pair for pair in links)),  # and its links
        (first("move", 0, cells), 1.0),  # a false link
    ):
        changed = np.where(np.arange(len(y)) == place, 1 - y, y)
        found = tracking.tra([movie], [changed])
        assert (1 - found) * most == pytest.approx(cost)


@pytest.mark.slow
def test_cells_are_tracked_by_weights_learned_from_half_of_the_annotations():
    """From all, and from a tenth beside weights by hand: docs/programs.md."""
    movie, other = tracking.movie(0), tracking.movie(1)
    x, y = tracking.program(movie), tracking.truth(movie)
    half = tracking.annotated(movie, 0.5, 0)
    assert 0.4 < np.mean(half == -1) < 0.6 and np.array_equal(half[half != -1], y[half != -1])
    svm = IntegerProgramSVM().fit([x], [half])
    assert tracking.f1([other], svm.predict([tracking.program(other)])) > 0.8


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_default_c_of_movies_is_what_the_benchmark_says():
    movies = [tracking.program(tracking.movie(100 + run)) for run in range(10)]
    squares = [np.square(x.features).sum(axis=1) for x in movies]
    found = [5 * len(each) / each.mean() for each in squares]
    one = IntegerProgramSVM(max_iter=1).fit(movies[:1], [tracking.truth(tracking.movie(100))])
    assert one.C_ == pytest.approx(found[0])
    words = "is {:.0f} to {:.0f} for each of the training movies of the table, {:.0f} on average"
    assert words.format(min(found), max(found), np.mean(found)) in BENCHMARK
