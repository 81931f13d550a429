"""Planes against one labelling after another: those from scratch, without the work of it."""

import numpy as np
import pytest
from engine_parts import examples_of
from scipy import sparse
from toy_problems import CountedTopics, topics_data

from structsvm import LatentProblem
from structsvm.oracle.cuts import one_slack_cut, planes_of_passes
from structsvm.oracle.relabelled import RelabelledPlanes
from structsvm.problems import Multiclass
from structsvm.problems.classification.multiclass.task import MulticlassTask

X = topics_data(n=7)
#: Number of planes.
M = 4


class Label(tuple):
    """Labels of the points; objects of a class of its own are never the same."""


class Counted(CountedTopics):
    """Its labels are of that class."""

    label = Label

    def counts(self):
        """The calls of both measures since the last time."""
        counts = self.calls["joint_feature"], self.calls["loss"]
        self.calls.clear()
        return counts


class Missing(Counted):
    """It often misses outputs that score above the label, so each plane has its own weights."""

    oracle_quality = "undergenerating"

    def separation_oracle(self, x, y, w):
        return super().separation_oracle(x, y, -w)


class Plain(Counted):
    """Its labels are tuples, always new objects."""

    label = CountedTopics.label


class PlainMissing(Plain, Missing):
    """Both."""


class Far(Counted):
    """Joint features far from 0, which cancel in the differences."""

    def joint_feature(self, x, y):
        return super().joint_feature(x, y) + 1e6


class SparseRows(Counted):
    """Joint features that are sparse rows."""

    def joint_feature(self, x, y):
        return sparse.csr_matrix(super().joint_feature(x, y)[None])


def started(kind):
    """Examples, and M planes with the labels that all are made against."""
    examples, rng = examples_of(kind(), X), np.random.default_rng(1)
    labels = examples.impute(rng.normal(size=6))
    cuts = [one_slack_cut(examples, labels, rng.normal(size=6)) for _ in range(M)]
    sources = [source for cut in cuts for source in cut.sources]
    rows, offsets = (
        np.concatenate([getattr(cut, part) for cut in cuts]) for part in ("rows", "offsets")
    )
    examples.problem.counts()
    return examples, sources, (labels, rows, offsets)


def from_scratch(examples, labels, sources):
    passes, weights = zip(*[(source.outputs, source.weights) for source in sources], strict=True)
    return planes_of_passes(examples, labels, passes, np.array(weights))


@pytest.mark.parametrize("kind", [Counted, Missing, Plain, PlainMissing, Far, SparseRows])
def test_they_are_those_from_scratch_however_often_labels_change(kind):
    examples, sources, previous = started(kind)
    planes, rng = RelabelledPlanes(examples), np.random.default_rng(2)
    if issubclass(kind, Missing):
        weights = np.array([source.weights for source in sources])
        assert len(np.unique(weights, axis=0)) > 1
    for _ in range(8):
        labels = examples.impute(rng.normal(size=6))
        examples.problem.counts()
        rows, offsets = planes.against(labels, sources, previous)
        features, losses = examples.problem.counts()
        assert features <= 2 * examples.n and losses <= M * examples.n
        expected, losses = from_scratch(examples, labels, sources)
        np.testing.assert_allclose(rows, expected, atol=4e-16 * (4e6 if kind is Far else 10))
        np.testing.assert_allclose(offsets, losses, atol=1e-15)
        previous = labels, rows, offsets


@pytest.mark.parametrize("kind", [Plain, PlainMissing])
def test_only_labels_that_change_cost_losses(kind):
    examples, sources, previous = started(kind)
    planes, (labels, _, _), counts = RelabelledPlanes(examples), previous, examples.problem.counts
    first = planes.against(labels, sources, previous)
    counts()
    planes.against(labels, sources, previous)
    assert counts() == (0 if kind is Plain else examples.n, 0)
    again = planes.against([(*label,) for label in labels], sources, previous)
    assert counts() == (examples.n, 0), "equal labels are the same"
    for part, expected in zip(again, first, strict=True):
        np.testing.assert_array_equal(part, expected)
    changed = [(*label,) for label in labels]
    for i in (2, 5):
        changed[i] = tuple(1 - min(topic, 1) for topic in labels[i])
    planes.against(changed, sources, previous)
    assert counts() == (examples.n, 2 * M)
    changed = [tuple(map(float, changed[0])), *changed[1:]]
    examples.problem.joint_feature = lambda x, y: np.zeros(6)
    planes.against(changed, sources, previous)
    assert counts()[1] == M, "another type is another label"


class Semi(LatentProblem, Multiclass):
    """Classes, by a task with arrays."""


def test_a_task_with_arrays_sums_the_differences_of_labels_once(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    examples = examples_of(Semi(), X, [i % 3 if i < 9 else None for i in range(30)])
    first, second, third = (examples.impute(w) for w in rng.normal(size=(3, 9)))
    cuts = [one_slack_cut(examples, first, w) for w in rng.normal(size=(M, 9))]
    sources = [source for cut in cuts for source in cut.sources]
    rows, offsets = (np.concatenate([getattr(c, p) for c in cuts]) for p in ("rows", "offsets"))
    planes, calls = RelabelledPlanes(examples), []
    monkeypatch.setattr(MulticlassTask, "plane", counted(MulticlassTask.plane, calls))
    for labels in (second, third):
        rows, offsets = planes.against(labels, sources, (first, rows, offsets))
        assert len(calls) <= 2, "for the labels before and for these"
        expected, losses = from_scratch(examples, labels, sources)
        np.testing.assert_allclose(rows, expected, atol=1e-14)
        np.testing.assert_allclose(offsets, losses, atol=1e-15)
        first = labels
        calls.clear()


def counted(method, calls):
    def call(*arguments):
        calls.append(arguments)
        return method(*arguments)

    return call


def test_sources_that_come_later_are_made_against_the_same_labels():
    examples, sources, previous = started(Missing)
    labels, rows, offsets = previous
    planes, other = RelabelledPlanes(examples), examples.impute(np.ones(6))
    planes.against(other, sources[:2], (labels, rows[:2], offsets[:2]))
    rows, offsets = planes.against(other, sources, previous)
    expected, losses = from_scratch(examples, other, sources)
    np.testing.assert_allclose(rows, expected, atol=1e-14)
    np.testing.assert_allclose(offsets, losses, atol=1e-15)


def test_what_is_kept_of_other_sources_is_dropped():
    examples, sources, previous = started(Counted)
    planes, labels = RelabelledPlanes(examples), previous[0]
    planes.against(labels, sources, previous)
    planes.keep_only(sources[1:])
    examples.problem.counts()
    planes.against(labels, sources, previous)
    assert examples.problem.counts()[1] == examples.n, "those of the source that was dropped"


class FlipsOfTheLabel(Counted):
    """Its oracle returns changes to the label, so that no part of a plane is free of labels."""

    def joint_feature_difference(self, x, y, y_hat):
        return self.joint_feature(x, y) - self.joint_feature(x, self.changed(y, y_hat))

    def changed(self, y, steps):
        return tuple((a + b) % self.n_topics for a, b in zip(y, steps, strict=True))


def test_planes_of_outputs_that_are_changes_to_the_label_are_made_from_scratch():
    examples, sources, previous = started(FlipsOfTheLabel)
    labels = examples.impute(np.ones(6))
    rows, offsets = RelabelledPlanes(examples).against(labels, sources, previous)
    expected, losses = from_scratch(examples, labels, sources)
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_array_equal(offsets, losses)
