"""The methods of a problem that the layers of structsvm.torch call, and inference over tensors.

:mod:`structsvm.torch` has the layers. The module ``networks`` does not need PyTorch. The solvers do
not use the module ``networks``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from structsvm.contract.optional import optional
from structsvm.data.arrays import Vector


class NetworkLayers:
    """Optional methods of a problem: gradients with respect to x, and inference over tensors.

    A problem may define the methods of NetworkLayers without inheriting from NetworkLayers. If a
    network computes the inputs x, the layers of ``structsvm.torch`` call the methods of
    NetworkLayers. If Psi is linear in x, the layers do not need :meth:`input_gradient`. Without
    smoothing (mu = 0), no layer needs :meth:`soft_input_gradient`. With :meth:`tensor_inference`,
    the layers need no gradient method, and the work stays on the device of the tensors.
    """

    _undefined = None

    @optional
    def input_gradient(self, x: Any, y: Any, w: Vector) -> Any:
        """Return the gradient of the score <w, Psi(x, y)> with respect to x, an array of numbers.

        The layers of ``structsvm.torch`` call this method if a network computes x. If Psi is linear
        in x, up to a constant, the layers do not need this method: they call
        ``joint_feature_difference`` for each entry of x.

        Requires: y is an output of x, or an object that an oracle returns for x. Ensures: finite
        numbers in an array of the shape of x.
        """

    @optional
    def soft_input_gradient(self, x: Any, y: Any, w: Vector, mu: float) -> Any:
        """Return the gradient of ``SoftOutput.value`` with respect to x, an array of numbers.

        The result is the expectation of the gradient of <w, Psi(x, y')> with respect to x under the
        distribution of :meth:`soft_oracle`, minus the gradient of <w, Psi(x, y)>. The marginal
        probabilities determine the expectation of the gradient. If a network computes x,
        :class:`structsvm.torch.StructuredHingeLoss` calls this method for mu > 0.

        Requires: mu > 0; y is an output of x.
        Ensures: finite numbers in an array of the shape of x.
        """

    @optional
    def tensor_inference(self) -> TensorInference:
        """Return the problem's inference over PyTorch tensors, for whole batches of examples.

        If this method is not defined, the layers of ``structsvm.torch`` call the oracles and the
        decoder. A subclass of the problem that changes scores, losses or outputs must override this
        method, or remove it by ``tensor_inference = None``.

        Requires: ``initialize`` has run.
        Ensures: a :class:`structsvm.networks.TensorInference`. Of all methods of a problem, only
        this method imports PyTorch.
        """


class TensorInference(ABC):
    """The inference of a problem over PyTorch tensors, for all examples of a batch together.

    A problem's ``tensor_inference`` returns an object of a subclass. The scores of n examples are
    tensors, such as the scores of all classes, or of all labels and transitions. The tensors
    determine the score of every output. All methods except :meth:`decode` are differentiable with
    respect to their tensors. All methods return tensors of the same dtype and on the same device as
    their arguments. All methods raise a ValueError if a tensor is not finite or has a wrong shape,
    dtype or device.
    """

    @abstractmethod
    def of_features(self, X: Any, w: Any, mask: Any = None) -> Any:
        """Return the scores of all outputs of the inputs X for the weights w.

        ``w`` is a tensor of shape (size_joint_feature,). The mask says which positions of a padded
        X exist in the sequences. If inputs have no positions, ``mask`` must be None.
        """

    @abstractmethod
    def of_scores(self, scores: Any, mask: Any = None) -> Any:
        """Return a network's scores in the form that slacks, decode and perturbed_losses accept."""

    @abstractmethod
    def slacks(self, scores: Any, Y: Any, mu: float) -> Any:
        """Return the slack of each example, a tensor of shape (n,).

        For mu = 0, the slack is the largest sum of loss and score of any output, minus the score of
        the true output. For mu > 0 the slack is smoothed, as in :class:`structsvm.SoftOutput`.
        """

    @abstractmethod
    def decode(self, scores: Any) -> Any:
        """Return the highest-scoring output of each example, as the problem's ``decode`` does."""

    def perturbed_losses(self, scores: Any, Y: Any, noise: Callable[[Any], Any]) -> Any:
        r"""Return the perturbed loss of each example, a tensor of shape (n,).

        The perturbed loss is the mean, over samples of noise, of the largest perturbed score of any
        output minus the perturbed score of the true output. Only
        :class:`structsvm.torch.PerturbedFenchelYoungLoss` needs this method. The call
        ``noise(tensor)`` returns noise of shape (n_samples, \*tensor.shape) to add to the tensor.
        If possible, decode all perturbed scores in one batch.
        """
        raise NotImplementedError(
            f"{type(self).__name__} does not define perturbed_losses; what it must return is "
            "written at structsvm.networks.TensorInference.perturbed_losses"
        )

    def with_jobs(self, n_jobs: int) -> TensorInference:
        """Return the same inference, with ``n_jobs`` processes that solve problems in parallel.

        Define this method only for inference that calls a solver for every example, as in
        :class:`structsvm.problems.decisions.DecisionProblem`. If the method is not defined, the
        layers raise an error for ``n_jobs``. Inference over tensors uses the threads of PyTorch.
        The solvers of structsvm run oracles in parallel processes that keep their parts of the
        data. If a network computes the inputs, the inputs change at every call, and sending the
        inputs to processes would take time at every call.
        """
        raise NotImplementedError(
            f"{type(self).__name__} does not define with_jobs; what it must return is written at "
            "structsvm.networks.TensorInference.with_jobs"
        )
