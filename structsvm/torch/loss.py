"""The layer: a module of PyTorch whose value is the mean slack of a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from structsvm.contract.capabilities import offers, offers_soft_oracle
from structsvm.contract.declarations import require_problem
from structsvm.contract.problem import Problem
from structsvm.contract.tensors import TensorInference
from structsvm.data.conversion import require_no_iterator
from structsvm.data.validation import require_flag, require_nonnegative
from structsvm.oracle.setup import copied
from structsvm.torch.feasible import FeasibleWeights
from structsvm.torch.general import OracleInference

REDUCTIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "mean": torch.mean,
    "sum": torch.sum,
    "none": lambda slacks: slacks,
}


class StructuredHingeLoss(torch.nn.Module):
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

    Attributes
    ----------
    w : torch.nn.Parameter of shape (size_joint_feature,)
        Zero at first, or the nearest feasible point; of torch's default dtype. Not with
        ``scores=True``.

    Raises
    ------
    ValueError
        The problem is not initialised; or offers no soft oracle where mu > 0; or it constrains w,
        and with ``scores=True`` its inference over tensors would not see w.

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
        self, problem: Problem, *, mu: float = 0.0, scores: bool = False, reduction: str = "mean"
    ) -> None:
        super().__init__()
        require_problem(problem)
        require_nonnegative("mu", mu)
        require_flag("scores", scores)
        if reduction not in REDUCTIONS:
            raise ValueError(f"reduction must be one of {list(REDUCTIONS)}; got {reduction!r}")
        size = getattr(problem, "size_joint_feature", None)
        if size is None:
            raise ValueError(
                f"{type(problem).__name__} is not initialised: call problem.initialize(X, Y) with "
                "arrays like those that the network computes, and with outputs of all labels"
            )
        native = offers(problem, "tensor_inference")
        if mu > 0 and not (native or offers_soft_oracle(problem)):
            raise ValueError(
                f"mu > 0 needs a soft oracle, which {type(problem).__name__} does not offer: "
                "define soft_oracle, or take mu=0"
            )
        self.problem = copied(problem)
        self._feasible = FeasibleWeights(self.problem)
        if scores and native and self._feasible.constrained:
            raise ValueError(
                f"{type(problem).__name__} has constraints or lower bounds on w, which scores do "
                "not tell: take scores=False, so that the layer holds w and keeps them"
            )
        self.mu, self.scores, self.reduction = float(mu), scores, reduction
        self._inference: TensorInference = (
            self.problem.tensor_inference()
            if native
            else OracleInference(self.problem, self._feasible)
        )
        if not scores:
            self.w = torch.nn.Parameter(torch.zeros(size))
            self.project_()

    def forward(self, X: Any, Y: Any, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Return the loss of a batch.

        Parameters
        ----------
        X : tensor or sequence of tensors
            Features of n examples, or their scores; see above.
        Y : sequence or tensor
            The true outputs.
        mask : tensor of bool of shape (n, length), optional
            Which positions of padded sequences exist: the first ones of each.

        Returns
        -------
        tensor
            A number, or shape (n,) with ``reduction='none'``.
        """
        if Y is None:
            raise ValueError("Y must hold the true outputs; it is None")
        require_no_iterator("Y", Y)
        slacks = self._inference.slacks(self._scored(X, mask), Y, self.mu)
        return REDUCTIONS[self.reduction](slacks)

    @torch.no_grad()
    def decode(self, X: Any, mask: torch.Tensor | None = None) -> Sequence[Any]:
        """Return the predictions, the outputs of highest score, as the problem's ``decode`` does.

        Parameters
        ----------
        X, mask
            As in :meth:`forward`.

        Returns
        -------
        sequence of n outputs
        """
        return self._inference.decode(self._scored(X, mask))

    @torch.no_grad()
    def project_(self) -> None:
        """Move w to the nearest point that satisfies the problem's constraints and bounds.

        :meth:`forward`, :meth:`decode` and :meth:`state_dict` begin with it. Call it after the last
        step if you read ``w`` yourself. A feasible w, or one without constraints, is left alone.
        """
        if self.scores or not self._feasible.constrained:
            return
        nearest = self._feasible.nearest(self.w)
        if not torch.equal(nearest, self.w):  # else a gradient of before would count as lost
            self.w.copy_(nearest)

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Return the state as any module does, with a feasible w."""
        self.project_()
        return super().state_dict(*args, **kwargs)

    def extra_repr(self) -> str:
        return (
            f"{self.problem!r}, mu={self.mu:g}, scores={self.scores}, reduction={self.reduction!r}"
        )

    def _scored(self, X: Any, mask: torch.Tensor | None) -> Any:
        require_no_iterator("X", X)
        if self.scores:
            return self._inference.of_scores(X, mask)
        if isinstance(self.w, torch.nn.Parameter):  # not one that functional_call has lent
            self.project_()
        return self._inference.of_features(X, self.w, mask)
