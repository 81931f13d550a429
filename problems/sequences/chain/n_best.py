"""The n labellings of highest score of a sequence."""

from __future__ import annotations

import numpy as np

from structsvm.data.arrays import Indices, Vector


def n_best(unary: Vector, transition: Vector, n: int) -> tuple[Indices, Vector]:
    """The n best labellings, by an extension of Viterbi's algorithm.

    For each label, the n best labellings up to a position that end with it are extensions of the n
    best up to the position before.

    Parameters
    ----------
    unary : ndarray of shape (length, k)
        The score of every label at every position; -inf where it cannot be.
    transition : ndarray of shape (k, k)
        ``transition[a, b]`` is the score of b after a; -inf where that is forbidden.
    n : int

    Returns
    -------
    codes : ndarray of shape (m, length)
        The labellings as label codes, best first; m < n where there are no more.
    scores : ndarray of shape (m,)
        Their scores, falling.
    """
    best, choices = unary[0][:, None], []
    for here in unary[1:]:
        totals = best[:, :, None] + transition[:, None, :]  # of label, rank and next label
        totals = totals.reshape(-1, len(transition))
        choices.append((_largest(totals, n), best.shape[1]))
        best = (np.take_along_axis(totals, choices[-1][0], axis=0) + here).T
    last = _largest(best.reshape(-1, 1), n)[:, 0]
    scores = best.ravel()[last]
    last, scores = last[scores > -np.inf], scores[scores > -np.inf]
    codes = np.empty((len(last), len(unary)), dtype=np.intp)
    codes[:, -1], rank = np.divmod(last, best.shape[1])
    for step in range(len(choices), 0, -1):
        chosen, width = choices[step - 1]
        codes[:, step - 1], rank = np.divmod(chosen[rank, codes[:, step]], width)
    return codes, scores


def _largest(scores: Vector, n: int) -> Indices:
    """The rows of the n largest entries of each column, largest first."""
    return np.argsort(-scores, axis=0, kind="stable")[:n]
