"""Inference of chains over PyTorch tensors, for layers of networks.

All sequences advance together, step by step, in the order of a :class:`ChainLayout`. No time is
spent on padding of shorter sequences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch.nn.utils.rnn import PackedSequence, unpack_sequence

from structsvm.data.arrays import Indices
from structsvm.networks import TensorInference
from structsvm.problems.classification.states import AllStates
from structsvm.problems.sequences.chain.data import Packed
from structsvm.problems.sequences.chain.layout import ChainLayout
from structsvm.torch.arguments import (
    as_arrays,
    as_numpy,
    require_alike,
    require_device,
    require_finite,
    require_tensor,
    tensor_like,
)

if TYPE_CHECKING:
    from structsvm.problems.sequences.chain.problem import Chain

#: The score of labels and transitions that ``allowed_transitions`` forbid. Infinite scores would
#: have no gradient.
FORBIDDEN = -1e30


class ChainScores(NamedTuple):
    """The scores of labels and transitions of n sequences.

    Attributes
    ----------
    unary : tensor of shape (n_positions, k)
        The scores of the labels, in the order of ``layout``.
    transition : tensor of shape (k, k) or (n_positions - n, k, k)
        ``transition[..., a, b]`` is the score of label b after label a: one (k, k) table for all
        positions, or a table for each position that is not the first of its sequence.
    layout : ChainLayout
    """

    unary: torch.Tensor
    transition: torch.Tensor
    layout: ChainLayout

    def to(self, step: slice) -> torch.Tensor:
        """Return the scores of the transitions into a step; the first step has none."""
        n = len(self.layout.lengths)
        shared = self.transition.ndim == 2
        return self.transition if shared else self.transition[step.start - n : step.stop - n]

    def perturbed(
        self, noise: Callable[[torch.Tensor], torch.Tensor]
    ) -> tuple[ChainScores, torch.Tensor]:
        """Return a batch of perturbed copies of each sequence's scores, and a tensor of indices.

        The copies are ordered by sample, then by sequence. Each sequence has its own noise. If one
        table holds the transition scores of all positions, each perturbed sequence has one table,
        too. The returned tensor has shape (n_samples * n_positions,). For each position in the
        perturbed scores, the tensor holds the index of the same position in ``self.layout``.
        """
        k, n, shared = self.unary.shape[1], len(self.layout.lengths), self.transition.ndim == 2
        tables = self.transition.expand(n, k, k) if shared else self.transition
        unary, transition = self.unary + noise(self.unary), tables + noise(tables)
        layout = ChainLayout(np.tile(self.layout.lengths, len(unary)))
        sample, sequence = np.divmod(layout.sequence, n)
        places = self.layout.positions(sequence, layout.step)
        later = slice(n * len(unary), None)
        table = (sequence if shared else places - n)[later]
        samples, of_tables = self._index(sample), self._index(table)
        batch = ChainScores(
            unary[samples, self._index(places)], transition[samples[later], of_tables], layout
        )
        return batch, self._index(places)

    def sums(self, codes: torch.Tensor) -> torch.Tensor:
        """Return the score of a labelling of each sequence, shape (n,)."""
        n, before = len(self.layout.lengths), self._index(self.layout.before)
        own = self.unary.gather(1, codes[:, None]).squeeze(1)
        places = () if self.transition.ndim == 2 else (self._index(np.arange(len(before))),)
        pairs = self.transition[(*places, codes[before], codes[n:])]
        scores = torch.cat([own[:n], own[n:] + pairs])
        return scores.new_zeros(n).index_add(0, self._index(self.layout.sequence), scores)

    def largest(self, mu: float) -> torch.Tensor:
        """Return mu log sum exp(score / mu) over the labellings of each sequence, shape (n,)."""
        steps = list(self.layout.steps())
        scaled = self._replace(unary=self.unary / mu, transition=self.transition / mu)
        messages, ended = scaled.unary[steps[0]], []
        for _, step in pairwise(steps):
            going_on = step.stop - step.start
            ended.append(messages[going_on:])
            through = messages[:going_on, :, None] + scaled.to(step)
            messages = scaled.unary[step] + torch.logsumexp(through, dim=1)
        last = torch.cat([messages, *reversed(ended)])  # the longest sequences end last
        return mu * torch.logsumexp(last, dim=1)[self._index(self.layout.rank)]

    def best(self) -> torch.Tensor:
        """Return the labelling of highest score, as codes (n_positions,): Viterbi's algorithm."""
        steps = list(self.layout.steps())
        best = [self.unary[steps[0]]]
        for _, step in pairwise(steps):
            through = best[-1][: step.stop - step.start, :, None] + self.to(step)
            best.append(self.unary[step] + through.amax(dim=1))
        codes = [best[-1].argmax(dim=1)]
        for here, step in zip(reversed(best[:-1]), reversed(steps[1:]), strict=True):
            # Without back pointers, the best predecessor is computed again from the label after it.
            later, going_on = codes[-1], step.stop - step.start
            through = self.to(step)
            into = (
                through[:, later].T
                if through.ndim == 2
                else through[self._index(np.arange(going_on)), :, later]
            )
            here = torch.cat([here[:going_on] + into, here[going_on:]])
            codes.append(here.argmax(dim=1))
        return torch.cat(codes[::-1])

    def _index(self, places: Indices) -> torch.Tensor:
        return torch.as_tensor(places, device=self.unary.device)


class ChainTensors(TensorInference):
    """Inference of :class:`Chain` over tensors."""

    def __init__(self, problem: Chain) -> None:
        self.problem = problem

    def of_features(self, X: Any, w: torch.Tensor, mask: Any = None) -> ChainScores:
        d, k = self.problem.n_features_, len(self.problem.classes_)
        rows, layout = _packed("X", X, mask, d)
        require_alike("X", rows, "w", w)
        weights, pairs = w[: -k * k], w[-k * k :]
        return self._scores(rows @ self._by_label(weights), pairs.view(k, k), layout)

    def of_scores(self, scores: Any, mask: Any = None) -> ChainScores:
        k = len(self.problem.classes_)
        if isinstance(scores, PackedSequence) or not (
            isinstance(scores, (tuple, list)) and len(scores) == 2
        ):
            raise ValueError(
                "scores must be a pair: of labels, of shape (n, length, k), and of transitions, of "
                f"shape (k, k); got {type(scores).__name__}"
            )
        unary, layout = _packed("the scores of labels", scores[0], mask, k)
        name, transition = "the scores of transitions", scores[1]
        require_tensor(name, transition, 2, 4)
        n, longest = len(layout.lengths), int(layout.lengths.max())
        if transition.shape not in ((k, k), (n, longest - 1, k, k)):
            raise ValueError(
                f"{name} must be of shape ({k}, {k}) or ({n}, {longest - 1}, {k}, {k}); got "
                f"{tuple(transition.shape)}"
            )
        require_alike(name, transition, "the scores of labels", unary)
        if transition.ndim == 4:
            transition = transition[layout.sequence[n:], layout.step[n:] - 1]
        return self._scores(unary, transition, layout)

    def slacks(self, scores: ChainScores, Y: Any, mu: float) -> torch.Tensor:
        unary, labelling = scores.unary, self._labelling(Y, scores.layout)
        codes = torch.as_tensor(labelling.rows, dtype=torch.long, device=unary.device)
        losses = tensor_like(self.problem.position_losses(labelling), unary)[:, None]
        wrong = torch.ones_like(unary).scatter(1, codes[:, None], 0.0)
        augmented = scores._replace(unary=unary + wrong * losses)
        if mu > 0:
            return augmented.largest(mu) - scores.sums(codes)
        with torch.no_grad():
            found = augmented.best()
        return augmented.sums(found) - scores.sums(codes)

    def perturbed_losses(
        self, scores: ChainScores, Y: Any, noise: Callable[[torch.Tensor], torch.Tensor]
    ) -> torch.Tensor:
        rows = self._labelling(Y, scores.layout).rows
        codes = torch.as_tensor(rows, dtype=torch.long, device=scores.unary.device)
        perturbed, places = scores.perturbed(noise)
        with torch.no_grad():
            found = perturbed.best()
        losses = perturbed.sums(found) - perturbed.sums(codes[places])
        return losses.view(-1, len(scores.layout.lengths)).mean(dim=0)

    def decode(self, scores: ChainScores) -> Packed:
        return Packed(as_numpy(scores.best()), scores.layout, self.problem.classes_)

    def _by_label(self, w: torch.Tensor) -> torch.Tensor:
        """Return the weights of the states, shape (d, k)."""
        states = self.problem.states_
        if isinstance(states, AllStates):
            return w.view(states.d, states.k)
        places = tuple(torch.as_tensor(index, device=w.device) for index in states.places)
        return w.new_zeros(states.d, states.k).index_put(places, w)

    def _scores(
        self, unary: torch.Tensor, transition: torch.Tensor, layout: ChainLayout
    ) -> ChainScores:
        """Lower the scores of forbidden transitions; raise an error if a score is not finite."""
        require_finite("the scores of labels", unary)
        require_finite("the scores of transitions", transition)
        allowed, n = self.problem.allowed_, len(layout.lengths)
        if allowed is not None:
            allowed.require_possible(layout.lengths)
            forbidden = np.zeros((len(unary), unary.shape[1]), dtype=bool)
            forbidden[:n] |= ~allowed.first
            forbidden[layout.last] |= ~allowed.last
            unary = unary.masked_fill(torch.as_tensor(forbidden, device=unary.device), FORBIDDEN)
            pairs = torch.as_tensor(~allowed.pairs, device=unary.device)
            transition = transition.masked_fill(pairs, FORBIDDEN)
        return ChainScores(unary, transition, layout)

    def _labelling(self, Y: Any, layout: ChainLayout) -> Packed:
        """Return the true labels, packed, without padding."""
        Y, n = as_arrays(Y), len(layout.lengths)
        if len(Y) != n:
            raise ValueError(f"X has {n} examples but Y has {len(Y)}; they must be equal")
        if isinstance(Y, np.ndarray) and Y.ndim == 2:
            Y = [y[:length] for y, length in zip(Y, layout.lengths, strict=True)]
        labelling = self.problem.labelling(Y, layout)
        if self.problem.allowed_ is not None:
            self.problem.allowed_.require(labelling)
        return labelling


def _packed(name: str, X: Any, mask: Any, columns: int) -> tuple[torch.Tensor, ChainLayout]:
    if isinstance(X, PackedSequence):
        X = unpack_sequence(X)
    if isinstance(X, (list, tuple)):
        if mask is not None:
            raise ValueError(f"{name}: a list of sequences takes no mask; expected a padded tensor")
        rows, layout = _concatenated(name, X)
    else:
        require_tensor(name, X, 3)
        layout = ChainLayout(_lengths(X, mask))
        rows = X[layout.sequence, layout.step]
    if rows.shape[1] != columns:
        raise ValueError(f"{name} must have {columns} columns; got {rows.shape[1]}")
    return rows, layout


def _concatenated(name: str, X: Sequence[Any]) -> tuple[torch.Tensor, ChainLayout]:
    if not X:
        raise ValueError(f"{name} is empty; expected at least one example")
    for i, x in enumerate(X):
        require_tensor(f"sequence {i} of {name}", x, 2)
        require_alike(f"sequence {i} of {name}", x, "sequence 0", X[0])
        if x.shape[1] != X[0].shape[1]:
            raise ValueError(
                f"sequence {i} of {name} has {x.shape[1]} columns but sequence 0 has "
                f"{X[0].shape[1]}"
            )
    layout = ChainLayout(np.array([len(x) for x in X]))
    return torch.cat(list(X))[torch.as_tensor(layout.places, device=X[0].device)], layout


def _lengths(X: torch.Tensor, mask: Any) -> Indices:
    """Return the lengths of padded sequences."""
    n, longest = X.shape[:2]
    if longest == 0:
        raise ValueError("the sequences have no positions; expected at least one")
    if mask is None:
        return np.full(n, longest)
    if not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool:
        raise TypeError(f"mask must be a tensor of bool; got {getattr(mask, 'dtype', type(mask))}")
    if mask.shape != (n, longest):
        raise ValueError(f"mask must be of shape ({n}, {longest}); got {tuple(mask.shape)}")
    require_device("mask", mask, "the padded tensor", X)
    if not mask[:, 0].all() or (mask[:, 1:] & ~mask[:, :-1]).any():
        raise ValueError(
            "mask must be true for the first positions of each sequence, at least one, and false "
            "for all after them"
        )
    return np.asarray(as_numpy(mask.sum(dim=1)))
