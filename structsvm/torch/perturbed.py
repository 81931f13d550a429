"""The perturbed Fenchel-Young loss, for problems that have only a decoder."""

from __future__ import annotations

from typing import Any

import torch

from structsvm.contract.problem import Problem
from structsvm.data.validation import require_flag, require_integer, require_number
from structsvm.networks import TensorInference
from structsvm.torch.general import OracleInference
from structsvm.torch.layer import Reduction, StructuredLoss


class PerturbedFenchelYoungLoss(StructuredLoss):
    r"""The perturbed Fenchel-Young loss, as a layer behind a network, for problems with a decoder.

    The loss of an example with scores :math:`\theta` and true output y is

    .. math:: \mathrm{E}_Z \Big[ \max_{y'} \langle \theta + \sigma Z, \Psi(y') \rangle -
        \langle \theta + \sigma Z, \Psi(y) \rangle \Big].

    The noise Z is standard normal (Berthet, Blondel, Teboul, Cuturi, Vert & Bach, Learning with
    Differentiable Perturbed Optimizers, NeurIPS 2020). The loss is at least 0, convex and
    differentiable with respect to :math:`\theta`, and its gradient is the expectation of
    :math:`\Psi(\hat y) - \Psi(y)`, where :math:`\hat y` is decoded from the perturbed scores. The
    layer needs neither a soft oracle nor a separation oracle, and does not use the problem's loss.
    In practice, a mean over samples replaces the expectation. In contrast to Berthet et al., the
    layer also adds noise to the score of the true output. Noise in the score of the true output
    changes neither the expected loss nor its gradient, and the loss of every sample is at least 0.

    X, w, ``scores=True``, ``mask`` and Y have the same meaning as in :class:`StructuredHingeLoss`.
    The noise depends on the problem:

    - For :class:`structsvm.problems.Multiclass`, noise is added to the class scores.
    - For :class:`structsvm.problems.Chain`, noise is added to the label and transition scores of
      each sequence separately, even if sequences share a table of transitions.
    - For :class:`structsvm.problems.decisions.DecisionProblem`, noise is added to the predicted
      costs.
    - For any other problem, noise is added to w. Examples that share w have the same noise.

    The decoder is called ``n_samples`` times for every example. If all examples share w, one call
    of ``decode`` of the problem's task decodes all examples for one sample. If the decoder misses
    the best output, the loss is smaller, but not negative.

    Every call draws new samples. The layer's ``state_dict`` contains the state of the generator, so
    that interrupted training can continue with the same noise.

    Parameters
    ----------
    problem : Problem
        A problem whose method ``initialize`` was called. The layer stores a copy of the problem.
    sigma : float, default=1.0
        The standard deviation of the noise, > 0, in the units of the scores.
    n_samples : int, default=2
        Number of noise samples whose mean loss replaces the expected loss. The number of samples
        must be even if ``antithetic`` is True. For a fixed number of decodings, more steps of the
        optimiser are usually better than more samples.
    antithetic : bool, default=True
        Whether samples are drawn as pairs Z and -Z. With pairs, gradients have less variance than
        with independent samples.
    random_state : int, optional
        The seed of the noise, >= 0. By default, the seed is drawn from PyTorch's global generator.
    scores : bool, default=False
        Whether the layer receives scores instead of features.
    reduction : {'mean', 'sum', 'none'}, default='mean'
        How to combine the losses of the examples.
    n_jobs : int, optional
        Number of processes that call the optimizer of a
        :class:`structsvm.problems.decisions.DecisionProblem` in parallel; -1 for all processors.
        Several processes are worthwhile if one call of the problem's optimizer takes milliseconds.
        If the problem's inference does not define
        :meth:`structsvm.networks.TensorInference.with_jobs`, setting ``n_jobs`` raises an error.

    Attributes
    ----------
    w : torch.nn.Parameter of shape (size_joint_feature,)
        The weights, initially 0, in the default dtype of torch. Missing with ``scores=True``.

    Raises
    ------
    ValueError
        If the problem is not initialised. If the layer adds noise to w, but the problem has
        constraints or lower bounds on w. If the problem's ``tensor_inference`` does not define
        ``perturbed_losses``. If ``n_jobs`` is not supported.

    Examples
    --------
    >>> import torch
    >>> from structsvm.problems import Multiclass
    >>> from structsvm.torch import PerturbedFenchelYoungLoss
    >>> problem = Multiclass()
    >>> problem.initialize(torch.zeros(3, 1).numpy(), [0, 1, 2])
    >>> loss = PerturbedFenchelYoungLoss(problem, n_samples=1000, random_state=0, scores=True)
    >>> scores = torch.tensor([[0.0, 1.0, 1.0]], requires_grad=True)
    >>> loss(scores, [0]).backward()
    >>> [round(slope, 1) for slope in scores.grad[0].tolist()], loss.decode(scores).tolist()
    ([-0.9, 0.4, 0.4], [1])
    """

    def __init__(
        self,
        problem: Problem,
        *,
        sigma: float = 1.0,
        n_samples: int = 2,
        antithetic: bool = True,
        random_state: int | None = None,
        scores: bool = False,
        reduction: Reduction = "mean",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(problem, scores, reduction, n_jobs)
        require_number("sigma", sigma, "> 0")
        require_integer("n_samples", n_samples, least=1)
        require_flag("antithetic", antithetic)
        if antithetic and n_samples % 2:
            raise ValueError(
                f"n_samples must be even for antithetic samples, which are pairs; got {n_samples}: "
                "take one more, or antithetic=False"
            )
        if random_state is not None:
            require_integer("random_state, if not None,", random_state, 0, 2**63 - 1)
        self._require_perturbable()
        self.sigma, self.n_samples, self.antithetic = float(sigma), int(n_samples), antithetic
        # Use a generator of the CPU, so that the draws are the same on all devices.
        seed = int(torch.randint(2**63 - 1, ()) if random_state is None else random_state)
        self._generator = torch.Generator().manual_seed(seed)

    def get_extra_state(self) -> torch.Tensor:
        """Return the state of the samples' generator, for ``state_dict``."""
        return self._generator.get_state()

    def set_extra_state(self, state: torch.Tensor) -> None:
        """Set the state of the samples' generator, for ``load_state_dict``."""
        self._generator.set_state(state.cpu())

    def extra_repr(self) -> str:
        return (
            f"{self.problem!r}, sigma={self.sigma:g}, n_samples={self.n_samples}, "
            f"antithetic={self.antithetic}, scores={self.scores}, reduction={self.reduction!r}"
        )

    def _losses(self, scores: Any, Y: Any) -> torch.Tensor:
        return self._inference.perturbed_losses(scores, Y, self._noise)

    def _noise(self, scores: torch.Tensor) -> torch.Tensor:
        """Draw sigma Z for a tensor, with its dtype and device: shape (n_samples, *shape)."""
        shape = self.n_samples // (2 if self.antithetic else 1), *scores.shape
        noise = self.sigma * torch.randn(shape, generator=self._generator, dtype=scores.dtype)
        if self.antithetic:
            noise = torch.cat([noise, -noise])
        return noise.to(scores.device)

    def _require_perturbable(self) -> None:
        name, kind = type(self.problem).__name__, type(self._inference)
        if kind.perturbed_losses is TensorInference.perturbed_losses:
            raise ValueError(
                f"the inference over tensors of {name} has no perturbed loss: define "
                f"{kind.__name__}.perturbed_losses"
            )
        if isinstance(self._inference, OracleInference) and self._feasible.constrained:
            raise ValueError(
                f"{name} has constraints or lower bounds on w, which a perturbed w would violate; "
                "projected onto them, it would make the loss neither convex nor >= 0: take "
                "StructuredHingeLoss, which keeps them, or define an inference over tensors whose "
                "scores are free"
            )
