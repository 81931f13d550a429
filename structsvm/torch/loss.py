"""The structured hinge loss, and its smoothed form."""

from __future__ import annotations

from typing import Any

import torch

from structsvm.contract.problem import Problem
from structsvm.data.validation import require_number
from structsvm.torch.layer import Reduction, StructuredLoss


class StructuredHingeLoss(StructuredLoss):
    r"""The structured hinge loss of any problem, behind a network.

    For mu = 0 the loss of an example is its slack, the maximum over the outputs y' of
    loss(y, y') + score(y') - score(y); for mu > 0 the maximum is smoothed, mu log sum exp(. / mu),
    which is differentiable, an upper bound, and the slack in the limit.

    By default the network computes features: its outputs take the place of the inputs x of the
    problem, and the layer holds the weights w of the joint features. With ``scores=True`` the
    layer has no parameters, and the network computes the scores:

    - of :class:`structsvm.problems.Multiclass`: class scores of shape (n, k);
    - of :class:`structsvm.problems.Chain`: a pair of the scores of labels, (n, length, k), and of
      transitions, of shape (k, k), [a, b] for b after a, or (n, length - 1, k, k);
    - of :class:`structsvm.problems.decisions.DecisionProblem`: predicted costs of shape (n, m);
    - of any other problem: a pair (X, w) of its inputs and of weights of their joint features, a
      tensor of shape (n, size_joint_feature), or (size_joint_feature,) for all examples.

    Sequences of different lengths are a list of tensors, a ``PackedSequence``, or a padded tensor
    with its ``mask``. Y is a sequence of the problem's labels or other outputs, or a tensor; labels
    of padded sequences may be padded, with anything.

    The mean loss plus :math:`\tfrac{1}{2 C} \|w\|^2` is the objective of
    :mod:`structsvm.objective`, divided by C: a ``weight_decay`` of 1 / C, of the optimisers that
    add it to the gradient, is the regularisation parameter C.

    Where the problem has constraints or lower bounds on w, the layer keeps them: it projects its w
    onto them by :meth:`project_`, before every use and before it is saved. So an optimiser makes
    steps of projected gradient descent. With ``scores=True`` a w that violates them is refused.

    Parameters
    ----------
    problem : Problem
        Initialised: with ``problem.initialize(X, Y)``, where X are arrays like those that the
        network will compute, and Y has all labels. The layer keeps a copy.
    mu : float, default=0.0
        The temperature. 0 is the hinge loss.
    scores : bool, default=False
        Whether the layer takes scores instead of features.
    reduction : {'mean', 'sum', 'none'}, default='mean'
        How the losses of the examples are combined.
    n_jobs : int, optional
        Number of processes that call the optimizer of a
        :class:`structsvm.problems.decisions.DecisionProblem` at the same time, -1 for all
        processors: for optimizers that take milliseconds. Other problems refuse it:
        :meth:`structsvm.networks.TensorInference.with_jobs` says why.

    Attributes
    ----------
    w : torch.nn.Parameter of shape (size_joint_feature,)
        Zero at first, or the nearest feasible point; of torch's default dtype. Not with
        ``scores=True``.

    Raises
    ------
    ValueError
        The problem is not initialised; or has no soft oracle where mu > 0; or it constrains w,
        and with ``scores=True`` its inference over tensors would not see w; or has nothing for
        several processes to do, where ``n_jobs`` is given.

    Examples
    --------
    >>> import torch
    >>> from structsvm.problems import Multiclass
    >>> from structsvm.torch import StructuredHingeLoss
    >>> problem = Multiclass(cost=[[0, 1, 4], [1, 0, 1], [4, 1, 0]])
    >>> problem.initialize(torch.zeros(3, 1).numpy(), [0, 1, 2])
    >>> loss = StructuredHingeLoss(problem, scores=True)
    >>> scores = torch.tensor([[0.0, 2.0, 1.0]], requires_grad=True)
    >>> value = loss(scores, [0])
    >>> value.backward()
    >>> value.item(), scores.grad.tolist(), loss.decode(scores).tolist()
    (5.0, [[-1.0, 0.0, 1.0]], [1])
    """

    def __init__(
        self,
        problem: Problem,
        *,
        mu: float = 0.0,
        scores: bool = False,
        reduction: Reduction = "mean",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(problem, scores, reduction, n_jobs)
        require_number("mu", mu, ">= 0")
        native = getattr(problem, "tensor_inference", None) is not None
        if mu > 0 and not native and problem.soft_oracle is None:
            raise ValueError(
                f"mu > 0 needs a soft oracle, which {type(problem).__name__} does not offer: "
                "define soft_oracle, or take mu=0"
            )
        self.mu = float(mu)

    def _losses(self, scores: Any, Y: Any) -> torch.Tensor:
        """Return the slack of each example, smoothed for mu > 0, shape (n,)."""
        return self._inference.slacks(scores, Y, self.mu)

    def extra_repr(self) -> str:
        return (
            f"{self.problem!r}, mu={self.mu:g}, scores={self.scores}, reduction={self.reduction!r}"
        )
