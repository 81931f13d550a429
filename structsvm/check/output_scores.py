"""The checks of the scores of all outputs at once, and of the expected differences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from structsvm.capabilities import offers
from structsvm.check.batch import Block, blocks
from structsvm.check.checked_calls import Finding, as_numbers
from structsvm.check.closeness import close
from structsvm.check.evidence import Evidence
from structsvm.check.pools import TOLERANCE
from structsvm.problem import Vector


def output_scores_agree(evidence: Evidence) -> Iterator[Finding]:
    """score_outputs returns loss less <w, difference> of every output, in the order of outputs."""
    method = "score_outputs"
    for block, losses, rows in _measured(evidence, method):
        found, message = block.call(method, block.X, block.labels, block.visit.w)
        message = message or _wrong_scores(block, found, losses, rows)
        if message:
            yield Finding(method, None, message)
            return


def expected_differences_agree(evidence: Evidence) -> Iterator[Finding]:
    """sum_expected_difference returns the sum over examples and outputs, weighted as given."""
    method = "sum_expected_difference"
    for block, losses, rows in _measured(evidence, method):
        p = evidence.rng.dirichlet(np.ones(losses.shape[1]), size=len(losses))
        # Of both signs, since these may be differences of probabilities.
        p *= evidence.rng.choice([-1.0, 0.0, 0.5, 2.0], p.shape)
        found, message = block.call(method, block.X, block.labels, p)
        size = float(np.abs(p).sum()) * max(map(block.size, range(len(p))))
        message = message or _wrong_sum(found, np.einsum("iz,izj->j", p, rows), size)
        if message:
            yield Finding(method, None, message)
            return


def _measured(evidence: Evidence, method: str) -> Iterator[tuple[Block, Vector, Vector]]:
    """Blocks with the losses (n, k) and differences (n, k, size) of all outputs, by single forms.

    There are none where the method is not offered, or the outputs are not known.
    """
    for block in blocks(evidence) if offers(evidence.problem, method) else ():
        outputs = [evidence.enumerated[i] for i in block.rows]
        if not outputs[0] or len({len(own) for own in outputs}) > 1:
            continue
        found = [[block.measure(k, z) for z in own] for k, own in enumerate(outputs)]
        if all(pair is not None for own in found for pair in own):
            losses = np.array([[pair[0] for pair in own if pair] for own in found])
            yield block, losses, np.array([[pair[1] for pair in own if pair] for own in found])


def _wrong_scores(block: Block, found: object, losses: Vector, rows: Vector) -> str:
    scores, message = as_numbers(found, losses.shape)
    expected = losses - rows @ block.visit.w
    if message or close(scores, expected, TOLERANCE, block.terms):
        return message
    i, z = np.unravel_index(np.argmax(np.abs(scores - expected)), scores.shape)
    return (
        f"the score of output {z} of example {block.rows[i]} is {scores[i, z]:.6g}, but loss less "
        f"<w, joint-feature difference> is {expected[i, z]:.6g}; outputs are in the order of "
        "outputs(x)"
    )


def _wrong_sum(found: object, expected: Vector, size: float) -> str:
    total, message = as_numbers(found, expected.shape)
    if message or close(total, expected, TOLERANCE, size):
        return message
    return (
        "it is not the sum over examples i and outputs z of probabilities[i, z] times the joint "
        "feature of the true output less that of z, in the order of outputs(x)"
    )
