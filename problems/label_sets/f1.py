"""Exact inference with the F1 loss for labels without weights of pairs.

The loss depends only on the numbers of true and of false labels that are predicted. The best set
consists of the highest-scoring true labels and the highest-scoring false labels. Dembczynski,
Waegeman, Cheng & Huellermeier (An Exact Algorithm for F-Measure Maximization, NIPS 2011) use counts
of labels for prediction. The partition function is computed as a sum over the numbers of true and
of false labels in a set. For all numbers a and b, dynamic programming sums exp(score) over the sets
with a true labels and b false labels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structsvm.data.arrays import Indices, Vector
from structsvm.data.log_sums import log_sums
from structsvm.problems.label_sets.data import f1_loss_of_counts
from structsvm.problems.label_sets.search import LabelSetMarginals


class IndependentF1:
    """Loss-augmented inference with the F1 loss, without pairs of labels.

    The arguments ``edges`` and ``pairs`` are always empty, since the labels have no edges.
    """

    def __init__(self, edges: Indices, n_labels: int) -> None:
        self.work = float(n_labels**2)

    def best(self, unary: Vector, pairs: Vector, truth: Any = None) -> Any:
        """Return the label sets of highest score plus loss for ``truth``, shape (n, n_labels)."""
        if truth is None:
            return (unary > 0).astype(np.int8)
        kinds = _kinds(truth)
        # Labels of the other kind come last, and are never chosen.
        scores = np.where(kinds, unary, -np.inf)
        order = np.argsort(-scores, axis=2, kind="stable")
        falling = np.take_along_axis(scores, order, axis=2)
        totals = np.concatenate([np.zeros((*falling.shape[:2], 1)), falling.cumsum(axis=2)], axis=2)
        losses = _losses(truth)
        augmented = totals[0][:, : losses.shape[1], None] + totals[1][:, None, :] + losses
        flat = augmented.reshape(len(unary), -1).argmax(axis=1)
        counts = np.stack(np.unravel_index(flat, augmented.shape[1:]))
        ranks = np.argsort(order, axis=2)
        return np.any(kinds & (ranks < counts[:, :, None]), axis=0).astype(np.int8)

    def gains(self, unary: Vector, pairs: Vector) -> Vector:
        """Return the gain of each label, shape (n, n_labels).

        The gain of a label is the best score of a set with the label, minus the best score of a set
        without the label.
        """
        return unary

    def soft(
        self,
        unary: Vector,
        pairs: Vector,
        weights: Vector,
        truth: Any,
        loss_scale: float = 1.0,
    ) -> LabelSetMarginals:
        """Return marginals for probabilities proportional to exp(score + loss_scale * loss)."""
        kinds, losses = _kinds(truth), _losses(truth)
        n, n_labels = unary.shape
        with np.errstate(invalid="ignore"):  # -inf - -inf
            # forward[l] has log-sums over sets of the first l labels, by kind, row and count.
            forward = np.full((n_labels + 1, 2, n, n_labels + 1), -np.inf)
            forward[0, :, :, 0] = 0
            for label in range(n_labels):
                forward[label + 1] = _with(forward[label], unary[:, label], kinds[:, :, label])
            right, extra = forward[-1]
            right = right[:, : losses.shape[1]]
            joint = right[:, :, None] + extra[:, None, :] + loss_scale * losses
            log_partition = log_sums(joint, axis=(1, 2))
            p = np.exp(joint - log_partition[:, None, None])
            # backward has log-sums over sets of later labels, over the losses and the other kind.
            backward = np.full(forward[-1].shape, -np.inf)
            backward[0, :, : losses.shape[1]] = log_sums(
                extra[:, None, :] + loss_scale * losses, axis=2
            )
            backward[1] = log_sums(right[:, :, None] + loss_scale * losses, axis=1)
            labels = np.empty(unary.shape)
            for label in range(n_labels - 1, -1, -1):
                own = kinds[:, :, label]
                entered = backward[:, :, 1:] + unary[:, label, None]
                through = log_sums(forward[label][:, :, :-1] + entered, axis=2)
                chosen = np.where(own[0], through[0], through[1])
                labels[:, label] = np.exp(chosen - log_partition)
                added = np.logaddexp(backward[:, :, :-1], entered)
                backward[:, :, :-1] = np.where(own[:, :, None], added, backward[:, :, :-1])
        return LabelSetMarginals(
            log_partition, labels, np.zeros(0), float(weights @ (p * losses).sum(axis=(1, 2)))
        )


def _kinds(truth: Any) -> Any:
    """Return masks of the true and of the false labels, shape (2, n, n_labels)."""
    return np.stack([truth == 1, truth == 0])


def _losses(truth: Any) -> Vector:
    """Return the loss for each number of true and of false labels that are predicted.

    The shape is (n, m + 1, n_labels + 1), where m is the largest number of true labels of a row.
    """
    true = truth.sum(axis=1)
    right, extra = np.arange(true.max() + 1)[:, None], np.arange(truth.shape[1] + 1)
    return f1_loss_of_counts(right, right + extra + true[:, None, None])


def _with(log_sums: Vector, score: Vector, own: Any) -> Vector:
    """Return log-sums over label sets that, where ``own`` is True, may contain one more label."""
    entered = np.full(log_sums.shape, -np.inf)
    entered[:, :, 1:] = log_sums[:, :, :-1] + score[:, None]
    return np.where(own[:, :, None], np.logaddexp(log_sums, entered), log_sums)
