"""The checks of scores, expected differences and inner products for all outputs at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from structsvm.check.batch import Batch, batches
from structsvm.check.calls import as_numbers
from structsvm.check.closeness import TOLERANCE, close
from structsvm.check.evidence import Evidence
from structsvm.check.findings import Finding
from structsvm.check.minibatches import block_of, minibatches_agree
from structsvm.check.points import Visit
from structsvm.contract.capabilities import offers, oracle_is_exact
from structsvm.data.arrays import Vector
from structsvm.oracle.block import Block
from structsvm.oracle.minibatches import SubBlock, minibatches_of
from structsvm.oracle.soft_outputs import score_outputs, sum_expected_difference
from structsvm.task.call import unpacked

#: Points at which mini-batches are compared with all examples.
DIVIDED = 3
#: Where a method contradicts itself.
PART = "for a mini-batch, and its entries of w,"


def output_scores_agree(evidence: Evidence) -> Iterator[Finding]:
    """score_outputs returns loss less <w, difference> of every output, in the order of outputs."""
    method = "score_outputs"
    for batch in batches(evidence):
        found = evidence.calls.batch(method, batch.X, batch.labels, batch.visit.w)
        shape = np.shape(found)
        scores = as_numbers(method, found, (len(batch.rows), shape[1] if len(shape) == 2 else 1))
        message = ""
        if measured := _measured(batch):
            message = _wrong_scores(batch, scores, *measured)
        elif oracle_is_exact(evidence.problem):
            message = _wrong_extremes(batch, scores)
        if message:
            yield Finding(method, None, message)
            return
    for visit, whole, minibatches in _divided(evidence, method):
        scores = score_outputs(whole, visit.w)
        for places, columns, own in minibatches:
            found = score_outputs(own, columns.of(visit.w))
            if not close(found, scores[places], TOLERANCE, float(np.abs(scores).max())):
                yield Finding(method, None, f"{PART} its scores are others than for all examples")
                return


def expected_differences_agree(evidence: Evidence) -> Iterator[Finding]:
    """sum_expected_difference returns the sum over examples and outputs, weighted as given."""
    method = "sum_expected_difference"
    for batch in batches(evidence):
        if not (measured := _measured(batch)):
            continue
        losses, rows = measured
        p = _differences_of_probabilities(evidence, losses.shape)
        expected = np.einsum("iz,izj->j", p, rows)
        found = evidence.calls.batch(method, batch.X, batch.labels, p)
        size = float(np.abs(p).sum()) * max(map(batch.size, range(len(p))))
        if not close(as_numbers(method, found, expected.shape), expected, TOLERANCE, size):
            yield Finding(
                method,
                None,
                "it is not the sum over examples i and outputs z of probabilities[i, z] times the "
                "joint feature of the true output less that of z, in the order of outputs(x)",
            )
            return
    for _, whole, minibatches in _divided(evidence, method):
        p = _differences_of_probabilities(
            evidence, score_outputs(whole, np.zeros(whole.size)).shape
        )
        total = np.zeros(whole.size)
        for places, columns, own in minibatches:
            columns.add(total, sum_expected_difference(own, p[places]))
        if not close(total, sum_expected_difference(whole, p), TOLERANCE):
            yield Finding(method, None, f"{PART} its sums add up to another than for all examples")


def example_products_agree(evidence: Evidence) -> Iterator[Finding]:
    """example_products returns what the differences of outputs, multiplied, lead to."""
    method = "example_products"
    for batch in batches(evidence):
        found = evidence.calls.batch(method, batch.X, batch.labels)
        n = len(batch.rows)
        products, true, features = unpacked(found, 3, method, "Products", "")
        if features is None:
            products = as_numbers(method, products, (n, n))
        else:
            features = as_numbers(method, features, (n, *np.shape(features)[1:2]))
            products = features @ features.T
        places = as_numbers(method, true, (n,)).astype(int)
        if not (measured := _measured(batch)):
            continue
        rows = measured[1]
        own = np.arange(rows.shape[1]) == places[:, None]
        votes = own[:, None].astype(float) - np.eye(rows.shape[1])
        expected = np.einsum("ij,iay,jby->iajb", products, votes, votes)
        if not close(np.einsum("iad,jbd->iajb", rows, rows), expected, TOLERANCE):
            yield Finding(
                method,
                None,
                "the inner products of joint-feature differences do not follow from its products: "
                "has every output weights of its own, for the same features of an example, and are "
                "the true outputs at these places of outputs(x)?",
            )
            return


def _measured(batch: Batch) -> tuple[Vector, Vector] | None:
    """The losses (n, k) and differences (n, k, size) of all outputs, by the single forms.

    None where the outputs are not known, or not as many for all examples.
    """
    listed = {i: batch.evidence.enumerated[i] for i in batch.rows.tolist()}
    if len({len(own) for own in listed.values()}) > 1 or not listed[int(batch.rows[0])]:
        return None
    places = {i: k for k, i in enumerate(batch.rows.tolist())}
    measured = {i: [batch.measure(places[i], z) for z in own] for i, own in listed.items()}
    if any(pair is None for own in measured.values() for pair in own):
        return None
    losses, rows = (
        np.array([[pair[part] for pair in measured[i] if pair] for i in batch.rows.tolist()])
        for part in (0, 1)
    )
    return losses, rows


def _divided(evidence: Evidence, method: str) -> Iterator[tuple[Visit, Block, list[SubBlock]]]:
    """Yield some points with all examples and their mini-batches, where the engine uses these."""
    used = ("minibatches", "score_outputs", "sum_expected_difference", "outputs")
    wrong = any(evidence.results.get(check) for check in (minibatches_agree, output_scores_agree))
    if wrong or not all(offers(evidence.problem, other) for other in used):
        return
    whole = block_of(evidence)
    for visit in evidence.visits[1 : 1 + DIVIDED]:
        evidence.progress.call(method)
        yield visit, whole, list(minibatches_of(whole, whole.tally))


def _differences_of_probabilities(evidence: Evidence, shape: tuple[int, ...]) -> Vector:
    """Probabilities of the outputs of each example, some multiplied by numbers of both signs."""
    p = evidence.rng.dirichlet(np.ones(shape[1]), size=shape[0])
    return p * evidence.rng.choice([-1.0, 0.0, 0.5, 2.0], shape)


def _wrong_extremes(batch: Batch, scores: Vector) -> str:
    """Return what is wrong with the largest score and the true one, if no outputs are known."""
    expected = batch.measures(batch.outputs)
    if expected is None:
        return ""
    losses, rows = expected
    largest = np.maximum(losses - rows @ batch.visit.w, 0)
    if not close(scores.max(axis=1), largest, TOLERANCE, batch.terms):
        return "the largest score of an example is not that of the separation oracle's output"
    if not close(np.abs(scores).min(axis=1), np.zeros(len(scores)), TOLERANCE, batch.terms):
        return "no output of an example has the score 0, as the true one has"
    return ""


def _wrong_scores(batch: Batch, scores: Vector, losses: Vector, rows: Vector) -> str:
    """Return what is wrong with the scores of all outputs, or ''."""
    expected = losses - rows @ batch.visit.w
    if scores.shape != expected.shape:
        return f"it returned shape {scores.shape}; expected {expected.shape}, as outputs(x) has"
    if close(scores, expected, TOLERANCE, batch.terms):
        return ""
    i, z = np.unravel_index(np.argmax(np.abs(scores - expected)), scores.shape)
    return (
        f"the score of output {z} of example {batch.rows[i]} is {scores[i, z]:.6g}, but loss less "
        f"<w, joint-feature difference> is {expected[i, z]:.6g}; outputs are in the order of "
        "outputs(x)"
    )
