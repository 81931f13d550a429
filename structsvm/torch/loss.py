"""The structured hinge loss and its smoothed form."""

from __future__ import annotations

from typing import Any

import torch

from structsvm.contract.problem import Problem
from structsvm.data.validation import require_number
from structsvm.torch.layer import Reduction, StructuredLoss


class StructuredHingeLoss(StructuredLoss):
    r"""The structured hinge loss of any problem, as a layer behind a network.

    At the temperature mu = 0, the loss of an example is its slack, the maximum over the outputs y'
    of loss(y, y') + score(y') - score(y). For mu > 0, the maximum over the outputs is smoothed to
    mu log sum exp(. / mu). The smoothed maximum is differentiable and an upper bound of the slack.
    In the limit mu = 0, the smoothed maximum equals the slack.

    By default, the network computes the inputs x of the problem, and the weights w of the joint
    features are parameters of the layer. With ``scores=True``, the layer has no parameters, and the
    network computes scores. These are

    - for :class:`structsvm.problems.Multiclass`: class scores of shape (n, k);
    - for :class:`structsvm.problems.Chain`: a pair of label scores of shape (n, length, k), and
      transition scores of shape (k, k) or (n, length - 1, k, k), where entry [a, b] scores label b
      after label a;
    - for :class:`structsvm.problems.decisions.DecisionProblem`: predicted costs of shape (n, m);
    - for any other problem: a pair (X, w) of its inputs and the weights of their joint features, a
      tensor of shape (n, size_joint_feature), or (size_joint_feature,) for all examples.

    Pass sequences of different lengths as a list of tensors, as a ``PackedSequence``, or as a
    padded tensor with its ``mask``. Y is a sequence of labels or other outputs of the problem, or a
    tensor. Labels of padded sequences may be padded with any value.

    Divided by C, the objective of a structural SVM (:mod:`structsvm.objective`) is the mean loss
    plus :math:`\tfrac{1}{2 C} \|w\|^2`. Set ``weight_decay=1 / C`` in an optimiser that adds
    ``weight_decay`` times w to the gradient.

    If the problem has constraints or lower bounds on w, the layer satisfies all of them. Before
    every use and before saving, the layer projects w by :meth:`project_`. With :meth:`project_`,
    the steps of an optimiser are projected gradient descent. With ``scores=True``, an error is
    raised if a given w violates the problem's constraints.

    Parameters
    ----------
    problem : Problem
        A problem that was initialised by ``problem.initialize(X, Y)``. The arrays in X must have
        the same form as the network's outputs, and Y must contain all labels. The layer stores a
        copy of the problem.
    mu : float, default=0.0
        The temperature of the smoothing; 0 for the hinge loss.
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
        The weights, in the default dtype of torch. The initial weights are 0, or the feasible
        weights nearest to 0. Missing with ``scores=True``.

    Raises
    ------
    ValueError
        If the problem is not initialised, if it has no soft oracle and mu > 0, or if ``n_jobs`` is
        not supported. With ``scores=True``, an error is also raised if the problem constrains w but
        its ``tensor_inference`` does not use w.

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
        """Return the slack of each example, shape (n,).

        For mu > 0, the slack is smoothed.
        """
        return self._inference.slacks(scores, Y, self.mu)

    def extra_repr(self) -> str:
        return (
            f"{self.problem!r}, mu={self.mu:g}, scores={self.scores}, reduction={self.reduction!r}"
        )
