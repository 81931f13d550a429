"""The methods of a problem that layers of networks call, and its inference over tensors.

:mod:`structsvm.torch` has the layers. This module needs no PyTorch, and training by a solver does
not come here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from structsvm.contract.optional import optional
from structsvm.data.arrays import Vector


class NetworkLayers:
    """Optional methods of a problem: gradients in x, and inference over tensors.

    A problem that defines one of them need not inherit this class: it is only looked at for the
    method. The layers of ``structsvm.torch`` call them where a
    network computes x. Where Psi is linear in x, they need only :meth:`soft_input_gradient`, for
    mu > 0. With :meth:`tensor_inference` they need no gradient, and the work stays on the device of
    the tensors.
    """

    _undefined = None

    @optional
    def input_gradient(self, x: Any, y: Any, w: Vector) -> Any:
        """Return the gradient of the score <w, Psi(x, y)> in x, an array of numbers.

        The layers of ``structsvm.torch`` call it where a network computes x. It is not needed
        where Psi is linear in x, up to a constant: there they derive the gradient from one joint
        feature for each entry of x.

        Requires: y is an output of x, or whatever an oracle returns for it.
        Ensures: finite numbers of the shape of x.
        """

    @optional
    def soft_input_gradient(self, x: Any, y: Any, w: Vector, mu: float) -> Any:
        """Return the gradient of ``SoftOutput.value`` in x, an array of numbers.

        It is the expectation of the gradient of <w, Psi(x, y')> in x under the distribution of
        :meth:`soft_oracle`, less the gradient of <w, Psi(x, y)>; the marginals determine it.
        :class:`structsvm.torch.StructuredHingeLoss` calls it for mu > 0 where a network computes x.

        Requires: mu > 0; y is an output of x.
        Ensures: finite numbers of the shape of x.
        """

    @optional
    def tensor_inference(self) -> TensorInference:
        """Return the problem's inference over tensors of PyTorch, for all examples at once.

        For the layers of ``structsvm.torch``, which otherwise call the oracles and the decoder.
        A subclass with other scores, losses or outputs must override it, or withdraw it by
        ``tensor_inference = None``.

        Requires: ``initialize`` has run.
        Ensures: a :class:`structsvm.networks.TensorInference`. PyTorch is imported nowhere
        else.
        """


class TensorInference(ABC):
    """The inference of a problem over tensors of PyTorch, all examples of a batch at once.

    ``tensor_inference`` of a problem returns an instance of a subclass. Scores are the tensors that
    determine the score of every output of n examples, such as class scores, or scores of labels and
    transitions. All methods except :meth:`decode` are differentiable in their tensors. They keep
    dtype and device, and raise ValueError where a tensor is not finite or has a wrong shape, dtype
    or device.
    """

    @abstractmethod
    def of_features(self, X: Any, w: Any, mask: Any = None) -> Any:
        """Return the scores of all outputs of the inputs X at w.

        ``w`` is a tensor of shape (size_joint_feature,). ``mask`` says which positions of a padded
        X exist, where inputs have positions; else it must be None.
        """

    @abstractmethod
    def of_scores(self, scores: Any, mask: Any = None) -> Any:
        """Return the scores of a network in the form that the other methods take."""

    @abstractmethod
    def slacks(self, scores: Any, Y: Any, mu: float) -> Any:
        """Return the slack of each example, a tensor of shape (n,).

        For mu = 0 the largest loss + score of an output, less the score of the true output; for mu
        > 0 it is smoothed, as in :class:`structsvm.SoftOutput`.
        """

    @abstractmethod
    def decode(self, scores: Any) -> Any:
        """Return the output of highest score of each example, as the problem's ``decode`` does."""

    def perturbed_losses(self, scores: Any, Y: Any, noise: Callable[[Any], Any]) -> Any:
        r"""Return the perturbed loss of each example, a tensor of shape (n,).

        The mean, over samples of noise, of the largest perturbed score of an output, less the
        perturbed score of the true output. :class:`structsvm.torch.PerturbedFenchelYoungLoss` alone
        needs this method. ``noise(tensor)`` draws the samples, of shape (n_samples,
        \*tensor.shape), that are to be added to a tensor; they are best decoded in one batch.
        """
        raise NotImplementedError(
            f"{type(self).__name__} does not define perturbed_losses; what it must return is "
            "written at structsvm.networks.TensorInference.perturbed_losses"
        )

    def with_jobs(self, n_jobs: int) -> TensorInference:
        """Return this inference with solves in ``n_jobs`` processes at the same time.

        It is for inference that calls a solver for every example, as that of
        :class:`structsvm.problems.decisions.DecisionProblem` does; the layers refuse ``n_jobs``
        where it is not defined. Inference in tensors has the threads of PyTorch. The oracles of
        other problems run in processes where the data stay the same, as in training by a solver:
        each process keeps its block. Behind a network the inputs are new at every call, and would
        have to be sent and prepared with the problem each time.
        """
        raise NotImplementedError(
            f"{type(self).__name__} does not define with_jobs; what it must return is written at "
            "structsvm.networks.TensorInference.with_jobs"
        )
