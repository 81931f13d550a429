"""The checks of the scores of all outputs at once, and of the expected differences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from structsvm.capabilities import offers
from structsvm.check.batch import Block, blocks
from structsvm.check.checked_calls import Finding, as_numbers
from structsvm.check.evidence import Evidence
from structsvm.check.measures import close
from structsvm.check.pools import TOLERANCE
from structsvm.problem import Vector


def output_scores_agree(evidence: Evidence) -> Iterator[Finding]:
    """score_outputs returns loss less <w, difference> of every output, in the order of outputs."""
    method = "score_outputs"
    if not offers(evidence.problem, method):
        return
    for block in blocks(evidence):
        measured = _measured(block)
        if measured is None:
            continue
        found, message = block.call(method, block.X, block.labels, block.visit.w)
        message = message or _wrong_scores(block, found, *measured)
        if message:
            yield Finding(method, None, message)
            return


def expected_differences_agree(evidence: Evidence) -> Iterator[Finding]:
    """sum_expected_difference returns the sum over examples and outputs, weighted as given."""
    method = "sum_expected_difference"
    if not offers(evidence.problem, method):
        return
    for block in blocks(evidence):
        measured = _measured(block)
        if measured is None:
            continue
        _, rows = measured
        p = evidence.rng.dirichlet(np.ones(rows.shape[1]), size=len(rows))
        found, message = block.call(method, block.X, block.labels, p)
        if not message:
            array, message = as_numbers(found, rows.shape[2:])
        if not message and not close(array, np.einsum("iz,izj->j", p, rows), TOLERANCE):
            message = (
                "it is not the sum over examples i and outputs z of probabilities[i, z] times the "
                "joint feature of the true output less that of z, in the order of outputs(x)"
            )
        if message:
            yield Finding(method, None, message)
            return


def _measured(block: Block) -> tuple[Vector, Vector] | None:
    """The losses (n, k) and differences (n, k, size) of all outputs, by the single forms.

    None where the outputs are not known.
    """
    outputs = [block.evidence.enumerated[i] for i in block.rows]
    if not outputs[0] or len({len(own) for own in outputs}) > 1:
        return None
    found = [[block.measure(k, z) for z in own] for k, own in enumerate(outputs)]
    if any(pair is None for own in found for pair in own):
        return None
    losses = np.array([[pair[0] for pair in own if pair] for own in found])
    return losses, np.array([[pair[1] for pair in own if pair] for own in found])


def _wrong_scores(block: Block, found: object, losses: Vector, rows: Vector) -> str:
    scores, message = as_numbers(found, losses.shape)
    expected = losses - rows @ block.visit.w
    if message or close(scores, expected, TOLERANCE):
        return message
    i, z = np.unravel_index(np.argmax(np.abs(scores - expected)), scores.shape)
    return (
        f"the score of output {z} of example {block.rows[i]} is {scores[i, z]:.6g}, but loss less "
        f"<w, joint-feature difference> is {expected[i, z]:.6g}; outputs are in the order of "
        "outputs(x)"
    )
