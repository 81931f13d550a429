"""The laws of parts: their best scores and outputs, against all outputs one by one."""

import numpy as np
import pytest
from cases.problems import PROBLEMS
from enumeration import drawn_w

from benchmarks.robustness._planted.correct.tagging import PartedTagging, sequences
from structsvm.contract.constraints import constraints_of
from structsvm.problems import (
    Assignment,
    AttractiveLabelSet,
    Chain,
    DependencyTree,
    GraphLabelling,
    LabelSet,
    Multiclass,
    RelaxedLabelSet,
    Segments,
)

FAMILIES = Assignment, Chain, DependencyTree, GraphLabelling, LabelSet, Multiclass, Segments
#: Problems whose task knows parts, one of them by methods for one example.
CASES = {name: make for name, make in PROBLEMS.items() if isinstance(make(0)[0], FAMILIES)}
CASES["of a user"] = lambda seed: (PartedTagging(), *sequences())
#: Those for which decode_with is called for each part.
WITHOUT_TABLES = RelaxedLabelSet, AttractiveLabelSet, PartedTagging
WITH_TABLES = [name for name, make in CASES.items() if not isinstance(make(0)[0], WITHOUT_TABLES)]


def parts_of(problem, y):
    """The names of the parts of an output, as users know them."""
    if isinstance(problem, Segments):
        return [f"{'BI'[i > a]}-{label}" for a, b, label in y for i in range(a, b)]
    return y if isinstance(y, list) else list(np.atleast_1d(y))


class Listed:
    """The outputs of an initialized problem for one input, and the best with each part."""

    def __init__(self, problem, task, x, w):
        outputs, names = list(problem.outputs(x)), task.part_names(0)
        width = max(map(len, names))
        self.places = np.array([task.part_places([y])[0] for y in outputs])
        for y, places in zip(outputs, self.places, strict=True):
            slots, parts = np.divmod(places, width)
            assert np.array_equal(slots, np.arange(len(names)))
            assert [names[slot][part] for slot, part in enumerate(parts)] == parts_of(problem, y)
        self.scores = np.array([
            np.squeeze(problem.joint_feature(x, y) @ w[:, None]) for y in outputs
        ]).ravel()  # fmt: skip
        self.table = np.full((len(names), width), -np.inf)
        for places, score in zip(self.places, self.scores, strict=True):
            self.table.flat[places] = np.maximum(self.table.flat[places], score)

    def score(self, places):
        """The score of the only output with these parts."""
        (score,) = self.scores[(self.places == places).all(axis=1)]
        return score


def examples(name, seed):
    """A problem, its task for new inputs, its w, and what is listed of each example."""
    problem, X, Y = CASES[name](seed)
    problem.initialize(X, Y)
    lower, w = constraints_of(problem).lower, drawn_w(problem, seed=seed)
    w, task = w if lower is None else np.maximum(w, lower), problem.task(X)
    listed = [Listed(problem, task.part(range(i, i + 1)), X[i], w) for i in range(task.n)]
    return problem, task, w, listed


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", WITH_TABLES)
def test_tables_hold_the_best_scores(name, seed):
    problem, task, w, listed = examples(name, seed)
    is_exact = getattr(problem, "inference", "tree") == "tree"
    decoded = task.part_places(task.decode(w))
    for own, table, chosen in zip(listed, task.max_marginals(w), decoded, strict=True):
        assert table.shape == own.table.shape
        losses = table - table.max(axis=1, keepdims=True)
        np.testing.assert_allclose(losses.flat[chosen], 0, atol=1e-4)
        reached = own.score(chosen) + losses
        assert np.all(reached <= own.table + 1e-4)
        assert not is_exact or np.all(reached >= own.table - 1e-4)


@pytest.mark.parametrize("name", CASES)
def test_outputs_with_a_part_are_the_best(name):
    problem, task, w, listed = examples(name, 0)
    possible = [np.flatnonzero(np.isfinite(own.table)) for own in listed]
    for turn in range(max(map(len, possible))):
        places = [own[turn % len(own)] for own in possible]
        outputs = task.decode_with(w, places)
        for own, place, chosen in zip(listed, places, task.part_places(outputs), strict=True):
            assert place in chosen and own.score(chosen) <= own.table.flat[place] + 1e-4
            if problem.oracle_quality == "exact":
                assert own.score(chosen) >= own.table.flat[place] - 1e-4


@pytest.mark.parametrize("name", ["chain-bio", "segments", "tree", "tree-projective"])
def test_parts_that_no_output_has_are_not_found(name):
    _, task, w, listed = examples(name, 0)
    for i, own in enumerate(listed):
        one, impossible = task.part(range(i, i + 1)), np.flatnonzero(np.isinf(own.table))
        assert len(impossible) or name == "chain-bio"
        for place in impossible:
            assert place not in one.part_places(one.decode_with(w, [place]))[0]


@pytest.mark.parametrize("problem", [Chain(), Segments(3)], ids=["chain", "segments"])
def test_long_sequences_have_the_same_parts(problem):
    rng, length, width = np.random.default_rng(0), 3000, getattr(problem, "max_length", 1)
    X, labels = [rng.normal(size=(length * width, 2))], rng.integers(3, size=length).tolist()
    segments = [(i, i + 1, label) for i, label in enumerate(labels)]
    problem.initialize(X, [segments if width > 1 else labels])
    task, w = problem.task(X), drawn_w(problem)
    (table,), best = task.max_marginals(w), problem.joint_feature(X[0], task.decode(w)[0]) @ w
    table = table - table.max(axis=1, keepdims=True)
    for place in rng.choice(np.flatnonzero(np.isfinite(table)), 10):
        found = task.decode_with(w, [place])
        assert place in task.part_places(found)[0]
        score = problem.joint_feature(X[0], found[0]) @ w
        assert score - best == pytest.approx(table.flat[place], abs=1e-8)
